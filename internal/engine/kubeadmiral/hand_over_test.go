package kubeadmiral_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// handOver is a placement "bulk" from whose configuration objects are removed, and a placement "web" that takes some of them over.
type handOver struct {
	*enginetest.World
	t         *testing.T
	bulk, web enginetest.Request
	// bulkValues and webValues are the values of the ConfigMaps of bulk and of web.
	bulkValues, webValues map[string]string
}

// newHandOver applies bulk, which creates a, b and d and takes c over on a member. Then bulk keeps a, web takes b over with another value and c with the same,
// and nothing places d.
func newHandOver(t *testing.T, before, after *placement.Policy) *handOver {
	t.Helper()
	h := &handOver{World: onHost(t), t: t, bulkValues: map[string]string{"a": "1"}, webValues: map[string]string{"b": "2", "c": "1"}}
	h.Put(h.Members[0], fmt.Sprintf(foreign, "c"))
	h.bulk = requestOf(h.World, map[string]string{"a": "1", "b": "1", "c": "1", "d": "1"}, before, modeOf(placement.TakeOverAlways))
	h.bulk.Name += "-bulk"
	h.bulk = h.bulk.After(applied(t, h.World, h.bulk).Status)
	h.bulk.Manifests = requestOf(h.World, h.bulkValues, nil, placement.Strategy{}).Manifests
	h.web = requestOf(h.World, h.webValues, after, modeOf(placement.TakeOverNever))
	h.web.Name += "-web"
	h.web.TakesOverFrom = []engine.Giver{{Name: h.bulk.Name}}
	h.web.ID = "the ID of web" // with an ID, the previews are those of a new placement
	return h
}

// plan plans both placements as one run does. The taker comes first, and the giver's changes are bound to the taker's plan.
func (h *handOver) plan() (web, bulk *engine.Preview) {
	h.t.Helper()
	h.web.Expected, h.bulk.Expected, h.bulk.Takers = nil, nil, nil
	web = previewed(h.t, h.World, h.web)
	h.bulk.Takers = engine.Takers{engine.NewTaker(h.web.Name, h.web.TakesOverFrom[0], web)}
	bulk = previewed(h.t, h.World, h.bulk)
	h.web.Expected, h.bulk.Expected = h.digest(web), h.digest(bulk)
	return web, bulk
}

