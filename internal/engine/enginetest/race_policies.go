package enginetest

import (
	"fmt"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// PolicyRaces is [Races] with another client who changes the policy and the strategy of a placement between plan and apply. A hub acts on that at
// once, so that the apply is compared with what the hub has made of it. There are 20 cases, and only the first ones in a short run.
func PolicyRaces(t *testing.T, f *Fleet, short int) {
	t.Helper()
	for seed := range seeds(20, short) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := newRace(t, f, seed)
			r.runPolicies()
		})
	}
}

func (r *race) runPolicies() {
	r.Helper()
	r.putObjects()
	manifests := r.pick()
	first := r.onSome(r.request(manifests))
	r.DeleteAtEnd(first)
	first = first.After(r.Apply(first).Status)

	again := r.onSome(r.request(manifests))
	again.ID, again.Again, again.Prior = first.ID, true, first.Prior
	preview := r.plan(&again)
	if r.random.IntN(2) == 0 {
		r.disturbObject()
	}
	theirs := r.onSome(r.request(manifests))
	theirs.ID, theirs.Again, theirs.Prior, theirs.Wait = first.ID, true, first.Prior, true
	r.keepAgents(first, theirs)
	result, err := theirs.Apply(r.Context(), r.Past())
	r.log = append(r.log, fmt.Sprintf("another client places on %v, %s: %v",
		theirs.Spec.Policy.ClusterNames, theirs.Spec.Strategy.ApplyStrategy.WhenToTakeOver, err))
	if result != nil {
		r.settle(r.Past(), theirs, result)
	}
	r.left = r.readObjects()
	r.apply(again)
	r.check(preview)
}

// onSome places on one of the members, or on all. A hub allows that to change, but not the placement type.
func (r *race) onSome(request Request) Request {
	names := r.Members
	if i := r.random.IntN(len(names) + 1); i < len(names) {
		names = names[i : i+1]
	}
	request.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: names}
	return request
}
