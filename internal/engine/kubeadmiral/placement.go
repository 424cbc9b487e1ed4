package kubeadmiral

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Preview predicts the effects of an apply of the placement.
func (e *Engine) Preview(ctx context.Context, p engine.Placement, options engine.PreviewOptions) (*engine.Preview, error) {
	ctx = kube.ShareReads(ctx)
	found, _, err := e.predict(ctx, p, func() (*predict.Prediction, error) { return predict.New(ctx, e.clusters, p, options) })
	if err != nil {
		return nil, err
	}
	return found.Preview(), nil
}

// PreviewDelete predicts the effects of a deletion of the placement.
func (e *Engine) PreviewDelete(ctx context.Context, p engine.Placement, options engine.DeleteOptions) (*engine.Preview, error) {
	ctx = kube.ShareReads(ctx)
	found, _, err := e.predict(ctx, p, func() (*predict.Prediction, error) { return predict.Removal(ctx, e.clusters, p, options, false) })
	if err != nil {
		return nil, err
	}
	return found.Preview(), nil
}

// predict calls newPrediction, and returns the prediction and the UID of the host. It returns an error if the placement was written to another host, or if
// the policy was recreated.
func (e *Engine) predict(ctx context.Context, p engine.Placement, newPrediction func() (*predict.Prediction, error)) (*predict.Prediction, string, error) {
	uid, err := controlplane.CheckHub(ctx, e.clusters.Hub, p)
	if err != nil {
		return nil, "", err
	}
	found, err := newPrediction()
	if err != nil {
		return nil, "", err
	}
	return found, uid, engine.CheckReplaced(found.Fleet.PolicyLive, p.KnownUID(), e.clusters.Hub.Name())
}

// ApplyPlacement repeats the prediction, writes the policy and the objects on the host, and follows the control plane. It writes nothing and returns an
// error if the prediction shows something that the plan did not show.
func (e *Engine) ApplyPlacement(ctx context.Context, p engine.Placement, options engine.ApplyOptions) (*engine.Result, error) {
	defer e.clusters.DropCaches()
	found, uid, err := e.predict(ctx, p, func() (*predict.Prediction, error) { return e.predictArrived(ctx, p, options) })
	if err == nil && !found.HasObjects() {
		err = &engine.NothingSelectedError{Placement: p.Name}
	}
	if err == nil {
		err = options.Expected.Verify(found.Preview())
	}
	if err == nil {
		err = found.CheckTaken()
	}
	if err != nil {
		return nil, err
	}
	w := &writing{engine: e, found: found, options: options, written: map[key]*unstructured.Unstructured{}, failed: map[key]error{}}
	policy, err := w.write(ctx)
	if policy == nil {
		return nil, err
	}
	result, unfollowed := w.follow(ctx)
	result.Warnings = append(result.Warnings, w.warnings...)
	result.Status.HubUID, result.Status.UID = uid, string(policy.GetUID())
	return result, errors.Join(err, unfollowed)
}

// predictArrived predicts an apply. It predicts again while objects need a kind or a Namespace that another placement in the same run may still create.
// Without that kind or Namespace, the scheduler would pick no cluster, or the host would reject the objects. Nothing is written yet, so any error ends the
// wait.
func (e *Engine) predictArrived(ctx context.Context, p engine.Placement, options engine.ApplyOptions) (found *predict.Prediction, err error) {
	reads, last, arrived := ctx, options.MayArrive == nil, time.Now()
	_, _ = controlplane.Poll(ctx, e.pace.Pace, func(ctx context.Context) (bool, error) {
		if found != nil {
			reads = kube.ReadUnshared(ctx)
			e.clusters.Hub.ResetDiscovery()
		}
		found, err = predict.New(reads, e.clusters, p, engine.PreviewOptions{Create: options.Create, Expected: options.Expected, Applying: true})
		if err != nil || last {
			return true, nil //nolint:nilerr // predictArrived returns err
		}
		kinds, unserved := found.Awaited()
		if len(kinds) == 0 {
			return true, nil
		}
		if options.MayArrive(kinds) {
			arrived = time.Now()
		} else { // one more attempt finds kinds that were just created; if members do not serve them, wait until the control plane has updated its list of served kinds
			last = !unserved || time.Since(arrived) > e.pace.Retry
		}
		return false, nil
	})
	return found, err
}