// digest returns the expectation of an apply, as stored in a plan file.
func (h *handOver) digest(preview *engine.Preview) *engine.Expectation {
	h.t.Helper()
	out, err := engine.ParseExpectation(engine.Expect(preview).String())
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

// apply applies a request and watches the objects. It fails the test if an object changes, even temporarily, and the preview does not show the change.
func (h *handOver) apply(request *enginetest.Request, preview *engine.Preview, values map[string]string) {
	h.t.Helper()
	again := h.Another()
	watched := watch(again, preview, values)
	result := applied(h.t, again, *request)
	watched.Ends()
	*request = request.After(result.Status)
	request.Expected, request.Takers = nil, nil
}

// run plans and applies both.
func (h *handOver) run() {
	h.t.Helper()
	web, bulk := h.plan()
	h.apply(&h.web, web, h.webValues)
	h.apply(&h.bulk, bulk, h.bulkValues)
}

// uids returns the UIDs of the ConfigMaps that must survive, by member and name.
func (h *handOver) uids() map[string]string {
	h.t.Helper()
	now, err := h.ReadWatched(configMaps(h.World))
	if err != nil {
		h.t.Fatal(err)
	}
	out := map[string]string{}
	for member, objects := range now {
		for _, name := range []string{"a", "b", "c"} {
			out[member+" "+name] = objects[name].UID
		}
	}
	return out
}

// complete fails the test unless the hand-over is complete and both plans are empty. Then it destroys both placements, bulk first.
func (h *handOver) complete() {
	h.t.Helper()
	for name, policy := range map[string]string{"a": h.bulk.Name, "b": h.web.Name, "c": h.web.Name} {
		if label := h.Must(h.Env.Hub, "v1 ConfigMap $ns/"+name).GetLabels()[v1alpha1.ClusterPolicyLabel]; label != policy {
			h.t.Errorf("the policy %q has %s", label, name)
		}
	}
	gone(h.t, h.World, "v1 ConfigMap $ns/d", everywhere(h.World)...)
	web, bulk := h.plan()
	if web.Pending() || bulk.Pending() {
		h.t.Errorf("there is something left to do: %+v, %+v", web.Clusters, bulk.Clusters)
	}
	without := h.web
	without.TakesOverFrom, without.Expected = nil, nil
	if again := previewed(h.t, h.World, without); again.Pending() {
		h.t.Errorf("there is something left to do without the argument: %+v", again.Clusters)
	}
	h.destroy(&h.bulk)
	for _, name := range []string{"b", "c"} {
		wantPresent(h.t, h.World, "v1 ConfigMap $ns/"+name, h.Env.Hub, h.Members[0])
	}
	gone(h.t, h.World, "v1 ConfigMap $ns/a", everywhere(h.World)...)
	h.destroy(&h.web)
	gone(h.t, h.World, "v1 ConfigMap $ns/b", everywhere(h.World)...)
	wantPresent(h.t, h.World, "v1 ConfigMap $ns/c", h.Members[0])
	for _, name := range []string{h.bulk.Name, h.web.Name} {
		gone(h.t, h.World, v1alpha1.GroupVersion.String()+" ClusterPropagationPolicy "+name, h.Env.Hub)
	}
}

func (h *handOver) destroy(request *enginetest.Request) {
	h.t.Helper()
	request.Takers, request.Expected = nil, nil
	request.ExpectedRemoval = h.digest(previewedRemoval(h.t, h.World, *request))
	h.Delete(*request)
}

// handOverPolicies returns policies of every type. In a hand-over, both placements have the same policy.
func handOverPolicies() map[string]*placement.Policy {
	return map[string]*placement.Policy{
		"PickAll":        nil,
		"PickFixed":      {PlacementType: placement.PickFixed, ClusterNames: []string{"member-1", "member-2"}},
		"PickN":          {PlacementType: placement.PickN, NumberOfClusters: new(int32(3))},
		"PickN by label": preferringLabel(3, "environment", "staging"),
	}
}

// TestHandOver checks that an object that moves from one placement to another changes its policy. Both plans show the change, although when_to_take_over of the
// taker is Never, and no object is deleted or recreated, even for a moment.
func TestHandOver(t *testing.T) {
	t.Parallel()
	for name, policy := range handOverPolicies() {
		if testing.Short() && name != "PickN" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHandOver(t, policy, policy)
			before := h.uids()
			web, bulk := h.plan()
			for _, member := range h.Members {
				if policy != nil && policy.PlacementType == placement.PickFixed && member == h.Members[2] {
					continue
				}
				for name, want := range map[string]takeover.Action{"b": takeover.ActionTakeOverFrom, "c": takeover.ActionTakeOverFrom} {
					o := object(t, web, member, "ConfigMap", name)
					if o.Action != want || o.Given == nil || o.Given.From != h.bulk.Name || o.Conflict() || o.Given.Created != (name == "b" || member != h.Members[0]) {
						t.Errorf("%s: web's plan shows %+v, given %+v", member, o, o.Given)
					}
					if (name == "b") != (len(o.Differences) == 1) {
						t.Errorf("%s: web's plan shows the differences %+v of %s", member, o.Differences, name)
					}
				}
				for name, want := range map[string]takeover.Action{"a": takeover.ActionNone, "b": takeover.ActionHandOver, "c": takeover.ActionHandOver, "d": takeover.ActionPrune} {
					o := object(t, bulk, member, "ConfigMap", name)
					if o.Action != want || want == takeover.ActionHandOver && (o.To != h.web.Name || o.Problem != "") {
						t.Errorf("%s: bulk's plan shows %+v", member, o)
					}
				}
			}
			h.apply(&h.web, web, h.webValues)
			h.apply(&h.bulk, bulk, h.bulkValues)
			if diff := cmp.Diff(before, h.uids()); diff != "" {
				t.Errorf("objects were recreated: %s", diff)
			}
			h.complete()
		})
	}
}

// TestHandOverToOtherClusters checks that, as its plan shows, a taker takes over an object on the clusters that both placements pick, creates it on the other
// clusters that it picks, and deletes it on clusters that only the giver picks.
func TestHandOverToOtherClusters(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	h := newHandOver(t, &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"member-1", "member-2"}},
		&placement.Policy{PlacementType: placement.PickN, NumberOfClusters: new(int32(2)), Affinity: &placement.Affinity{ClusterAffinity: preferringLabel(2, "", "").Affinity.ClusterAffinity}})
	h.web.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"member-2", "member-3"}}
	web, bulk := h.plan()
	for member, want := range map[string]takeover.Action{
		h.Members[0]: takeover.ActionPrune, h.Members[1]: takeover.ActionTakeOverFrom, h.Members[2]: takeover.ActionCreate,
	} {
		if o := object(t, web, member, "ConfigMap", "b"); o.Action != want {
			t.Errorf("%s: web's plan shows %+v", member, o)
		}
	}
	for _, member := range h.Members[:2] {
		if o := object(t, bulk, member, "ConfigMap", "b"); o.Action != takeover.ActionHandOver || o.To != h.web.Name {
			t.Errorf("%s: bulk's plan shows %+v", member, o)
		}
	}
	h.apply(&h.web, web, h.webValues)
	h.apply(&h.bulk, bulk, h.bulkValues)
	if web, bulk := h.plan(); web.Pending() || bulk.Pending() {
		t.Errorf("there is something left to do: %+v, %+v", web.Clusters, bulk.Clusters)
	}
	gone(t, h.World, "v1 ConfigMap $ns/b", h.Members[0])
	h.destroy(&h.bulk)
	wantPresent(t, h.World, "v1 ConfigMap $ns/b", h.Members[1], h.Members[2])
	h.destroy(&h.web)
}

