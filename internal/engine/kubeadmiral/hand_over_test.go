package kubeadmiral_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// handOver is a placement "bulk" that loses objects, and a placement "web" that takes some of them over.
type handOver struct {
	*enginetest.World
	t         *testing.T
	bulk, web enginetest.Request
	// bulkValues and webValues are the values of the ConfigMaps of each.
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
	h.web.ID = "the ID of web" // the plan of a new placement
	return h
}

// plan plans as one run does: the taker, then the giver, whose changes are bound to that.
func (h *handOver) plan() (web, bulk *engine.Preview) {
	h.t.Helper()
	h.web.Expected, h.bulk.Expected, h.bulk.Takers = nil, nil, nil
	web = previewed(h.t, h.World, h.web)
	h.bulk.Takers = engine.Takers{engine.NewTaker(h.web.Name, h.web.TakesOverFrom[0], web)}
	bulk = previewed(h.t, h.World, h.bulk)
	h.web.Expected, h.bulk.Expected = h.digest(web), h.digest(bulk)
	return web, bulk
}

// digest is what an apply is held to, as a plan file has it.
func (h *handOver) digest(preview *engine.Preview) *engine.Expectation {
	h.t.Helper()
	out, err := engine.ParseExpectation(engine.Expect(preview).String())
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

// apply applies a request under watch: no object may change that the preview does not show so, not even for a moment.
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

// uids are those of the ConfigMaps that are to survive, by member and name.
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

// complete fails the test unless the hand-over is complete, and nothing is left to do. Then it destroys both, bulk first.
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
		stands(h.t, h.World, "v1 ConfigMap $ns/"+name, h.Env.Hub, h.Members[0])
	}
	gone(h.t, h.World, "v1 ConfigMap $ns/a", everywhere(h.World)...)
	h.destroy(&h.web)
	gone(h.t, h.World, "v1 ConfigMap $ns/b", everywhere(h.World)...)
	stands(h.t, h.World, "v1 ConfigMap $ns/c", h.Members[0])
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

// handOverPolicies are policies of every type that place on the same members.
func handOverPolicies() map[string]*placement.Policy {
	return map[string]*placement.Policy{
		"PickAll":        nil,
		"PickFixed":      {PlacementType: placement.PickFixed, ClusterNames: []string{"member-1", "member-2"}},
		"PickN":          {PlacementType: placement.PickN, NumberOfClusters: new(int32(3))},
		"PickN by label": preferringLabel(3, "environment", "staging"),
	}
}

// An object that leaves one placement and belongs to another one changes its policy. Both plans show it, whatever when_to_take_over is, and no object is deleted or
// recreated, not even for a moment.
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

// A taker that picks other clusters gets the object on all clusters: it creates the object where it picks, and deletes it where it does not, as its plan says.
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
	stands(t, h.World, "v1 ConfigMap $ns/b", h.Members[1], h.Members[2])
	h.destroy(&h.web)
}

// killedAfter applies a request, and kills the apply after one of its writes. It returns how many writes there were.
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

