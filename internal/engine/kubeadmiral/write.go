package kubeadmiral

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

type writing struct {
	engine  *Engine
	found   *predict.Prediction
	options engine.ApplyOptions
	// written are the objects as the host stored them. failed are the errors of objects that could not be written.
	written map[key]*unstructured.Unstructured
	failed  map[key]error
	// kept are Namespaces and CustomResourceDefinitions that are no longer placed, but remain because of their contents. warnings explain why.
	kept     host.Made
	warnings []string
	// moving reports that an object is still on a cluster that it leaves, or that the control plane has not processed an object yet.
	moving bool
	// unread reports that the host has not yet collected the fields of an applied object from a member.
	unread bool
	// missing are the objects that workloads refer to and that do not exist on a cluster.
	missing memberpreview.Missing
	// federated are the FederatedObjects of the placement, as last read. unlabelled are the FederatedObjects of the Namespaces and followers that the apply
	// changes. status is the status that was derived from both.
	federated, unlabelled map[key]convert.Federated
	status                placement.Status
	// suspended reports that scheduling is suspended on the host. It is true after the apply if the control plane has not observed the objects in time.
	suspended bool
}

// write writes the policy and the objects on the host, and releases the objects that leave the placement. It writes the policy first, because the policy
// records which objects the provider creates, and because the control plane ignores an object without a policy. It returns the stored policy, or nil if the
// policy could not be written.
//
// The control plane acts on every single write: it could place the old form of objects by the new policy, or their new form by the old policy. If the policy
// and objects change together, write therefore suspends scheduling until all objects have their desired form. If an apply is killed before the end of the
// suspension, the next apply finds the suspended policy and continues.
func (w *writing) write(ctx context.Context) (*unstructured.Unstructured, error) {
	p, live := w.found.Placement, w.found.Fleet.PolicyLive
	before := host.MadeBy(live)
	making := maps.Clone(before)
	now := host.Made{}
	for _, o := range w.found.Objects {
		if o.Manifest != nil {
			making[o.Key()], now[o.Key()] = o.Identifier, o.Identifier
		}
	}
	first := w.firstPolicy()
	suspends := w.suspends(first)
	spec := first
	if suspends {
		spec = convert.Suspend(first)
	}
	stored, err := w.putPolicy(ctx, p.Reference, spec, making, live)
	if err != nil {
		if live == nil && kube.IsAlreadyExists(err) {
			return nil, predict.Exists(p.Reference)
		}
		return nil, err
	}
	if w.suspended = suspends; suspends {
		clusterset.Pause(ctx, w.engine.pace.Interval) // the scheduler reads policies from a cache, and does not report which version it has read
	}
	w.putObjects(ctx)
	removed, err := w.removed(ctx, before, now)
	if err != nil {
		return stored, err
	}
	if suspends {
		if stored, err = w.resumeSchedule(ctx, first, making, stored, removed); w.suspended {
			return stored, errors.Join(append(w.writeErrors(), err)...)
		}
	}
	err = w.leave(ctx, removed, before)
	maps.Copy(now, w.kept)
	if err := errors.Join(append([]error{err}, w.writeErrors()...)...); err != nil {
		// Keep the record of created objects, but write the final policy: with the policy of the first write, the scheduler would reschedule on every event.
		lasting, restoring := w.putPolicy(ctx, p.Reference, w.found.Policy, making, stored)
		if restoring != nil {
			return stored, errors.Join(err, restoring)
		}
		return lasting, err
	}
	w.settleSchedule(ctx)
	lasting, err := w.putPolicy(ctx, p.Reference, w.found.Policy, now, stored)
	if err != nil {
		return stored, err
	}
	return lasting, w.endGivers(ctx)
}

func (w *writing) writeErrors() []error {
	var errs []error
	for _, k := range slices.SortedFunc(maps.Keys(w.failed), key.Compare) {
		errs = append(errs, fmt.Errorf("%s could not be written to the host: %w", k, w.failed[k]))
	}
	return errs
}

