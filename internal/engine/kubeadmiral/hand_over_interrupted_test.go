package kubeadmiral_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// killedAfter applies a request, kills the apply after the given write, and returns the number of writes.
func (h *handOver) killedAfter(write int, request enginetest.Request, preview *engine.Preview, values map[string]string) int {
	h.t.Helper()
	killed := h.Another()
	ctx, kill := context.WithCancel(h.Context())
	defer kill()
	watched := watch(killed, preview, values)
	watched.After = func(n int) {
		if n == write {
			kill()
		}
	}
	_, err := request.Apply(ctx, killed.Engine())
	watched.Stop()
	h.t.Logf("killed after write %d of %d: %v", write, watched.Writes(), err)
	return watched.Writes()
}

// TestHandOverKilledAfterEveryWrite checks that an apply of the taker or the giver that is killed after any write has deleted no object that is handed over.
// The next run completes the hand-over.
func TestHandOverKilledAfterEveryWrite(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	for policyName, c := range map[string]struct {
		policies  [2]*placement.Policy
		web, bulk int // how many writes their applies have
	}{
		"the same policy":   {[2]*placement.Policy{{PlacementType: placement.PickN, NumberOfClusters: new(int32(3))}, {PlacementType: placement.PickN, NumberOfClusters: new(int32(3))}}, 5, 3},
		"a sticky policy":   {[2]*placement.Policy{nil, {PlacementType: placement.PickN, NumberOfClusters: new(int32(3))}}, 7, 3},
		"an existing taker": {[2]*placement.Policy{nil, nil}, 10, 3},
	} {
		for side, writes := range map[string]int{"web": c.web, "bulk": c.bulk} {
			for write := 1; write <= writes+1; write++ { // the last apply is not killed: it has no more writes
				t.Run(fmt.Sprintf("%s, %s, write %d", policyName, side, write), func(t *testing.T) {
					t.Parallel()
					h := newHandOver(t, c.policies[0], c.policies[1])
					if c.policies[1] == nil {
						h.existing()
					}
					before := h.uids()
					web, bulk := h.plan()
					request, preview, values := h.web, web, h.webValues
					if side == "bulk" {
						h.apply(&h.web, web, h.webValues)
						request, preview, values = h.bulk, bulk, h.bulkValues
					}
					if done := h.killedAfter(write, request, preview, values); done < write && (write <= writes || done != writes) {
						t.Errorf("the apply has %d writes, want %d", done, writes)
					}
					if side == "web" {
						h.resume()
					}
					if diff := cmp.Diff(before, h.uids()); diff != "" {
						t.Errorf("objects were recreated: %s", diff)
					}
					h.run()
					if diff := cmp.Diff(before, h.uids()); diff != "" {
						t.Errorf("objects were recreated by the next run: %s", diff)
					}
					h.complete()
				})
			}
		}
	}
}

// existing applies web as a placement of other objects and with another policy.
func (h *handOver) existing() {
	h.t.Helper()
	first := requestOf(h.World, map[string]string{"e": "1"}, &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: h.Members[:1]}, modeOf(placement.TakeOverNever))
	first.Name = h.web.Name
	result := applied(h.t, h.World, first)
	h.web.ID = ""
	h.web = h.web.After(result.Status)
}

// resume refreshes the state of web after an apply that was killed, if the policy exists.
func (h *handOver) resume() {
	h.t.Helper()
	read, err := h.web.Read(h.Context(), h.Engine())
	switch {
	case errors.Is(err, engine.ErrNotFound):
	case err != nil:
		h.t.Fatal(err)
	default:
		h.web.ID = ""
		h.web = h.web.After(read.Status)
	}
}

