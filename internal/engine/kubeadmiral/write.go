package kubeadmiral

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// writing is one apply.
type writing struct {
	engine  *Engine
	found   *predict.Prediction
	options engine.ApplyOptions
	// written are the objects on the host as they were written, failed why others could not be.
	written map[key]*unstructured.Unstructured
	failed  map[key]error
	// kept are Namespaces and definitions that are placed no more, and stay for what is in them; warnings say why.
	kept     host.Made
	warnings []string
	// moving says that an object is still on a cluster that it is to leave, or that the control plane has not come to one.
	moving bool
	// unread says that the host has yet to read something from a member that it has applied there.
	unread bool
}

// write writes what is to stand on the host: the policy first, because an object whose policy is missing waits, and because the policy says which
// objects the provider makes; then the objects; then it releases those that leave. It returns the policy once there is one.
func (w *writing) write(ctx context.Context) (*unstructured.Unstructured, error) {
	p, cluster := w.found.Placement, w.engine.clusters.Hub
	before := host.MadeBy(w.found.Fleet.PolicyLive)
	making := maps.Clone(before)
	now := host.Made{}
	for _, o := range w.found.Objects {
		if o.Manifest != nil {
			making[o.Key()], now[o.Key()] = o.Identifier, o.Identifier
		}
	}
	live := w.found.Fleet.PolicyLive
	stored, err := w.putPolicy(ctx, p.Reference, w.first(), making, live)
	if err != nil {
		if live == nil && kube.IsAlreadyExists(err) {
			return nil, predict.Exists(p.Reference)
		}
		return nil, err
	}
	for _, o := range w.inWaves() {
		if err := w.put(ctx, cluster, o); err != nil {
			w.failed[o.Key()] = err
		}
	}
	errs := []error{w.leave(ctx, before, now)}
	maps.Copy(now, w.kept)
	for _, k := range slices.SortedFunc(maps.Keys(w.failed), key.Compare) {
		errs = append(errs, fmt.Errorf("%s could not be written to the host: %w", k, w.failed[k]))
	}
	if err := errors.Join(errs...); err != nil {
		// The record of what was made stays as it is, and the policy is not left as one that schedules anew with everything that happens.
		if lasting, again := w.putPolicy(ctx, p.Reference, w.found.Policy, making, stored); again == nil {
			stored = lasting
		}
		return stored, err
	}
	w.settleSchedule(ctx)
	lasting, err := w.putPolicy(ctx, p.Reference, w.found.Policy, now, stored)
	if err != nil {
		return stored, err
	}
	return lasting, nil
}

// inWaves are the objects in the order of what they need: a Namespace comes before what is in it, whichever manifest is first.
func (w *writing) inWaves() []*predict.Object {
	wave := func(o *predict.Object) int {
		return rollout.Wave(o.Group, w.found.Fleet.Types[o.GroupVersionKind()].Spec.SourceType.PluralName)
	}
	return slices.SortedStableFunc(slices.Values(w.found.Objects), func(a, b *predict.Object) int { return cmp.Compare(wave(a), wave(b)) })
}

// first is the policy as it is written at first: one that schedules anew, where something changes that the scheduler would not look at, or has not
// come to.
func (w *writing) first() v1alpha1.PropagationPolicySpec {
	known := w.found.Fleet.Policy
	switch {
	case known == nil:
		return w.found.Policy
	case w.found.Behind():
		return convert.Nudged(w.found.Policy)
	case !convert.SamePolicy(known.Spec, w.found.Policy), w.found.PrefersAnew():
		return convert.Unstuck(w.found.Policy)
	default:
		return w.found.Policy
	}
}

func (w *writing) putPolicy(
	ctx context.Context, of engine.Reference, spec v1alpha1.PropagationPolicySpec, made host.Made, live *unstructured.Unstructured,
) (*unstructured.Unstructured, error) {
	want, err := host.PolicyObject(of, spec, made)
	if err != nil {
		return nil, err
	}
	return host.Put(ctx, w.engine.clusters.Hub, want, live)
}

// put writes one object, or its keys.
func (w *writing) put(ctx context.Context, cluster *kube.Cluster, o *predict.Object) error {
	keys, err := w.found.Keys(o)
	if err != nil {
		return err
	}
	switch {
	case o.Manifest == nil && (o.IsNamespace() || o.Live == nil):
		return nil
	case o.Manifest == nil:
		w.written[o.Key()], err = host.Key(ctx, cluster, w.found.Placement.Reference, o.Live, keys)
		return errors.Join(err, w.resume(ctx, cluster, o))
	}
	want := o.Manifest
	if !o.IsNamespace() {
		want = host.With(want, keys)
	}
	stored, err := host.Put(ctx, cluster, want, o.Live)
	if err != nil {
		return err
	}
	w.written[o.Key()] = stored
	if source.IsDefinition(o.Identifier) {
		cluster.ResetDiscovery()
	}
	return w.resume(ctx, cluster, o)
}

// resume has the control plane place an object again that a removal has kept from it which did not end.
func (w *writing) resume(ctx context.Context, cluster *kube.Cluster, o *predict.Object) error {
	if !o.Held() {
		return nil
	}
	return clusterset.Unreachable(cluster.Name(), cluster.RemoveMetadata(ctx, o.Live, nil, []string{v1alpha1.NoFederatedResourceAnnotation}))
}

// leave releases what is placed no more.
func (w *writing) leave(ctx context.Context, before, now host.Made) error {
	var going []manifest.Identifier
	for _, f := range w.found.Leaving {
		going = append(going, f.Identifier())
	}
	for k, id := range before {
		_, stays := now[k]
		if !stays && !slices.ContainsFunc(going, func(other manifest.Identifier) bool { return other.Key() == k }) {
			going = append(going, id)
		}
	}
	if len(going) == 0 {
		return nil
	}
	live, err := host.Objects(ctx, w.engine.clusters.Hub, going)
	if err != nil {
		return err
	}
	out, err := w.engine.release(ctx, w.found, leaving{objects: live, made: before})
	w.kept, w.warnings = out.kept, out.warnings
	return err
}

// settleSchedule waits until the scheduler has come to a policy that is not the last one of this apply.
func (w *writing) settleSchedule(ctx context.Context) {
	first, known := w.first(), w.found.Fleet.Policy
	if known == nil || convert.Sticky(first) == convert.Sticky(w.found.Policy) && !w.found.Behind() {
		return
	}
	for began := time.Now(); time.Since(began) < w.engine.pace.Notice; {
		federated, err := host.OfPolicy(kube.ReadAnew(ctx), w.engine.clusters.Hub, w.found.Placement.Reference)
		if err == nil && w.placed(federated) {
			return
		}
		if clusterset.IsUnavailable(err) || !w.engine.pause(ctx) {
			return
		}
	}
}

// leaves tells whether an object is still on a cluster that it is to leave, as far as the control plane reaches that.
func (w *writing) leaves(federated map[key]convert.Federated) bool {
	for _, o := range w.found.Objects {
		f, known := federated[o.Key()]
		if o.IsNamespace() || !known {
			continue
		}
		for _, c := range w.found.Clusters {
			standing, _, told := f.On(c.Name)
			if !c.Places(o.Key()) && standing != convert.StandingUnreachable && (told || slices.Contains(f.Placed(), c.Name)) {
				return true
			}
		}
	}
	return false
}

// placed tells whether every object is placed as foreseen.
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
