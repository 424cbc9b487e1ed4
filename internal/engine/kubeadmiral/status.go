package kubeadmiral

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// account is the input of a status: the desired placement and its objects as read from the host.
type account struct {
	placement  engine.Placement
	objects    []manifest.Identifier
	clusters   []expected
	federated  map[key]convert.Federated
	types      map[schema.GroupVersionKind]v1alpha1.FederatedTypeConfig
	generation int64
	fulfilled  bool
	takes      placement.WhenToTakeOver
	// behind reports whether the control plane has not observed the last write of an object. Nil means that it has observed all writes.
	behind func(key) bool
	failed map[key]error
	// unread reports that the host has not yet collected the fields of an applied object from a member. The host collects them shortly after the apply.
	unread bool
}

// expected is the desired state of one cluster. picked reports that the policy picks the cluster, and reason explains why, or why not.
type expected struct {
	name, reason string
	picked       bool
	// places reports whether an object belongs on the cluster.
	places func(key) bool
	// found has the objects to place on the cluster, as the preview shows them. It is empty if there is no preview of the cluster.
	found map[key]*memberpreview.Object
	// foreign are the objects that the placement leaves to other placements.
	foreign []placement.FailedPlacement
}

func predictedAccount(p *predict.Prediction, generation int64, federated map[key]convert.Federated) *account {
	out := &account{
		placement: p.Placement, federated: federated, types: p.Fleet.Types, generation: generation, fulfilled: p.Fulfilled,
		takes: p.Spec.Strategy.ApplyStrategy.WhenToTakeOver,
	}
	for _, o := range p.Objects {
		out.objects = append(out.objects, o.Identifier)
	}
	for _, c := range p.Clusters {
		if !c.Picked() && !slices.Contains(p.Spec.Policy.ClusterNames, c.Name) {
			continue // the policy neither picks nor names the cluster
		}
		e := expected{name: c.Name, reason: c.Reason(), picked: c.Picked(), places: c.Places, found: map[key]*memberpreview.Object{}}
		for _, item := range c.Items {
			e.found[item.Key()] = item
		}
		for _, o := range c.Foreign() {
			e.foreign = append(e.foreign, notApplied(o.Identifier, o.Reason, o.Message))
			if !slices.Contains(out.objects, o.Identifier) {
				out.objects = append(out.objects, o.Identifier)
			}
		}
		out.clusters = append(out.clusters, e)
	}
	return out
}

func recordedAccount(p engine.Placement, spec placement.Spec, fleet *host.Fleet) *account {
	spec = spec.Defaulted()
	out := &account{
		placement: p, federated: fleet.Federated, types: fleet.Types, generation: fleet.Policy.Generation, fulfilled: true,
		takes: spec.Strategy.ApplyStrategy.WhenToTakeOver,
	}
	on := map[string]map[key]bool{}
	for _, name := range spec.Policy.ClusterNames {
		on[name] = map[key]bool{}
	}
	out.objects = placedOf(p, fleet)
	foreign := leftToOthers(p, out.objects)
	out.objects = append(out.objects, foreign...)
	for _, k := range slices.SortedFunc(maps.Keys(fleet.Federated), key.Compare) {
		f := fleet.Federated[k]
		placed := f.Placed()
		for _, name := range placed {
			if on[name] == nil {
				on[name] = map[key]bool{}
			}
			on[name][k] = true
		}
		if n := spec.Policy.NumberOfClusters; n != nil && len(placed) < int(*n) {
			out.fulfilled = false
		}
	}
	if hasOnlyNamespaces(out.objects) {
		names := membersWithNamespaces(p, spec, fleet)
		for _, name := range names {
			on[name] = map[key]bool{out.objects[0].Key(): true}
		}
		if n := spec.Policy.NumberOfClusters; n != nil && len(names) < int(*n) {
			out.fulfilled = false
		}
	}
	for name := range on {
		picked := len(on[name]) > 0 || len(spec.Policy.ClusterNames) == 0
		e := expected{name: name, picked: picked, places: func(k key) bool { return on[name][k] }, reason: "the host has not placed anything on the cluster"}
		if picked {
			e.reason = predict.PickedReason(name)
		}
		if slices.Contains(spec.Policy.ClusterNames, name) {
			out.fulfilled = out.fulfilled && picked
		}
		for _, failed := range p.PriorCluster(name).FailedPlacements {
			if picked && slices.Contains(foreign, failed.Identifier) {
				e.foreign = append(e.foreign, failed)
			}
		}
		out.clusters = append(out.clusters, e)
	}
	slices.SortFunc(out.clusters, func(a, b expected) int { return key{Name: a.name}.Compare(key{Name: b.name}) })
	return out
}