// TestHandOverOfWhatIsNotTaken checks that, before the taker is applied, a giver deletes no object that its plan hands over. An apply of the giver returns an
// error, and a destroy keeps the objects and their policy for the taker.
func TestHandOverOfWhatIsNotTaken(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	h := newHandOver(t, nil, nil)
	before := h.uids()
	h.plan()
	notTaken := func(err error) {
		t.Helper()
		if found, is := errors.AsType[*engine.PendingHandOverError](err); !is || len(found.Objects) != 2 || found.Objects[0].To != h.web.Name {
			t.Errorf("%v", err)
		} else {
			h.Contains(err.Error(), "Nothing was written", "ConfigMap", "Apply again")
		}
	}
	again := h.Another()
	_, err := h.bulk.Apply(h.Context(), again.Engine())
	notTaken(err)
	if writes := again.Writes(); len(writes) > 0 {
		t.Errorf("it wrote %v", writes)
	}
	removal := h.bulk
	removed, err := removal.PreviewDelete(h.Context(), h.Engine())
	if err != nil {
		t.Fatal(err)
	}
	if o := object(t, removed, h.Members[1], "ConfigMap", "b"); o.Action != takeover.ActionHandOver || o.To != h.web.Name {
		t.Errorf("the plan of the removal shows %+v", o)
	}
	removal.ExpectedRemoval = h.digest(removed)
	h.Delete(removal)
	gone(t, h.World, "v1 ConfigMap $ns/a", everywhere(h.World)...)
	h.takesFromDestroyed(before)
}

// takesFromDestroyed lets web take over the objects of the destroyed bulk, and fails the test if an object was recreated. before are the UIDs of the objects.
func (h *handOver) takesFromDestroyed(before map[string]string) {
	h.t.Helper()
	policy := v1alpha1.GroupVersion.String() + " ClusterPropagationPolicy " + h.bulk.Name
	wantPresent(h.t, h.World, policy, h.Env.Hub)
	h.web.Expected, h.web.Takers = nil, nil
	web := previewed(h.t, h.World, h.web)
	h.web.Expected = h.digest(web)
	h.apply(&h.web, web, h.webValues)
	now := h.uids()
	for object, uid := range before {
		if name := object[len(object)-1:]; h.webValues[name] != "" && now[object] != uid {
			h.t.Errorf("%s was recreated", object)
		}
	}
	gone(h.t, h.World, policy, h.Env.Hub)
	if web := previewed(h.t, h.World, h.web); web.Pending() {
		h.t.Errorf("there is something left to do: %+v", web.Clusters)
	}
	h.destroy(&h.web)
	gone(h.t, h.World, "v1 ConfigMap $ns/b", everywhere(h.World)...)
	wantPresent(h.t, h.World, "v1 ConfigMap $ns/c", h.Members[0])
}

// TestHandOverWithoutMembers checks that a provider without a connection to the members can also hand objects over, that a giver that is applied before the
// taker writes nothing, and that a giver that is destroyed before the taker keeps the objects that it hands over.
func TestHandOverWithoutMembers(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	h := newHandOver(t, nil, nil)
	before := h.uids()
	blind := func() engine.Engine {
		clients := h.Connect(enginetest.Access{})
		clients.Members = nil
		return h.Fleet.Subject.New(clients)
	}
	plan := func() {
		t.Helper()
		h.web.Expected, h.bulk.Expected, h.bulk.Takers = nil, nil, nil
		web, err := h.web.Preview(h.Context(), blind())
		if err != nil {
			t.Fatal(err)
		}
		h.web.Expected = h.digest(web)
		h.bulk.Takers = engine.Takers{engine.NewTaker(h.web.Name, h.web.TakesOverFrom[0], web)}
		bulk, err := h.bulk.Preview(h.Context(), blind())
		if err != nil {
			t.Fatal(err)
		}
		h.bulk.Expected = h.digest(bulk)
		removed, err := h.bulk.PreviewDelete(h.Context(), blind())
		if err != nil {
			t.Fatal(err)
		}
		h.bulk.ExpectedRemoval = h.digest(removed)
	}
	plan()
	_, err := h.bulk.Apply(h.Context(), blind())
	if found, is := errors.AsType[*engine.PendingHandOverError](err); !is || len(found.Objects) != 2 {
		t.Errorf("%v", err)
	}
	if diff := cmp.Diff(before, h.uids()); diff != "" {
		t.Fatal(diff)
	}
	unchecked := h.bulk
	if unchecked.ExpectedRemoval, err = engine.ParseExpectation(engine.ExpectNothing().String()); err != nil {
		t.Fatal(err)
	}
	if _, err = unchecked.Delete(h.Context(), blind()); err == nil || !strings.Contains(err.Error(), "Nothing was written") {
		t.Errorf("a destroy without a plan: %v", err)
	}
	if diff := cmp.Diff(before, h.uids()); diff != "" {
		t.Fatal(diff)
	}
	if _, err = h.bulk.Delete(h.Context(), blind()); err != nil {
		t.Fatal(err)
	}
	gone(t, h.World, "v1 ConfigMap $ns/a", everywhere(h.World)...)
	h.takesFromDestroyed(before)
}

