package kubeadmiral

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// suspends reports whether scheduling must be suspended while the objects are written. This is the case if the policy and objects that it places change
// together, or if an earlier apply left scheduling suspended. first is the policy for the first write: see firstPolicy.
func (w *writing) suspends(first v1alpha1.PropagationPolicySpec) bool {
	known := w.found.Fleet.Policy
	switch {
	case known == nil:
		return w.found.ChangesObjects() && len(w.found.Fleet.Federated) > 0
	case convert.IsSuspended(known.Spec):
		return true
	default:
		return w.found.ChangesObjects() && !convert.EqualPolicy(known.Spec, first)
	}
}

// resumeSchedule writes first, the policy that enables scheduling again, after the control plane has observed all objects in their desired form. It leaves
// the policy suspended if an object cannot be pinned (see pin), if the timeout expires first, or if the host cannot be read. stored is the suspended policy,
// making are the objects in its record, and removed are the objects that leave the placement. resumeSchedule returns the policy on the host.
func (w *writing) resumeSchedule(
	ctx context.Context, first v1alpha1.PropagationPolicySpec, making host.Made, stored *unstructured.Unstructured, removed map[key]*unstructured.Unstructured,
) (*unstructured.Unstructured, error) {
	if err := w.pin(ctx, removed); err != nil {
		return stored, err
	}
	if observed, err := w.awaitObserved(ctx, removed); !observed {
		return stored, err
	}
	resumed, err := w.putPolicy(ctx, w.found.Placement.Reference, first, making, stored)
	if err != nil {
		return stored, err
	}
	w.suspended = false
	return resumed, nil
}

// pin keeps the current clusters of the objects to which the changed policy must not apply: objects that leave the placement, and objects that could not be
// written.
func (w *writing) pin(ctx context.Context, removed map[key]*unstructured.Unstructured) error {
	pinned := slices.Collect(maps.Values(removed))
	for _, o := range w.found.Objects {
		if w.failed[o.Key()] != nil && o.Live != nil {
			pinned = append(pinned, o.Live)
		}
	}
	return each(pinned, func(u *unstructured.Unstructured) error {
		_, err := host.Pin(ctx, w.engine.clusters.Hub, w.found.Placement.Reference, u)
		_, claimed := errors.AsType[*host.ClaimedError](err)
		_, recreated := errors.AsType[*host.RecreatedError](err)
		if err == nil || claimed || recreated || kube.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("%s cannot be kept on its current clusters. The host cluster schedules no object of the placement until an apply succeeds: %w",
			manifest.NewObject(u, nil).Identifier, err)
	})
}

// awaitObserved waits until the control plane has observed all objects of the placement as they are on the host. It returns false without an error if the
// timeout expires, and an error if the host cannot be read.
func (w *writing) awaitObserved(ctx context.Context, removed map[key]*unstructured.Unstructured) (bool, error) {
	observed, err := controlplane.Poll(ctx, w.engine.pace.Pace, func(ctx context.Context) (bool, error) {
		status, err := w.readStatus(kube.ReadUnshared(ctx))
		if err != nil {
			return false, err
		}
		w.logProgress(status)
		w.status = status
		return w.observed(removed), nil
	})
	if err != nil {
		err = fmt.Errorf("scheduling of the placement is suspended on the host until an apply succeeds: %w", err)
	}
	return observed, err
}

// observed reports whether every FederatedObject of the policy matches its object on the host, has the annotation of [writing.pin], or is being deleted.
// Objects without a FederatedObject do not matter, because the policy does not place them before the control plane has read them.
func (w *writing) observed(removed map[key]*unstructured.Unstructured) bool {
	for k, f := range w.federated {
		i := slices.IndexFunc(w.found.Objects, func(o *predict.Object) bool { return o.Key() == k })
		observed := true
		switch {
		case f.Deleting:
		case w.failed[k] != nil, i < 0 && removed[k] != nil:
			observed = f.Annotations[v1alpha1.NoSchedulingAnnotation] != ""
		case w.written[k] != nil:
			observed = f.Observes(w.written[k])
		case i >= 0 && w.found.Objects[i].Live != nil:
			observed = f.Observes(w.found.Objects[i].Live)
		}
		if !observed {
			return false
		}
	}
	return true
}