// placedOf returns the objects of a placement: all objects with its label, and the Namespaces in the prior status, which have no label. It excludes a
// CustomResourceDefinition that is no longer placed but kept because of its contents, although it still has the label.
func placedOf(p engine.Placement, fleet *host.Fleet) []manifest.Identifier {
	var out []manifest.Identifier
	known := map[key]bool{}
	if p.Prior != nil {
		for _, id := range p.Prior.SelectedResources {
			if _, has := fleet.Federated[id.Key()]; has || id.IsNamespace() {
				known[id.Key()] = true
				out = append(out, id)
			}
		}
	}
	for _, k := range slices.SortedFunc(maps.Keys(fleet.Federated), key.Compare) {
		id := fleet.Federated[k].Identifier()
		_, made := host.MadeBy(fleet.PolicyLive)[k]
		if !known[k] && (!made || !manifest.IsDefinition(id) || p.Prior == nil || len(p.Prior.SelectedResources) == 0) {
			out = append(out, id)
		}
	}
	return out
}

// leftToOthers returns the objects that the last apply left to other placements. On the host, these objects do not have the label of the placement.
func leftToOthers(p engine.Placement, placed []manifest.Identifier) []manifest.Identifier {
	var out []manifest.Identifier
	if p.Prior == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(p.Prior.Clusters)) {
		for _, failed := range p.Prior.Clusters[name].FailedPlacements {
			reason := failed.Condition.Reason
			left := reason == takeover.ReasonFailedToTakeOver || reason == takeover.ReasonNotTakenOver
			known := func(id manifest.Identifier) bool { return id.Key() == failed.Key() }
			if left && !slices.ContainsFunc(placed, known) && !slices.ContainsFunc(out, known) {
				out = append(out, failed.Identifier)
			}
		}
	}
	return out
}

// statusOf derives the status of the placement from the status of its objects on the host. If an object failed or a cluster is unreachable, it reads the
// reasons from events.
func (e *Engine) statusOf(ctx context.Context, a *account) (placement.Status, error) {
	var outcomes []placement.ClusterOutcome
	wrong := false
	for _, c := range a.clusters {
		outcome := a.outcome(c)
		wrong = wrong || len(outcome.Failed) > 0 || outcome.Unreachable != ""
		outcomes = append(outcomes, outcome)
	}
	collected, err := e.collected(ctx, a)
	if err != nil {
		return placement.Status{}, err
	}
	reasons := map[key]map[string]string{}
	if wrong {
		if reasons, err = e.reasons(ctx, a); err != nil {
			return placement.Status{}, err
		}
	}
	fulfilled := a.fulfilled
	for i, c := range a.clusters {
		explain(&outcomes[i], reasons)
		a.await(&outcomes[i], c, collected)
		fulfilled = fulfilled && (!c.picked || outcomes[i].Scheduled)
	}
	return placement.NewStatus(a.placement.Namespace, a.objects, outcomes, fulfilled, "", a.generation), nil
}

func (a *account) outcome(c expected) placement.ClusterOutcome {
	out := placement.ClusterOutcome{Name: c.name, Scheduled: c.picked, Reason: c.reason}
	if !c.picked {
		return out
	}
	unplaced := 0
	for _, id := range a.objects {
		k := id.Key()
		if id.IsNamespace() {
			out.Objects++ // a Namespace is on every member, and no policy has a status for it
			continue
		}
		if !c.places(k) {
			continue
		}
		out.Objects++
		f, known := a.federated[k]
		if err := a.failed[k]; err != nil {
			out.Failed = append(out.Failed, notApplied(id, takeover.ReasonManifestApplyFailed, "Failed to apply the manifest (error: "+err.Error()+")"))
			continue
		}
		if !known || !f.Current() || a.behind != nil && a.behind(k) {
			out.Pending++
			continue
		}
		if !slices.Contains(f.Placed(), c.name) {
			unplaced++
			out.Failed = append(out.Failed, notApplied(id, takeover.ReasonManifestApplyFailed, "KubeAdmiral did not place it on the cluster, which was not "+
				"ready or does not serve its kind; the next apply retries"))
			continue
		}
		a.addSyncState(&out, c, id, f)
	}
	if unplaced > 0 && unplaced == len(out.Failed) && out.Pending == 0 && a.nothingPlaced(c) {
		out.Scheduled, out.Failed, out.Reason = false, nil, "KubeAdmiral placed no object on the cluster, which was not ready or does not serve the kinds"
	}
	out.Objects += len(c.foreign)
	out.Failed = append(out.Failed, c.foreign...)
	return out
}

