package kubefleet

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// CheckDisruptions returns no limitations.
func (*Engine) CheckDisruptions() []engine.Limitation { return nil }

// DisruptionsServed returns an error if the hub does not serve disruption budgets or evictions.
func (e *Engine) DisruptionsServed(ctx context.Context) error {
	return e.requireServed(ctx, hub.DisruptionBudget, hub.Eviction)
}

// ApplyDisruptionBudget writes the budget on the hub. If prior is nil, the budget must not exist yet.
func (e *Engine) ApplyDisruptionBudget(
	ctx context.Context, b engine.DisruptionBudget, prior *engine.DisruptionBudget,
) (engine.DisruptionBudget, error) {
	object := wire.ClusterResourcePlacementDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: b.Name}, Spec: convert.FromBudget(b.Spec)}
	uid := ""
	if prior != nil {
		uid = prior.UID
	}
	stored, err := e.write(ctx, hub.DisruptionBudget, engine.Reference{Name: b.Name}, object, prior == nil, uid)
	b.UID = uidOf(stored)
	return b, err
}

// ReadDisruptionBudget reads a budget. It returns the configured value wherever the stored value means the same. prior is nil for an import. In that case, the
// result has all stored fields.
func (e *Engine) ReadDisruptionBudget(ctx context.Context, name string, prior *engine.DisruptionBudget) (engine.DisruptionBudget, error) {
	out := engine.DisruptionBudget{Name: name}
	uid := ""
	var decodeKnown func(*wire.ClusterResourcePlacementDisruptionBudget) error
	if prior != nil {
		uid = prior.UID
		decodeKnown = func(stored *wire.ClusterResourcePlacementDisruptionBudget) (err error) {
			out.Spec, err = convert.BudgetAsWritten(convert.ToBudget(stored.Spec), prior.Spec)
			return err
		}
	}
	decodeImported := func(live *unstructured.Unstructured, _ string) error {
		stored, err := codec.Decode[wire.ClusterResourcePlacementDisruptionBudget](live)
		if err == nil {
			out.Spec = convert.ToBudget(stored.Spec)
		}
		return err
	}
	var err error
	out.UID, err = read(kube.FailFast(ctx), e, hub.DisruptionBudget, engine.Reference{Name: name}, uid, decodeKnown, decodeImported)
	return out, err
}

// DeleteDisruptionBudget deletes a budget.
func (e *Engine) DeleteDisruptionBudget(ctx context.Context, prior engine.DisruptionBudget) error {
	return e.remove(ctx, hub.DisruptionBudget, engine.Reference{Name: prior.Name}, prior.UID)
}

// Evict creates an eviction, waits for the decision of the hub, and deletes the eviction. If the hub evicts the placement, Evict then waits until the hub has
// removed the objects of the placement from the cluster. It returns an *[engine.EvictionError] if the hub rejects the eviction.
func (e *Engine) Evict(ctx context.Context, eviction engine.Eviction) error {
	defer e.clusters.DropCaches()
	placement := engine.Reference{Name: eviction.Placement}
	bindings, err := e.bindingsOn(ctx, placement, eviction.Cluster)
	if err != nil {
		return err
	}
	request := engine.Reference{Name: fmt.Sprintf("%s-%s-%s", eviction.Placement, eviction.Cluster, strings.ToLower(rand.Text()[:8]))}
	object := wire.ClusterResourcePlacementEviction{
		ObjectMeta: metav1.ObjectMeta{Name: request.Name},
		Spec:       wire.ClusterResourcePlacementEvictionSpec{PlacementName: eviction.Placement, ClusterName: eviction.Cluster},
	}
	if _, err := e.write(ctx, hub.Eviction, request, object, true, ""); err != nil {
		return err
	}
	progress := func(message string) {
		if eviction.Progress != nil {
			eviction.Progress(message)
		}
	}
	progress("the provider has asked the hub to evict the placement")
	message, err := e.awaitEviction(ctx, request)
	if left := e.withdraw(ctx, request); left != nil {
		err = errors.Join(err, fmt.Errorf("the eviction %q remains on the hub, and the hub may still execute it. Delete it on the hub: %w", request, left))
	}
	if refused, is := errors.AsType[*engine.EvictionError](err); is {
		return refused
	}
	if err != nil {
		return err
	}
	progress(message)
	return e.awaitUnbound(ctx, placement, eviction.Cluster, bindings, progress)
}