// An apply that is killed after any write, of the taker or of the giver, has deleted nothing that is handed over. The next run completes the hand-over.
func TestHandOverKilledAfterEveryWrite(t *testing.T) {
	t.Parallel()
	last := map[string]int{"web": 11, "bulk": 3}
	for policyName, policies := range map[string][2]*placement.Policy{
		"the same policy":   {{PlacementType: placement.PickN, NumberOfClusters: new(int32(3))}, {PlacementType: placement.PickN, NumberOfClusters: new(int32(3))}},
		"a sticky policy":   {nil, {PlacementType: placement.PickN, NumberOfClusters: new(int32(3))}},
		"an existing taker": {nil, nil},
	} {
		for side, writes := range last {
			for write := 1; write <= writes; write++ {
				if testing.Short() && (write != 2 || policyName != "a sticky policy") {
					continue
				}
				t.Run(fmt.Sprintf("%s, %s, write %d", policyName, side, write), func(t *testing.T) {
					t.Parallel()
					h := newHandOver(t, policies[0], policies[1])
					if policies[1] == nil {
						h.existing()
					}
					before := h.uids()
					web, bulk := h.plan()
					if side == "web" {
						h.killedAfter(write, h.web, web, h.webValues)
						h.resume()
					} else {
						h.apply(&h.web, web, h.webValues)
						h.killedAfter(write, h.bulk, bulk, h.bulkValues)
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

// existing makes web a placement that exists, of other objects and by another policy.
func (h *handOver) existing() {
	h.t.Helper()
	first := requestOf(h.World, map[string]string{"e": "1"}, &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: h.Members[:1]}, modeOf(placement.TakeOverNever))
	first.Name = h.web.Name
	result := applied(h.t, h.World, first)
	h.web.ID = ""
	h.web = h.web.After(result.Status)
}

// resume refreshes the state of web after an apply that did not return, as far as there is a policy.
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

// A giver whose taker has not run deletes nothing that its plan hands over, neither with an apply nor with a destroy.
func TestHandOverOfWhatIsNotTaken(t *testing.T) {
	t.Parallel()
	h := newHandOver(t, nil, nil)
	before := h.uids()
	h.plan()
	notTaken := func(err error) {
		t.Helper()
		if found, is := errors.AsType[*predict.NotTakenError](err); !is || found.Taker != h.web.Name || len(found.Objects) != 2 {
			t.Errorf("%v", err)
		} else {
			h.Says(err.Error(), "Nothing was written", "ConfigMap", "Apply again")
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
	_, err = removal.Delete(h.Context(), h.Engine())
	notTaken(err)
	if diff := cmp.Diff(before, h.uids()); diff != "" {
		t.Error(diff)
	}
	h.run()
	h.complete()
}

// Without takes_over_from, or for another giver, an object of another placement is left to it.
func TestHandOverIsAgreed(t *testing.T) {
	t.Parallel()
	h := newHandOver(t, nil, nil)
	h.web.TakesOverFrom = []engine.Giver{{Name: "other"}}
	preview := previewed(t, h.World, h.web)
	if o := object(t, preview, h.Members[1], "ConfigMap", "b"); o.Action != takeover.ActionLeaveAlone || o.Owner.Name != h.bulk.Name {
		t.Errorf("%+v", o)
	}
	if got := strings.Join(preview.MissingGivers, " "); got != "other" {
		t.Errorf("%q is missing", got)
	}
	// A plan that does not show the hand-over binds the apply.
	agreed := h.digest(preview)
	h.web.TakesOverFrom = []engine.Giver{{Name: h.bulk.Name}}
	h.web.Expected = agreed
	if _, err := h.web.Apply(h.Context(), h.Engine()); err == nil || !strings.Contains(err.Error(), "Nothing was written") {
		t.Errorf("%v", err)
	}
}

// A Namespace has no label of a policy. While it is handed over, neither placement deletes it, whichever is destroyed first; then its new owner does.
func TestHandOverOfNamespace(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	for name, reversed := range map[string]bool{"the giver is destroyed first": false, "the taker is destroyed first": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := onHost(t)
			h := &handOver{World: w, t: t, bulkValues: map[string]string{"a": "1"}, webValues: map[string]string{}}
			const placed = "v1 Namespace $ns-app"
			namespace := "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-app}}"
			settings := "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: $ns}, data: {value: '1'}}"
			h.bulk = w.Placing("$ns-bulk", namespace, settings)
			h.bulk.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: w.Members[:1]}
			h.bulk = h.bulk.After(applied(t, w, h.bulk).Status)
			w.Eventually("the Namespace is on every member", func() bool {
				return !slices.ContainsFunc(w.Members, func(member string) bool { return w.Find(member, placed) == nil })
			})
			uid := w.Must(w.Members[0], placed).GetUID()
			h.bulk.Manifests = w.Manifests(settings)
			h.web = w.Placing("$ns-web", namespace)
			h.web.Spec.Policy, h.web.TakesOverFrom = h.bulk.Spec.Policy, []engine.Giver{{Name: h.bulk.Name}}
			web, bulk := h.plan()
			for _, member := range w.Members {
				if o := object(t, web, member, "Namespace", w.Name+"-app"); o.Action != takeover.ActionTakeOverFrom || !o.Given.Created {
					t.Errorf("web's plan shows %+v on %s", o, member)
				}
				if o := object(t, bulk, member, "Namespace", w.Name+"-app"); o.Action != takeover.ActionHandOver || o.To != h.web.Name {
					t.Errorf("bulk's plan shows %+v on %s", o, member)
				}
			}
			if _, err := h.bulk.Apply(w.Context(), w.Engine()); err == nil || !strings.Contains(err.Error(), "has not taken them over") {
				t.Errorf("%v", err)
			}
			h.apply(&h.web, web, h.webValues)
			order := []*enginetest.Request{&h.bulk, &h.web}
			if reversed {
				order = []*enginetest.Request{&h.web, &h.bulk}
			} else {
				h.apply(&h.bulk, bulk, h.bulkValues)
			}
			h.destroy(order[0])
			if live := w.Find(w.Members[0], placed); live == nil || live.GetUID() != uid || live.GetDeletionTimestamp() != nil {
				t.Errorf("the Namespace was deleted: %+v", live)
			}
			h.destroy(order[1])
			gone(t, w, placed, everywhere(w)...)
		})
	}
}

// namespaced is a placement of ConfigMaps or Deployments that it selects in the namespace on the host.
func namespaced(w *enginetest.World, name, group, kind string, objects ...string) engine.Placement {
	out := engine.Placement{Reference: engine.Reference{Namespace: w.Name, Name: name}}
	out.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: w.Members}
	for _, object := range objects {
		out.Spec.ResourceSelectors = append(out.Spec.ResourceSelectors, placement.ResourceSelector{Group: group, Version: "v1", Kind: kind, Name: object})
	}
	return out
}

// Objects that both placements select on the host are handed over as well: the provider writes their keys alone. A destroy of the taker leaves them on the host.
func TestHandOverOfSelectedObjects(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := onHost(t)
	h := &handOver{World: w, t: t}
	for _, name := range []string{"a", "b"} {
		w.Put(w.Env.Hub, "{apiVersion: v1, kind: ConfigMap, metadata: {name: "+name+", namespace: $ns}, data: {value: '1'}}")
	}
	apply := func(p *engine.Placement, preview *engine.Preview, options engine.ApplyOptions) {
		t.Helper()
		again := w.Another()
		watched := watch(again, preview, map[string]string{"a": "1", "b": "1"})
		options.Expected = engine.Expect(preview)
		result, err := again.Engine().ApplyPlacement(w.Context(), *p, options)
		if err != nil || result.TimedOut {
			t.Fatalf("%+v %v; the control plane's trouble: %v", result, err, trouble())
		}
		watched.Ends()
		p.Prior = &result.Status
	}
	plan := func(p engine.Placement, takers engine.Takers) *engine.Preview {
		t.Helper()
		preview, err := w.Engine().Preview(w.Context(), p, engine.PreviewOptions{Takers: takers})
		if err != nil {
			t.Fatal(err)
		}
		return preview
	}
	bulk, web := namespaced(w, "bulk", "", "ConfigMap", "a", "b"), namespaced(w, "web", "", "ConfigMap", "b")
	apply(&bulk, plan(bulk, nil), engine.ApplyOptions{Create: true})
	bulk.Spec.ResourceSelectors = bulk.Spec.ResourceSelectors[:1]
	web.TakesOverFrom = []engine.Giver{{Name: w.Name + "/bulk"}}
	before := h.uids()
	ofWeb := plan(web, nil)
	ofBulk := plan(bulk, engine.Takers{engine.NewTaker(w.Name+"/web", web.TakesOverFrom[0], ofWeb)})
	if o := object(t, ofBulk, w.Members[0], "ConfigMap", "b"); o.Action != takeover.ActionHandOver || o.To != w.Name+"/web" {
		t.Errorf("bulk's plan shows %+v", o)
	}
	apply(&web, ofWeb, engine.ApplyOptions{Create: true})
	apply(&bulk, ofBulk, engine.ApplyOptions{})
	if diff := cmp.Diff(before, h.uids()); diff != "" {
		t.Errorf("objects were recreated: %s", diff)
	}
	for _, p := range []engine.Placement{web, bulk} {
		if preview := plan(p, nil); preview.Pending() {
			t.Errorf("%s: there is something left to do: %+v", p.Name, preview.Clusters)
		}
	}
	for _, p := range []engine.Placement{bulk, web} {
		stands(t, w, "v1 ConfigMap $ns/b", everywhere(w)...)
		if _, err := w.Engine().DeletePlacement(w.Context(), p, engine.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	gone(t, w, "v1 ConfigMap $ns/b", w.Members...)
	stands(t, w, "v1 ConfigMap $ns/b", w.Env.Hub)
}

// An object of a giver that others have changed on the host since it was read, by giving it to a third placement or by recreating it, is not taken over.
func TestHandOverOfWhatHasChanged(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	for name, change := range map[string]func(h *handOver){
		"another policy": func(h *handOver) {
			h.Edit(h.Env.Hub, "v1 ConfigMap $ns/b", "{metadata: {labels: {"+v1alpha1.ClusterPolicyLabel+": other}}}")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHandOver(t, nil, nil)
			h.plan()
			again := h.Another()
			changed := false
			again.Inject(clusters.Fault{Context: h.Env.Hub, Match: clusters.Writes, Hook: func(r clusters.Request) {
				if !changed && strings.Contains(r.Path, "/clusterpropagationpolicies") {
					changed = true
					change(h)
				}
			}})
			_, err := h.web.Apply(h.Context(), again.Engine())
			if err == nil || !strings.Contains(err.Error(), `belongs to the policy "other" by now`) {
				t.Errorf("%v", err)
			}
			if label := h.Must(h.Env.Hub, "v1 ConfigMap $ns/b").GetLabels()[v1alpha1.ClusterPolicyLabel]; label != "other" {
				t.Errorf("the policy %q has it", label)
			}
		})
	}
}

// A policy of a removed giver that still has objects stays on the host, and the plan names them.
func TestHandOverFromRemoved(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	h := newHandOver(t, nil, nil)
	h.web.TakesOverFrom[0].Removed = true
	web := previewed(t, h.World, h.web)
	remaining := map[string]bool{}
	for _, r := range web.Remaining {
		remaining[r.Name+" of "+r.From+" on "+r.Cluster] = true
	}
	if !remaining["a of "+h.bulk.Name+" on member-2"] || !remaining["d of "+h.bulk.Name+" on member-1"] || len(remaining) != 6 {
		t.Errorf("%v", remaining)
	}
	h.web.Expected = h.digest(web)
	h.apply(&h.web, web, h.webValues)
	policy := v1alpha1.GroupVersion.String() + " ClusterPropagationPolicy " + h.bulk.Name
	stands(t, h.World, policy, h.Env.Hub)
	stands(t, h.World, "v1 ConfigMap $ns/a", h.Members...)
	h.webValues["a"], h.webValues["d"] = "1", "1"
	h.web.Manifests = requestOf(h.World, h.webValues, nil, placement.Strategy{}).Manifests
	before := h.uids()
	web = previewed(t, h.World, h.web)
	h.web.Expected = h.digest(web)
	again := h.Another()
	ctx, kill := context.WithCancel(h.Context())
	defer kill()
	again.Inject(clusters.Fault{Context: h.Env.Hub, Match: func(r clusters.Request) bool {
		return r.Method == http.MethodDelete && strings.HasSuffix(r.Path, h.bulk.Name)
	}, Hook: func(clusters.Request) { kill() }, Refuse: true})
	_, err := h.web.Apply(ctx, again.Engine())
	if err == nil {
		t.Error("the policy was deleted nevertheless")
	}
	h.web.Expected = nil
	if web = previewed(t, h.World, h.web); !web.Pending() {
		t.Error("the plan after the interruption is empty")
	}
	h.web.Expected = h.digest(web)
	h.apply(&h.web, web, h.webValues)
	gone(t, h.World, policy, h.Env.Hub)
	if diff := cmp.Diff(before, h.uids()); diff != "" {
		t.Errorf("objects were recreated: %s", diff)
	}
	if web := previewed(t, h.World, h.web); web.Pending() {
		t.Errorf("there is something left to do: %+v", web.Clusters)
	}
	h.destroy(&h.web)
	gone(t, h.World, "v1 ConfigMap $ns/a", everywhere(h.World)...)
}

// What follows a workload because of a policy that others have created would be deleted when the workload changes its policy: the plan is an error.
func TestHandOverOfFollowed(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := onHost(t)
	w.Put(w.Env.Hub, "{apiVersion: core.kubeadmiral.io/v1alpha1, kind: PropagationPolicy, metadata: {name: bulk, namespace: $ns}, spec: {schedulingMode: Duplicate, "+
		"placement: [{cluster: member-1}]}}")
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $ns}, data: {value: '1'}}")
	w.Put(w.Env.Hub, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: it, namespace: $ns, labels: {kubeadmiral.io/propagation-policy-name: bulk}}, "+
		"spec: {selector: {matchLabels: {app: it}}, template: {metadata: {labels: {app: it}}, spec: {containers: [{name: it, image: nginx, envFrom: [{configMapRef: {name: settings}}]}]}}}}")
	w.Eventually("the ConfigMap follows", func() bool { return w.Find(w.Members[0], "v1 ConfigMap $ns/settings") != nil })
	web := namespaced(w, "web", "apps", "Deployment", "it")
	web.TakesOverFrom = []engine.Giver{{Name: w.Name + "/bulk"}}
	_, err := w.Engine().Preview(w.Context(), web, engine.PreviewOptions{})
	if err == nil {
		t.Fatal("it was planned")
	}
	w.Says(err.Error(), w.Expand("ConfigMap $ns/settings: it follows Deployment $ns/it to the members"), "Place it with this placement")
}

// Whatever the policies and modes of both placements are, a hand-over changes no object that the plans do not show as changed, not even for a moment.
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

// If both placements have the same policy of type PickN, an object stays on the cluster that was picked when it was created, whatever the scores are now.
func TestHandOverKeepsPicks(t *testing.T) {
	t.Parallel()
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
	stands(t, w, "v1 ConfigMap $ns/c", w.Members[0])
	if web, bulk := h.plan(); web.Pending() || bulk.Pending() {
		t.Errorf("there is something left to do: %+v, %+v", web.Clusters, bulk.Clusters)
	}
	h.destroy(&h.bulk)
	h.destroy(&h.web)
}
