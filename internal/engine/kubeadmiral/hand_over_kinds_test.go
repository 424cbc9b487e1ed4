package kubeadmiral_test

import (
	"context"
	"net/http"
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

// handedNamespace is the Namespace that bulk hands over to web. settingsOfBulk is an object that bulk keeps.
const (
	handedNamespace = "v1 Namespace $ns-app"
	settingsOfBulk  = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: $ns}, data: {value: '1'}}"
)

// newNamespaceHandOver applies bulk, which has a Namespace and its settings. It returns the requests for bulk, which is applied, and for web, which takes the
// Namespace over. removed reports that no resource manages bulk any more.
func newNamespaceHandOver(t *testing.T, removed bool) *handOver {
	t.Helper()
	w := onHost(t)
	h := &handOver{World: w, t: t, webValues: map[string]string{}}
	namespace := "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-app}}"
	h.bulk = w.Placing("$ns-bulk", namespace, settingsOfBulk)
	h.bulk.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: w.Members[:1]}
	h.bulk = h.bulk.After(applied(t, w, h.bulk).Status)
	w.Eventually("the Namespace is on every member", func() bool {
		return !slices.ContainsFunc(w.Members, func(member string) bool { return w.Find(member, handedNamespace) == nil })
	})
	h.web = w.Placing("$ns-web", namespace)
	h.web.Spec.Policy, h.web.TakesOverFrom = h.bulk.Spec.Policy, []engine.Giver{{Name: h.bulk.Name, Removed: removed}}
	return h
}

// TestHandOverOfNamespace checks that a Namespace remains during its hand-over and after the destroy of one of the placements, regardless of which is destroyed
// first. The destroy of the other one deletes it. A Namespace has no policy label.
func TestHandOverOfNamespace(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	const early = "the giver is destroyed before the taker is applied"
	for name, reversed := range map[string]bool{"the giver is destroyed first": false, "the taker is destroyed first": true, early: false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newNamespaceHandOver(t, false)
			w := h.World
			h.bulkValues = map[string]string{"a": "1"}
			h.bulk.Manifests = w.Manifests(settingsOfBulk)
			uid := w.Must(w.Members[0], handedNamespace).GetUID()
			web, bulk := h.plan()
			for _, member := range w.Members {
				if o := object(t, web, member, "Namespace", w.Name+"-app"); o.Action != takeover.ActionTakeOverFrom || !o.Given.Created {
					t.Errorf("web's plan shows %+v on %s", o, member)
				}
				if o := object(t, bulk, member, "Namespace", w.Name+"-app"); o.Action != takeover.ActionHandOver || o.To != h.web.Name {
					t.Errorf("bulk's plan shows %+v on %s", o, member)
				}
			}
			if _, err := h.bulk.Apply(w.Context(), w.Engine()); err == nil || !strings.Contains(err.Error(), "has not taken over 1 of them yet") {
				t.Errorf("%v", err)
			}
			if name == early {
				h.bulk.Takers, h.bulk.Expected = engine.Takers{engine.NewTaker(h.web.Name, h.web.TakesOverFrom[0], web)}, nil
				h.bulk.ExpectedRemoval = h.digest(previewedRemoval(t, w, h.bulk))
				h.Delete(h.bulk)
				h.apply(&h.web, web, h.webValues)
				gone(t, w, v1alpha1.GroupVersion.String()+" ClusterPropagationPolicy "+h.bulk.Name, w.Env.Hub)
				if live := w.Find(w.Members[0], handedNamespace); live == nil || live.GetUID() != uid || live.GetDeletionTimestamp() != nil {
					t.Errorf("the Namespace was deleted: %+v", live)
				}
				h.destroy(&h.web)
				gone(t, w, handedNamespace, everywhere(w)...)
				return
			}
			h.apply(&h.web, web, h.webValues)
			order := []*enginetest.Request{&h.bulk, &h.web}
			if reversed {
				order = []*enginetest.Request{&h.web, &h.bulk}
			} else {
				h.apply(&h.bulk, bulk, h.bulkValues)
			}
			h.destroy(order[0])
			if live := w.Find(w.Members[0], handedNamespace); live == nil || live.GetUID() != uid || live.GetDeletionTimestamp() != nil {
				t.Errorf("the Namespace was deleted: %+v", live)
			}
			h.destroy(order[1])
			gone(t, w, handedNamespace, everywhere(w)...)
		})
	}
}

// namespaced returns a placement that selects ConfigMaps or Deployments in the namespace on the host.
func namespaced(w *enginetest.World, name, group, kind string, objects ...string) engine.Placement {
	out := engine.Placement{Reference: engine.Reference{Namespace: w.Name, Name: name}}
	out.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: w.Members}
	for _, object := range objects {
		out.Spec.ResourceSelectors = append(out.Spec.ResourceSelectors, placement.ResourceSelector{Group: group, Version: "v1", Kind: kind, Name: object})
	}
	return out
}

// TestHandOverOfSelectedObjects checks the hand-over of objects that both placements select on the host: the provider writes only labels and annotations
// to them, and a destroy of the taker keeps them on the host.
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
			t.Fatalf("%+v %v; errors of the control plane: %v", result, err, lastError())
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
		wantPresent(t, w, "v1 ConfigMap $ns/b", everywhere(w)...)
		if _, err := w.Engine().DeletePlacement(w.Context(), p, engine.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	gone(t, w, "v1 ConfigMap $ns/b", w.Members...)
	wantPresent(t, w, "v1 ConfigMap $ns/b", w.Env.Hub)
}

// TestHandOverFromRemoved checks that the policy of a removed giver remains on the host while the giver still has objects, and that the plan names the objects.
// The apply that takes over the last object deletes the policy.
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
	wantPresent(t, h.World, policy, h.Env.Hub)
	wantPresent(t, h.World, "v1 ConfigMap $ns/a", h.Members...)
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
	undo := h.Inject(clusters.Fault{Context: h.Env.Hub, Match: func(r clusters.Request) bool {
		return r.Method == http.MethodDelete && strings.HasSuffix(r.Path, h.bulk.Name)
	}, LoseResponse: true, Times: 1})
	h.web = h.web.After(applied(t, h.World, h.web).Status)
	h.web.Expected = nil
	undo()
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

// TestHandOverOfFollowed checks that a plan returns an error if objects follow a workload because of an external policy, and would be deleted when the
// workload changes its policy.
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
	w.Contains(err.Error(), w.Expand("ConfigMap $ns/settings: it follows Deployment $ns/it to the members"), "Add the follower to this placement")
}