func (a *account) isPending() bool {
	return slices.ContainsFunc(a.clusters, func(c expected) bool { return a.outcome(c).Pending > 0 })
}

func (a *account) nothingPlaced(c expected) bool {
	for _, f := range a.federated {
		if slices.Contains(f.Placed(), c.name) {
			return false
		}
	}
	return true
}

func (a *account) addSyncState(out *placement.ClusterOutcome, c expected, id manifest.Identifier, f convert.Federated) {
	state, word, _ := f.On(c.name)
	switch state {
	case convert.SyncDone:
	case convert.SyncPending, convert.SyncLeaving:
		out.Pending++
	case convert.SyncUnreachable:
		out.Unreachable = "KubeAdmiral reports " + word
	case convert.SyncRefused:
		out.Failed = append(out.Failed, a.refused(out, c, id, word))
	case convert.SyncFailed:
		out.Failed = append(out.Failed, notApplied(id, takeover.ReasonManifestApplyFailed, word))
	}
}

// refused returns the condition of a pre-existing object that is not taken over, and adds the known differences to out. If the preview shows that the object
// is skipped, the condition has the reason and the message of the preview. Otherwise, refused returns the condition in the prior status, or derives one from
// word, the status that the control plane reports.
func (a *account) refused(out *placement.ClusterOutcome, c expected, id manifest.Identifier, word string) placement.FailedPlacement {
	item := c.found[id.Key()]
	if item != nil && item.Action == takeover.ActionLeaveAlone {
		if len(item.ObservedDiffs) > 0 {
			out.Diffed = append(out.Diffed, placement.DiffedPlacement{Identifier: id, ObservedDiffs: item.ObservedDiffs})
		}
		return notApplied(id, item.Reason, item.Message)
	}
	if failed, known := a.priorFailure(out, c, id); known {
		return failed
	}
	reason := takeover.ReasonFailedToTakeOver
	if a.takes == placement.TakeOverNever && word == v1alpha1.StatusAlreadyExists {
		reason = takeover.ReasonNotTakenOver
	}
	return notApplied(id, reason, word)
}

// priorFailure returns the condition that the prior status has for an object that was not taken over. known is false if there is none, or if there is a
// preview of the cluster. priorFailure also adds the differences in the prior status to out.
func (a *account) priorFailure(out *placement.ClusterOutcome, c expected, id manifest.Identifier) (placement.FailedPlacement, bool) {
	prior := a.placement.PriorCluster(c.name)
	for _, failed := range prior.FailedPlacements {
		reason := failed.Condition.Reason
		if failed.Key() != id.Key() || reason != takeover.ReasonNotTakenOver && reason != takeover.ReasonFailedToTakeOver || len(c.found) > 0 {
			continue
		}
		for _, diffed := range prior.DiffedPlacements {
			if diffed.Key() == id.Key() {
				out.Diffed = append(out.Diffed, diffed)
			}
		}
		return failed, true
	}
	return placement.FailedPlacement{}, false
}

func notApplied(id manifest.Identifier, reason, message string) placement.FailedPlacement {
	return placement.FailedPlacement{Identifier: id, Condition: placement.Condition{
		Type: placement.Applied, Status: placement.False, Reason: reason, Message: message,
	}}
}

// reasons reads the reasons of failures from the events about the objects, by object and cluster.
func (e *Engine) reasons(ctx context.Context, a *account) (map[key]map[string]string, error) {
	namespaces := map[string]bool{}
	for _, id := range a.objects {
		if id.Namespace == "" {
			namespaces["default"] = true // the events about cluster-scoped objects are in this namespace
		} else {
			namespaces[id.Namespace] = true
		}
	}
	var names []string
	for _, c := range a.clusters {
		names = append(names, c.name)
	}
	return host.Reasons(ctx, e.clusters.Hub, slices.Sorted(maps.Keys(namespaces)), names)
}

// explain adds the reasons from events to messages that consist only of a status word. For a Secret, it adds a fixed text instead of the reason.
func explain(outcome *placement.ClusterOutcome, reasons map[key]map[string]string) {
	for i := range outcome.Failed {
		failed := &outcome.Failed[i]
		why := reasons[failed.Key()][outcome.Name]
		if why == "" || !isWord(failed.Condition.Message) {
			continue
		}
		if failed.IsSecret() {
			why = "the member's message about a Secret is not shown"
		}
		failed.Condition.Message = fmt.Sprintf("%s: %s", failed.Condition.Message, why)
	}
}

func isWord(text string) bool {
	for _, r := range text {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return false
		}
	}
	return text != ""
}
