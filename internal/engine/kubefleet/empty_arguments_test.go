package kubefleet_test

import (
	"fmt"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// emptied are specifications with an empty object, which the hub fills with defaults, and specifications that set fields of the same object.
var emptied = map[string]struct{ empty, full placement.Spec }{
	"policy": {placement.Spec{Policy: &placement.Policy{}}, placement.Spec{Policy: &placement.Policy{PlacementType: placement.PickAll}}},
	"strategy": {placement.Spec{Strategy: &placement.Strategy{}}, placement.Spec{Strategy: &placement.Strategy{
		Type: placement.RollingUpdateStrategy, DeleteStrategy: &placement.DeleteStrategy{PropagationPolicy: placement.AbandonObjects},
	}}},
	"rolling update": {with(placement.Strategy{RollingUpdate: &placement.RollingUpdate{}}), with(placement.Strategy{RollingUpdate: &placement.RollingUpdate{
		MaxUnavailable: "1", MaxSurge: "1", UnavailablePeriodSeconds: new(int64(5)),
	}})},
	"apply strategy": {with(placement.Strategy{ApplyStrategy: &placement.ApplyStrategy{}}), with(placement.Strategy{ApplyStrategy: &placement.ApplyStrategy{
		Type: placement.ClientSideApply, ComparisonOption: placement.FullComparison, WhenToApply: placement.ApplyIfNotDrifted,
		WhenToTakeOver: placement.TakeOverNever, AllowCoOwnership: new(true),
	}})},
	"delete strategy": {with(placement.Strategy{DeleteStrategy: &placement.DeleteStrategy{}}), with(placement.Strategy{
		DeleteStrategy: &placement.DeleteStrategy{PropagationPolicy: placement.AbandonObjects},
	})},
}

func with(strategy placement.Strategy) placement.Spec { return placement.Spec{Strategy: &strategy} }

// A placement with an empty object can be changed like any other, also if fields of the object were set before.
func TestEmptyArguments(t *testing.T) {
	t.Parallel()
	for name, c := range emptied {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := fleet.World(t, 1)
			w.Put(w.Env.Hub, app)
			request := enginetest.Request{Name: w.Name}
			w.DeleteAtEnd(request)
			for step, spec := range []placement.Spec{c.empty, c.empty, c.full, c.empty} {
				spec.RevisionHistoryLimit = new(int32(step + 1)) //nolint:gosec // a small number
				spec.ResourceSelectors = placing(w).Spec.ResourceSelectors
				request.Spec = spec
				result, err := request.Apply(w.Context(), w.Engine())
				if err != nil {
					t.Fatalf("step %d: %v", step, err)
				}
				request = request.After(result.Status)
				if preview, err := request.Preview(w.Context(), w.Engine()); err != nil || preview.Pending() {
					t.Errorf("step %d: pending after the apply: %v", step, err)
				}
			}
		})
	}
}

// A member with empty delete options can be changed like any other.
func TestEmptyArgumentsOfMember(t *testing.T) {
	w := fleet.World(t, 1) // not in parallel: other placements would see the member
	t.Cleanup(func() { endMember(w) })
	var prior *engine.Member
	for step, options := range []member.DeleteOptions{{}, {}, {ValidationMode: member.SkipValidation}, {}} {
		want := engine.Member{Spec: member.Spec{Name: w.Name, Labels: map[string]string{"step": fmt.Sprint(step)}, DeleteOptions: &options}}
		written, err := w.Engine().ApplyMember(w.Context(), want, prior)
		if err != nil {
			t.Fatalf("step %d: %v", step, err)
		}
		prior = &written
	}
}
