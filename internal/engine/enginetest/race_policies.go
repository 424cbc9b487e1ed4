package enginetest

import (
	"fmt"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// PolicyRaces does the same as [Races] with another client that changes the policy and the strategy of a placement between plan and apply. A hub acts on the
// change immediately, so the objects are read again before the apply. There are 20 cases; a short run has only the first ones.
func PolicyRaces(t *testing.T, f *Fleet, short int) {
	t.Helper()
	runParallel(t, f, seeds(20, short), (*race).runPolicies)
}

func (r *race) runPolicies() {
	r.Helper()
	r.putObjects()
	manifests := r.pick()
	first := r.pickMembers(r.request(manifests))
	r.DeleteAtEnd(first)
	first = first.After(r.Apply(first).Status)

	again := r.pickMembers(r.request(manifests))
	again.ID, again.Again, again.Prior = first.ID, true, first.Prior
	preview := r.plan(&again)
	if r.random.IntN(2) == 0 {
		r.disturbObject()
	}
	theirs := r.pickMembers(r.request(manifests))
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

// pickMembers picks one of the members or all of them by name. A hub allows a change of the names, but not of the placement type.
func (r *race) pickMembers(request Request) Request {
	names := r.Members
	if i := r.random.IntN(len(names) + 1); i < len(names) {
		names = names[i : i+1]
	}
	request.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: names}
	return request
}