// firstPolicy returns the policy for the first write of an apply. It enables rescheduling if the scheduler would otherwise ignore a change, or if the
// scheduler has not processed an earlier change yet.
func (w *writing) firstPolicy() v1alpha1.PropagationPolicySpec {
	known := w.found.Fleet.Policy
	switch {
	case known == nil && !w.found.ReschedulesGiven():
		return w.found.Policy
	case known == nil:
		return convert.AllowRescheduling(w.found.Policy)
	case w.found.Behind(), convert.SamePolicy(known.Spec, w.found.Policy) && w.found.Strays():
		return convert.ForceRescheduling(w.found.Policy)
	case !convert.SamePolicy(known.Spec, w.found.Policy), w.found.PreferencesChanged(), w.found.ReschedulesGiven():
		return convert.AllowRescheduling(w.found.Policy)
	default:
		return w.found.Policy
	}
}

func (w *writing) putPolicy(
	ctx context.Context, of engine.Reference, spec v1alpha1.PropagationPolicySpec, made host.Made, live *unstructured.Unstructured,
) (*unstructured.Unstructured, error) {
	want, err := host.PolicyObject(of, spec, made)
	if err == nil {
		err = host.RecordWriteOnly(want, w.writeOnly(made))
	}
	if err != nil {
		return nil, err
	}
	if external := w.found.Fleet.ExternalPolicy; external != nil && live != nil {
		return host.PatchPolicy(ctx, w.engine.clusters.Hub, want, live, *external)
	}
	return host.Put(ctx, w.engine.clusters.Hub, want, live)
}

// writeOnly returns the objects in made that have, or may have, values from write-only manifests. They include objects that an apply has not removed yet, and
// objects that come from other manifests now, until all members have the new content.
func (w *writing) writeOnly(made host.Made) []manifest.Identifier {
	p := w.found.Placement
	isWriteOnly, isStored := engine.IsFrom(p.WriteOnly), engine.IsFrom(p.Manifests)
	var out []manifest.Identifier
	for _, id := range made {
		if isWriteOnly(id) {
			out = append(out, id)
		}
	}
	for _, id := range host.WriteOnlyOf(w.found.Fleet.PolicyLive) {
		if made.Has(id) && !isWriteOnly(id) && (!isStored(id) || w.found.IsUpdated(id)) {
			out = append(out, id)
		}
	}
	return out
}

// leave releases the removed objects, and sets w.kept and w.warnings.
func (w *writing) leave(ctx context.Context, removed map[key]*unstructured.Unstructured, made host.Made) error {
	if len(removed) == 0 {
		return nil
	}
	out, err := w.engine.release(ctx, w.found, leaving{objects: removed, made: made}, nil)
	w.kept, w.warnings = out.kept, out.warnings
	return err
}

// settleSchedule waits until every object is placed as predicted: the scheduler has then processed the policy of the first write. It does not wait if this
// is also the final policy. It waits at most for Pace.Notice, and stops if the host is unavailable.
func (w *writing) settleSchedule(ctx context.Context) {
	if convert.EqualPolicy(w.firstPolicy(), w.found.Policy) {
		return
	}
	began := time.Now()
	_, _ = controlplane.Poll(ctx, w.engine.pace.Pace, func(ctx context.Context) (bool, error) {
		federated, err := host.OfPolicy(kube.ReadUnshared(ctx), w.engine.clusters.Hub, w.found.Placement.Reference)
		return err == nil && w.placed(federated) || clusterset.IsUnavailable(err) || time.Since(began) >= w.engine.pace.Notice, nil
	})
}

// leaves reports whether an object is still on a cluster that it is leaving and that the control plane can reach, or whether a follower still is: see
// remainingFollowers.
func (w *writing) leaves(federated map[key]convert.Federated) bool {
	for _, o := range w.found.Objects {
		f, known := federated[o.Key()]
		if o.IsNamespace() || !known {
			continue
		}
		for _, c := range w.found.Clusters {
			if !c.Places(o.Key()) && isOn(f, c.Name) {
				return true
			}
		}
	}
	return len(remainingFollowers(w.found, w.unlabelled)) > 0
}

// placed reports whether every object is placed as predicted.
func (w *writing) placed(federated map[key]convert.Federated) bool {
	for _, o := range w.found.Objects {
		if o.IsNamespace() {
			continue
		}
		on := federated[o.Key()].Placed()
		for _, c := range w.found.Clusters {
			if c.Places(o.Key()) != slices.Contains(on, c.Name) {
				return false
			}
		}
	}
	return true
}