// TestHandOverIsAgreed checks that an object of another placement remains unchanged if takes_over_from names a different giver, and that an apply makes no
// hand-over that its plan did not show.
func TestHandOverIsAgreed(t *testing.T) {
	t.Parallel()
	h := newHandOver(t, nil, nil)
	h.web.TakesOverFrom = []engine.Giver{{Name: h.Name + "-other"}}
	preview := previewed(t, h.World, h.web)
	if o := object(t, preview, h.Members[1], "ConfigMap", "b"); o.Action != takeover.ActionLeaveAlone || o.Owner.Name != h.bulk.Name {
		t.Errorf("%+v", o)
	}
	if got := strings.Join(preview.MissingGivers, " "); got != h.Name+"-other" {
		t.Errorf("%q is missing", got)
	}
	// If the plan does not show the hand-over, the apply does not make it.
	agreed := h.digest(preview)
	h.web.TakesOverFrom = []engine.Giver{{Name: h.bulk.Name}}
	h.web.Expected = agreed
	if _, err := h.web.Apply(h.Context(), h.Engine()); err == nil || !strings.Contains(err.Error(), "Nothing was written") {
		t.Errorf("%v", err)
	}
}

// TestHandOverOfWhatHasChanged checks that an object of a giver is not taken over if another client has set the label of a third placement on it since the
// plan.
func TestHandOverOfWhatHasChanged(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	h := newHandOver(t, nil, nil)
	h.plan()
	again := h.Another()
	changed := false
	again.Inject(clusters.Fault{Context: h.Env.Hub, Match: clusters.Writes, Hook: func(r clusters.Request) {
		if !changed && strings.Contains(r.Path, "/clusterpropagationpolicies") {
			changed = true
			h.Edit(h.Env.Hub, "v1 ConfigMap $ns/b", "{metadata: {labels: {"+v1alpha1.ClusterPolicyLabel+": other}}}")
		}
	}})
	_, err := h.web.Apply(h.Context(), again.Engine())
	if err == nil || !strings.Contains(err.Error(), `belongs to the policy "other"`) {
		t.Errorf("%v", err)
	}
	if label := h.Must(h.Env.Hub, "v1 ConfigMap $ns/b").GetLabels()[v1alpha1.ClusterPolicyLabel]; label != "other" {
		t.Errorf("the policy %q has it", label)
	}
}

// TestDestroyOfHalfAHandOver checks that only pre-existing objects remain if both placements are destroyed during a hand-over.
func TestDestroyOfHalfAHandOver(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	h := newHandOver(t, nil, nil)
	web, _ := h.plan()
	h.killedAfter(2, h.web, web, h.webValues)
	h.resume()
	h.destroy(&h.bulk)
	h.destroy(&h.web)
	for _, name := range names {
		where := everywhere(h.World)
		if name == "c" {
			wantPresent(t, h.World, "v1 ConfigMap $ns/c", h.Members[0])
			where = slices.DeleteFunc(where, func(cluster string) bool { return cluster == h.Members[0] })
		}
		gone(t, h.World, "v1 ConfigMap $ns/"+name, where...)
	}
	for _, name := range []string{h.bulk.Name, h.web.Name} {
		gone(t, h.World, v1alpha1.GroupVersion.String()+" ClusterPropagationPolicy "+name, h.Env.Hub)
	}
}