// withdrawal is the timeout for deleting an eviction. It applies even if the apply has timed out or was interrupted.
const withdrawal = 10 * time.Second

// withdraw deletes an eviction if it exists. Without this, the hub could execute an undecided eviction after the end of the apply.
func (e *Engine) withdraw(ctx context.Context, request engine.Reference) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), withdrawal)
	defer cancel()
	return e.remove(ctx, hub.Eviction, request, "")
}

// awaitEviction waits until the hub has decided, and returns the message of the decision. It returns an *[engine.EvictionError] if the hub rejects the
// eviction.
func (e *Engine) awaitEviction(ctx context.Context, request engine.Reference) (message string, err error) {
	done, err := controlplane.Poll(ctx, e.pace.Pace, func(ctx context.Context) (decided bool, err error) {
		found, _, err := hub.Get[wire.ClusterResourcePlacementEviction](ctx, e.clusters.Hub, hub.Eviction, "", request.Name)
		if err == nil && found == nil {
			err = fmt.Errorf("the eviction %q was deleted before the hub had evaluated it", request)
		}
		if err != nil {
			return false, err
		}
		message, decided, err = decision(found.Status.Conditions)
		return decided, err
	})
	if !done && err == nil {
		err = fmt.Errorf("the hub did not decide about the eviction %q in time, and the provider deletes the eviction. Check that the hub agent runs with evictions enabled "+
			"(enable-eviction-apis)", request)
	}
	return message, err
}

func decision(conditions []metav1.Condition) (message string, decided bool, err error) {
	for _, c := range conditions {
		switch {
		case c.Type == wire.EvictionValid && c.Status == metav1.ConditionFalse:
			return c.Message, true, &engine.EvictionError{Invalid: true, Message: c.Message}
		case c.Type == wire.EvictionExecuted && c.Status == metav1.ConditionTrue:
			return c.Message, true, nil
		case c.Type == wire.EvictionExecuted && c.Status == metav1.ConditionFalse:
			return c.Message, true, &engine.EvictionError{Message: c.Message}
		}
	}
	return "", false, nil
}

func (e *Engine) bindingsOn(ctx context.Context, placement engine.Reference, cluster string) ([]types.UID, error) {
	all, err := hub.List[wire.ClusterResourceBinding](ctx, e.clusters.Hub, hub.KindsOf(placement).Binding, placement.Namespace, hub.OfPlacement(placement))
	var out []types.UID
	for _, b := range all {
		if b.Spec.TargetCluster == cluster {
			out = append(out, b.UID)
		}
	}
	return out, err
}

// awaitUnbound waits until none of the bindings remains. The hub deletes a binding after the objects on the cluster. The scheduler may have picked the
// cluster again meanwhile.
func (e *Engine) awaitUnbound(
	ctx context.Context, placement engine.Reference, cluster string, bindings []types.UID, progress func(string),
) error {
	var remaining []types.UID
	done, err := controlplane.Poll(ctx, e.pace.Pace, func(ctx context.Context) (_ bool, err error) {
		remaining, err = e.bindingsOn(ctx, placement, cluster)
		return !slices.ContainsFunc(bindings, func(uid types.UID) bool { return slices.Contains(remaining, uid) }), err
	})
	switch {
	case err != nil:
		return err
	case !done:
		return fmt.Errorf("the hub has executed the eviction of %q, but the objects are not removed from %q yet: the member agent removes them when it runs", placement, cluster)
	case len(remaining) > 0:
		progress(fmt.Sprintf("%s was removed from %s, and the scheduler has picked the cluster again: to prevent that, add a taint to the "+
			"member", placement, cluster))
	default:
		progress(fmt.Sprintf("%s was removed from %s", placement, cluster))
	}
	return nil
}