// TestHandOverIsSafe checks that a hand-over changes no object, even for a moment, that the plans do not show as changed, for random policies and modes of
// both placements.
func TestHandOverIsSafe(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	for seed := range 12 {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(uint64(seed), 1))
			h := &handOver{World: onHost(t), t: t, bulkValues: map[string]string{}, webValues: map[string]string{}}
			all := map[string]string{}
			for _, i := range r.Perm(len(names)) {
				switch name, value := names[i], []string{"1", "2"}[r.IntN(2)]; {
				case len(h.webValues) == 0, len(h.bulkValues) > 0 && r.IntN(2) == 0:
					h.webValues[name] = value
				default:
					h.bulkValues[name] = value
				}
				all[names[i]] = "1"
			}
			putForeign(h.World, r)
			policy, strategy := randomPolicy(r, h.Members), randomStrategy(r)
			t.Logf("bulk: %v, %s, %+v", h.bulkValues, enginetest.DescribePolicy(policy), strategy.ApplyStrategy.WhenToTakeOver)
			h.bulk = requestOf(h.World, all, policy, strategy)
			h.bulk.Name += "-bulk"
			h.bulk = next(t, h.World, h.bulk, all)
			h.bulk.Manifests = requestOf(h.World, h.bulkValues, nil, strategy).Manifests
			if r.IntN(2) == 0 { // otherwise both have the same policy
				policy, strategy = randomPolicy(r, h.Members), randomStrategy(r)
			}
			t.Logf("web: %v, %s, %+v", h.webValues, enginetest.DescribePolicy(policy), strategy.ApplyStrategy.WhenToTakeOver)
			h.web = requestOf(h.World, h.webValues, policy, strategy)
			h.web.Name += "-web"
			h.web.TakesOverFrom = []engine.Giver{{Name: h.bulk.Name}}
			h.run()
			if web, bulk := h.plan(); web.Pending() || bulk.Pending() {
				t.Errorf("there is something left to do: %+v, %+v", web.Clusters, bulk.Clusters)
			}
			h.destroy(&h.bulk)
			h.destroy(&h.web)
		})
	}
}

// TestHandOverKeepsPicks checks that an object remains on its cluster if both placements have the same PickN policy, even if other clusters now have higher
// scores.
func TestHandOverKeepsPicks(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	policy := &placement.Policy{PlacementType: placement.PickN, NumberOfClusters: new(int32(1))}
	w := onHost(t)
	h := &handOver{World: w, t: t, bulkValues: map[string]string{"a": "1"}, webValues: map[string]string{"b": "2", "c": "1"}}
	h.bulk = requestOf(w, map[string]string{"a": "1", "b": "1"}, policy, modeOf(placement.TakeOverNever))
	h.bulk.Name += "-bulk"
	h.bulk = h.bulk.After(applied(t, w, h.bulk).Status)
	h.bulk.Manifests = requestOf(w, h.bulkValues, nil, placement.Strategy{}).Manifests
	w.Edit(w.Env.Hub, v1alpha1.GroupVersion.String()+" FederatedObject $ns/"+convert.FederatedName("b", "configmaps"),
		"{spec: {placements: [{controller: "+v1alpha1.GlobalScheduler+", placement: [{cluster: member-3}]}]}}")
	const moved = "v1 ConfigMap $ns/b"
	w.Eventually("b is on member-3 alone", func() bool { return w.Find(w.Members[0], moved) == nil && w.Find(w.Members[2], moved) != nil })
	uid := w.Must(w.Members[2], moved).GetUID()
	h.web = requestOf(w, h.webValues, policy, modeOf(placement.TakeOverNever))
	h.web.Name += "-web"
	h.web.TakesOverFrom = []engine.Giver{{Name: h.bulk.Name}}
	h.run()
	if now := w.Must(w.Members[2], moved); now.GetUID() != uid || w.Find(w.Members[0], moved) != nil {
		t.Errorf("it is another object, or on another cluster: %v", now)
	}
	wantPresent(t, w, "v1 ConfigMap $ns/c", w.Members[0])
	if web, bulk := h.plan(); web.Pending() || bulk.Pending() {
		t.Errorf("there is something left to do: %+v, %+v", web.Clusters, bulk.Clusters)
	}
	h.destroy(&h.bulk)
	h.destroy(&h.web)
}