// ReadPlacement reads the policy and the status of the objects that have its label. It returns [engine.ErrNotFound] if the policy does not exist. In an
// import, it also derives a configuration from the objects on the host.
func (e *Engine) ReadPlacement(ctx context.Context, p engine.Placement) (*engine.Recorded, error) {
	ctx = kube.PublishReads(ctx)
	uid, err := controlplane.CheckHub(ctx, e.clusters.Hub, p)
	if err != nil {
		return nil, err
	}
	fleet, err := host.ReadFleet(ctx, e.clusters.Hub, p.Reference)
	if err != nil {
		return nil, err
	}
	if fleet.Policy == nil {
		return nil, engine.ErrNotFound
	}
	if err := engine.CheckReplaced(fleet.PolicyLive, p.KnownUID(), e.clusters.Hub.Name()); err != nil {
		return nil, err
	}
	out := &engine.Recorded{ID: p.ID, Complete: true, Spec: p.Spec, Manifests: p.Manifests, WriteOnly: p.WriteOnly, WriteOnlyObjects: host.WriteOnlyOf(fleet.PolicyLive)}
	if p.Prior == nil && len(p.Spec.ResourceSelectors) == 0 && len(p.AllManifests()) == 0 { // the configuration is unknown
		if out.Spec, out.Warning, err = e.importConfiguration(ctx, p.Reference, fleet); err != nil {
			return nil, err
		}
	} else {
		out.Spec.Policy = convert.PolicyAsWritten(fleet.Policy.Spec, p.Spec.Policy, fleet.ExternalPolicy)
	}
	out.Status, err = e.statusOf(ctx, recordedAccount(p, out.Spec, fleet))
	out.Status.HubUID, out.Status.UID = uid, string(fleet.Policy.UID)
	return out, err
}

// DeletePlacement releases every object of the placement, see [host.Release], and deletes the policy last: an object with the label of a deleted policy remains
// on the members forever. If other placements (takers) still have to take over objects, the policy remains for these objects, and the last taker deletes it.
func (e *Engine) DeletePlacement(ctx context.Context, p engine.Placement, options engine.DeleteOptions) (*engine.Result, error) {
	defer e.clusters.DropCaches()
	found, _, err := e.predict(ctx, p, func() (*predict.Prediction, error) { return predict.Removal(ctx, e.clusters, p, options, true) })
	if err == nil {
		err = options.Expected.Verify(found.Preview())
	}
	if err != nil {
		return nil, err
	}
	pending := found.Pending()
	if len(pending) > 0 && found.Fleet.ExternalPolicy != nil {
		return nil, fmt.Errorf("%w. Others created the policy. If an apply cannot complete the hand-over, remove the resource of the placement from the state with a "+
			"\"removed\" block (destroy = false), and name the placement in takes_over_from_removed instead", found.CheckTaken())
	}
	going, err := e.all(ctx, found)
	if err != nil {
		return nil, err
	}
	for _, o := range pending {
		delete(going.objects, o.Key())
	}
	out := &engine.Result{}
	done, err := e.release(ctx, found, going, options.Run)
	out.Warnings = done.warnings
	if len(going.unsearched) > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s were not checked for more objects of the placement: the credentials may not list them, and the "+
			"placement is not known to have any", strings.Join(going.unsearched, ", ")))
	}
	if err != nil {
		return out, err
	}
	followers, err := e.awaitFollowers(ctx, found)
	if err != nil {
		return out, err
	}
	if len(followers) > 0 {
		out.Warnings = append(out.Warnings, "KubeAdmiral has not yet deleted the objects that followed the workloads of the placement: "+engine.Some(followers))
	}
	live := found.Fleet.PolicyLive
	switch {
	case live == nil:
		return out, nil
	case len(pending) > 0:
		return out, e.keepForTakers(ctx, found, pending)
	}
	err = controlplane.DeleteAndWait(ctx, e.clusters.Hub, kube.RefOf(live), live.GetUID())
	return out, clusterset.Unreachable(e.clusters.Hub.Name(), err)
}

// kindsOf returns the kinds of the placement's known objects on the host, from the FederatedObjects, the record of created objects, the last status, and the
// selectors. It omits Namespaces that are only in the last status or in the selectors, because they get no label.
func kindsOf(p engine.Placement, fleet *host.Fleet) map[schema.GroupKind]bool {
	out := map[schema.GroupKind]bool{}
	for _, s := range p.Spec.ResourceSelectors {
		out[schema.GroupKind{Group: s.Group, Kind: s.Kind}] = true
	}
	if p.Prior != nil {
		for _, id := range p.Prior.SelectedResources {
			out[id.GroupVersionKind().GroupKind()] = true
		}
	}
	delete(out, schema.GroupKind{Kind: "Namespace"})
	for k := range fleet.Federated {
		out[schema.GroupKind{Group: k.Group, Kind: k.Kind}] = true
	}
	for k := range host.MadeBy(fleet.PolicyLive) {
		out[schema.GroupKind{Group: k.Group, Kind: k.Kind}] = true
	}
	return out
}
