package kubeadmiral_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/dispatch"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

const (
	aNamespace  = "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-in}}"
	own         = "{apiVersion: v1, kind: ConfigMap, metadata: {name: own, namespace: $ns-in}}"
	theirs      = "{apiVersion: v1, kind: ConfigMap, metadata: {name: theirs, namespace: $ns-in}, data: {a: theirs}}"
	kept        = "{apiVersion: v1, kind: ConfigMap, metadata: {name: kept, namespace: $ns}}"
	inNamespace = "v1 Namespace $ns-in"
	ownIn       = "v1 ConfigMap $ns-in/own"
	theirsIn    = "v1 ConfigMap $ns-in/theirs"
)

// dropped applies a placement of a Namespace, an object in it and another object, and then changes its manifests so that only the other object remains.
func dropped(t *testing.T, w *enginetest.World) enginetest.Request {
	t.Helper()
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	request := w.Placing("$ns", own, aNamespace, kept)
	again := request.After(applied(t, w, request).Status)
	return again.With(w.Manifests(kept))
}

func previewed(t *testing.T, w *enginetest.World, request enginetest.Request) *engine.Preview {
	t.Helper()
	preview, err := request.Preview(w.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	return preview
}

func previewedRemoval(t *testing.T, w *enginetest.World, request enginetest.Request) *engine.Preview {
	t.Helper()
	preview, err := request.PreviewDelete(w.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	return preview
}

// object returns the preview of an object on a cluster.
func object(t *testing.T, preview *engine.Preview, cluster, kind, name string) engine.ObjectPreview {
	t.Helper()
	for _, c := range preview.Clusters {
		at := slices.IndexFunc(c.Objects, func(o engine.ObjectPreview) bool { return o.Kind == kind && o.Name == name })
		if c.Name == cluster && at >= 0 {
			return c.Objects[at]
		}
	}
	t.Errorf("nothing is predicted for %s %s on %s: %+v", kind, name, cluster, preview.Clusters)
	return engine.ObjectPreview{}
}

// heldBack fails the test unless the preview keeps the Namespace on the clusters, with a reason that contains a text.
func heldBack(t *testing.T, w *enginetest.World, preview *engine.Preview, why string, on ...string) {
	t.Helper()
	for _, cluster := range on {
		o := object(t, preview, cluster, "Namespace", w.Expand("$ns-in"))
		if o.Action != takeover.ActionOrphan || o.Obstacle != takeover.ObstacleContents || !strings.Contains(o.Problem, w.Expand(why)) {
			t.Errorf("%s: %s, %s, %q, want %q", cluster, o.Action, o.Obstacle, o.Problem, w.Expand(why))
		}
	}
}

// wantUnchecked fails the test unless the preview says that the Namespace could not be checked on the clusters, with a reason that contains a text.
func wantUnchecked(t *testing.T, w *enginetest.World, preview *engine.Preview, why string, on ...string) {
	t.Helper()
	for _, cluster := range on {
		o := object(t, preview, cluster, "Namespace", w.Expand("$ns-in"))
		if o.Action != takeover.ActionUnknown || o.Obstacle != takeover.ObstacleNotReadable || !strings.Contains(o.Problem, why) {
			t.Errorf("%s: %s, %s, %q, want %q", cluster, o.Action, o.Obstacle, o.Problem, why)
		}
	}
}

// wantDeleted fails the test unless the preview deletes the Namespace on the clusters, with nothing in it.
func wantDeleted(t *testing.T, w *enginetest.World, preview *engine.Preview, on ...string) {
	t.Helper()
	for _, cluster := range on {
		o := object(t, preview, cluster, "Namespace", w.Expand("$ns-in"))
		if o.Action != takeover.ActionPrune || o.Contents == nil || !o.Contents.Empty() {
			t.Errorf("%s: %s, %s, %q, %+v", cluster, o.Action, o.Obstacle, o.Problem, o.Contents)
		}
	}
}

// wantPresent fails the test unless the object exists on the clusters and is not being deleted. gone fails the test if the object exists on one of them.
func wantPresent(t *testing.T, w *enginetest.World, object string, on ...string) {
	t.Helper()
	for _, cluster := range on {
		if live := w.Find(cluster, object); live == nil || live.GetDeletionTimestamp() != nil {
			t.Errorf("%s was removed from %s", w.Expand(object), cluster)
		}
	}
}

func gone(t *testing.T, w *enginetest.World, object string, on ...string) {
	t.Helper()
	for _, cluster := range on {
		if w.Find(cluster, object) != nil {
			t.Errorf("%s is still on %s", w.Expand(object), cluster)
		}
	}
}

// everywhere returns the contexts of the host and all members.
func everywhere(w *enginetest.World) []string { return append([]string{w.Env.Hub}, w.Fleet.Members...) }

// phases returns the phases of the clusters in a status, by name.
func phases(status *placement.Status) map[string]placement.Phase {
	out := map[string]placement.Phase{}
	for name, c := range status.Clusters {
		out[name] = c.Phase()
	}
	return out
}

// TestNamespaceAlone checks that the plan after an apply is empty if a placement has only a Namespace. The host places the Namespace on every member,
// regardless of the policy.
func TestNamespaceAlone(t *testing.T) {
	t.Parallel()
	for name, policy := range map[string]*placement.Policy{
		"PickAll": nil, "PickFixed": {PlacementType: placement.PickFixed, ClusterNames: []string{"member-2"}},
		"PickN": {PlacementType: placement.PickN, NumberOfClusters: new(int32(2))},
	} {
		t.Run(name, func(t *testing.T) {
			if name != "PickAll" && testing.Short() {
				t.Skip("make test-all runs it")
			}
			t.Parallel()
			w := fleet.World(t, 3)
			request := w.Placing("$ns", aNamespace)
			request.Spec.Policy = policy
			if preview := previewed(t, w, request); !preview.Pending() {
				t.Error("the first plan is empty")
			}
			request = request.After(applied(t, w, request).Status)
			for _, member := range w.Members {
				w.Eventually("the Namespace is on "+member, func() bool { return w.Find(member, inNamespace) != nil })
			}
			if preview := previewed(t, w, request); preview.Pending() {
				t.Errorf("a second apply would do something: %+v", preview.Clusters)
			}
			read, err := request.Read(w.Context(), w.Engine())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(phases(request.Prior), phases(&read.Status)); diff != "" || read.Status.Nowhere(request.Spec.Policy) {
				t.Errorf("the status changes with a refresh: %s", diff)
			}
			request.Prior = &read.Status
			w.Reset()
			result := applied(t, w, request)
			for _, r := range w.Writes() {
				if !r.DryRun {
					t.Errorf("a second apply writes %s", r)
				}
			}

			more := request.After(result.Status).With(w.Manifests(aNamespace, own))
			if preview := previewed(t, w, more); !preview.Pending() {
				t.Error("the plan of another object is empty")
			}
			more = more.After(applied(t, w, more).Status)
			back := more.With(w.Manifests(aNamespace))
			if preview := previewed(t, w, back); !preview.Pending() {
				t.Error("the plan without the other object is empty")
			}
			back = back.After(applied(t, w, back).Status)
			gone(t, w, ownIn, everywhere(w)...)
			if preview := previewed(t, w, back); preview.Pending() {
				t.Errorf("an apply after that would do something: %+v", preview.Clusters)
			}
			w.Delete(back)
			gone(t, w, inNamespace, everywhere(w)...)
		})
	}
}

// TestNamespaceDropped checks that a Namespace that leaves the manifests is deleted on every member, after the placement's objects in it, as the plan shows.
func TestNamespaceDropped(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.World(t, 3)
	request := dropped(t, w)
	preview := previewed(t, w, request)
	wantDeleted(t, w, preview, w.Members...)
	if !preview.Pending() {
		t.Error("there is nothing to do")
	}
	request.Expected = engine.Expect(preview)
	result := applied(t, w, request)
	if len(result.Warnings) > 0 {
		t.Errorf("%v", result.Warnings)
	}
	gone(t, w, inNamespace, everywhere(w)...)
	wantPresent(t, w, "v1 ConfigMap $ns/kept", w.Members...)
	again := request.After(result.Status)
	if preview := previewed(t, w, again); preview.Pending() {
		t.Errorf("a second apply would do something: %+v", preview.Clusters)
	}
	w.Delete(again)
}

// A Namespace that leaves the manifests remains while it has other contents on a member or on the host. The plan shows this for every member, the apply
// warns, and later plans show it without changes. The Namespace is deleted when it is empty.
func TestNamespaceHeldBack(t *testing.T) {
	t.Parallel()
	for where, of := range map[string]func(*enginetest.World) string{
		"member": func(w *enginetest.World) string { return w.Members[1] },
		"host":   func(w *enginetest.World) string { return w.Env.Hub },
	} {
		t.Run(where, func(t *testing.T) {
			if where != "member" && testing.Short() {
				t.Skip("make test-all runs it")
			}
			t.Parallel()
			w := fleet.World(t, 3)
			request := dropped(t, w)
			at := of(w)
			w.Put(at, theirs)
			why := "ConfigMap $ns-in/theirs on " + map[bool]string{true: "the host", false: at}[at == w.Env.Hub]
			preview := previewed(t, w, request)
			heldBack(t, w, preview, why, w.Members...)
			result := applied(t, w, request)
			w.Contains(strings.Join(result.Warnings, "\n"), w.Expand("Namespace $ns-in stays"), w.Expand(why))
			wantPresent(t, w, inNamespace, everywhere(w)...)
			wantPresent(t, w, theirsIn, at)
			gone(t, w, ownIn, everywhere(w)...)

			again := request.After(result.Status)
			preview = previewed(t, w, again)
			heldBack(t, w, preview, why, w.Members...)
			if preview.Pending() {
				t.Errorf("a plan has something to do for ever: %+v", preview.Clusters)
			}
			w.Reset()
			result = applied(t, w, again)
			for _, r := range w.Writes() {
				if !r.DryRun {
					t.Errorf("a second apply writes %s", r)
				}
			}
			if len(result.Warnings) != 1 {
				t.Errorf("%v", result.Warnings)
			}

			unagreed := again.After(result.Status)
			unagreed.Expected = engine.Expect(preview)
			w.Remove(at, theirsIn)
			w.AwaitGone(at, theirsIn)
			if _, err := unagreed.Apply(w.Context(), w.Engine()); err == nil || !strings.Contains(err.Error(), "did not show") {
				t.Errorf("what no preview has shown is deleted: %v", err)
			}
			wantPresent(t, w, inNamespace, everywhere(w)...)
			preview = previewed(t, w, again)
			wantDeleted(t, w, preview, w.Members...)
			if !preview.Pending() {
				t.Error("there is nothing to do though it is empty")
			}
			again.Expected = engine.Expect(preview)
			w.Delete(again.After(applied(t, w, again).Status))
			gone(t, w, inNamespace, everywhere(w)...)
		})
	}
}

// TestNamespaceFilledMeanwhile checks that an object blocks the deletion of its Namespace even if it is created after the plan, or while the apply releases
// other objects.
func TestNamespaceFilledMeanwhile(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.World(t, 3)
	request := dropped(t, w)
	preview := previewed(t, w, request)
	wantDeleted(t, w, preview, w.Members...)
	request.Expected = engine.Expect(preview)
	put := false
	defer w.Inject(clusters.Fault{
		Match: func(r clusters.Request) bool {
			return !put && r.Method == "DELETE" && strings.HasSuffix(r.Path, w.Expand("/$ns-in/configmaps/own"))
		},
		Hook: func(clusters.Request) { put = true; w.Put(w.Members[2], theirs) },
	})()
	result := applied(t, w, request)
	w.Contains(strings.Join(result.Warnings, "\n"), w.Expand("Namespace $ns-in stays"), w.Members[2])
	wantPresent(t, w, theirsIn, w.Members[2])
	wantPresent(t, w, inNamespace, everywhere(w)...)
	w.Remove(w.Members[2], theirsIn)
	w.Delete(request.After(result.Status))
	gone(t, w, inNamespace, everywhere(w)...)
}

// TestNamespaceOfWhatStays checks that a Namespace remains as long as the placement has an object in it.
func TestNamespaceOfWhatStays(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.World(t, 3)
	request := dropped(t, w)
	request.Manifests = w.Manifests(kept, own, "{apiVersion: v1, kind: ConfigMap, metadata: {name: more, namespace: $ns-in}}")
	preview := previewed(t, w, request)
	heldBack(t, w, preview, "ConfigMap $ns-in/own and ConfigMap $ns-in/more", w.Members...)
	again := request.After(applied(t, w, request).Status)
	wantPresent(t, w, ownIn, everywhere(w)...)
	if preview := previewed(t, w, again); preview.Pending() {
		t.Errorf("a plan has something to do for ever: %+v", preview.Clusters)
	}
	w.Delete(again)
	gone(t, w, inNamespace, everywhere(w)...)
}

// The contents of a Namespace on a member that cannot be checked are unknown, and the host would delete them. The Namespace therefore remains on all members,
// whether it leaves the manifests or the placement is removed. While a member is unreachable, a removal fails. If the provider has no connection to the
// member, the removal completes with a warning, and the Namespace remains.
func TestNamespaceOnUnseenMember(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	t.Run("without a connection", func(t *testing.T) {
		t.Parallel()
		w := fleet.World(t, 2)
		unseenMember(t, w, func() (undo func()) { return func() {} })
	})
	t.Run("offline", func(t *testing.T) {
		t.Parallel()
		w := fleet.World(t, 3)
		unseenMember(t, w, func() (undo func()) { return w.Inject(clusters.Fault{Context: w.Members[2], Refuse: true}) })
	})
}

func unseenMember(t *testing.T, w *enginetest.World, hide func() (undo func())) {
	t.Helper()
	request := dropped(t, w)
	undo := hide()
	unseen, why := w.Fleet.Members[2], w.Fleet.Members[2]+" could not be checked"
	preview := previewed(t, w, request)
	heldBack(t, w, preview, why, w.Members[:2]...)
	for kind, name := range map[string]string{"Namespace": "$ns-in", "ConfigMap": "own"} {
		if o := object(t, preview, unseen, kind, w.Expand(name)); o.Action != takeover.ActionUnknown || o.Obstacle != takeover.ObstacleNotReadable {
			t.Errorf("%s: %s, %s", kind, o.Action, o.Obstacle)
		}
	}
	result := applied(t, w, request)
	w.Contains(strings.Join(result.Warnings, "\n"), w.Expand("Namespace $ns-in stays"), why)
	wantPresent(t, w, inNamespace, everywhere(w)...)
	again := request.After(result.Status)
	if len(w.Members) == len(w.Fleet.Members) {
		wantUnchecked(t, w, previewedRemoval(t, w, again), why, w.Members[:2]...)
		if _, err := again.Delete(w.Context(), w.Engine()); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("the removal says %v", err)
		}
		wantPresent(t, w, inNamespace, everywhere(w)...)
	} else {
		heldBack(t, w, previewedRemoval(t, w, again), why, w.Members[:2]...)
	}
	undo()
	if preview = previewed(t, w, again); len(w.Members) == len(w.Fleet.Members) {
		wantDeleted(t, w, preview, w.Members...)
		if !preview.Pending() {
			t.Error("there is nothing to do though it is empty")
		}
		again = again.After(applied(t, w, again).Status)
		gone(t, w, inNamespace, everywhere(w)...)
		w.Delete(again)
		return
	}
	w.Contains(strings.Join(w.Delete(again).Warnings, "\n"), w.Expand("Namespace $ns-in stays"), why)
	wantPresent(t, w, inNamespace, everywhere(w)...)
}

// A CustomResourceDefinition is kept in the same way as a Namespace. If it leaves the manifests, it remains placed. If the placement is removed, it remains
// without an owner.
func TestDefinitionHeldBack(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.World(t, 3)
	const gadgets = "apiextensions.k8s.io/v1 CustomResourceDefinition gadgets.$ns.example.com"
	const theirGadget = "$ns.example.com/v1 Gadget theirs"
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	request := w.Placing("$ns", enginetest.GadgetDefinition, kept)
	request = request.After(applied(t, w, request).Status).With(w.Manifests(kept))
	w.AwaitKinds(w.Members[1], "$ns.example.com/v1 Gadget")
	w.Put(w.Members[1], "{apiVersion: $ns.example.com/v1, kind: Gadget, metadata: {name: theirs}}")
	predicted := func(preview *engine.Preview) {
		t.Helper()
		for _, member := range w.Members {
			o := object(t, preview, member, "CustomResourceDefinition", w.Expand("gadgets.$ns.example.com"))
			if o.Action != takeover.ActionOrphan || o.Obstacle != takeover.ObstacleContents || !strings.Contains(o.Problem, w.Members[1]) {
				t.Errorf("%s: %s, %s, %q", member, o.Action, o.Obstacle, o.Problem)
			}
		}
	}
	predicted(previewed(t, w, request))
	result := applied(t, w, request)
	w.Contains(strings.Join(result.Warnings, "\n"), w.Expand("gadgets.$ns.example.com stays"), w.Members[1])
	wantPresent(t, w, gadgets, everywhere(w)...)
	again := request.After(result.Status)
	preview := previewed(t, w, again)
	if predicted(preview); preview.Pending() {
		t.Errorf("a plan has something to do for ever: %+v", preview.Clusters)
	}
	read, err := again.Read(w.Context(), w.Engine())
	if err != nil || len(read.Status.SelectedResources) != 1 {
		t.Errorf("%+v %v", read.Status.SelectedResources, err)
	}
	predicted(previewedRemoval(t, w, again))
	w.Contains(strings.Join(w.Delete(again).Warnings, "\n"), w.Expand("gadgets.$ns.example.com stays"), w.Members[1])
	wantPresent(t, w, gadgets, everywhere(w)...)
	wantPresent(t, w, theirGadget, w.Members[1])
	for _, member := range w.Members {
		if dispatch.Managed(w.Must(member, gadgets)) {
			t.Errorf("%s: it is still the host's", member)
		}
	}
	for key := range w.Must(w.Env.Hub, gadgets).GetLabels() {
		if strings.Contains(key, "policy-name") {
			t.Errorf("the host's has the label %s", key)
		}
	}
}

// A plan lists the objects that leave a cluster that could not be checked, with an unknown action.
func TestLeavingUnseenCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	leaving := strings.Replace(kept, "name: kept", "name: leaving", 1)
	request := w.Placing("$ns", kept, leaving)
	again := request.After(applied(t, w, request).Status).With(w.Manifests(kept))
	for what, preview := range map[string]*engine.Preview{"update": previewed(t, w, again), "removal": previewedRemoval(t, w, again)} {
		if o := object(t, preview, w.Members[0], "ConfigMap", "leaving"); o.Action != takeover.ActionPrune {
			t.Errorf("%s: %s", what, o.Action)
		}
		for _, unseen := range w.Fleet.Members[1:] {
			o := object(t, preview, unseen, "ConfigMap", "leaving")
			if o.Action != takeover.ActionUnknown || o.Obstacle != takeover.ObstacleNotReadable || !strings.Contains(o.Problem, "could not be checked") {
				t.Errorf("%s, %s: %s, %s, %q", what, unseen, o.Action, o.Obstacle, o.Problem)
			}
			at := slices.IndexFunc(preview.Clusters, func(c engine.ClusterPreview) bool { return c.Name == unseen })
			if c := preview.Clusters[at]; c.CheckMethod != engine.CheckOffline || c.Err == nil {
				t.Errorf("%s, %s: %s, %v", what, unseen, c.CheckMethod, c.Err)
			}
		}
	}
	w.Delete(again)
}

// TestNamespaceOnStrangers checks that unknown contents on a cluster that has not joined or is leaving block no deletion, because a host writes nothing
// there. The test does not run in parallel while these clusters are registered.
func TestNamespaceOnStrangers(t *testing.T) { //nolint:paralleltest // the previews of other tests would check these clusters
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	needFake(t)
	w := fleet.World(t, 3)
	const registration = "core.kubeadmiral.io/v1alpha1 FederatedCluster "
	strangers := []string{"$ns-stranger", "$ns-leaving"}
	defer func() {
		for _, name := range strangers {
			if w.Find(w.Env.Hub, registration+name).GetDeletionTimestamp() == nil {
				w.Remove(w.Env.Hub, registration+name)
			}
			w.Edit(w.Env.Hub, registration+name, "metadata: {finalizers: null}")
			w.AwaitGone(w.Env.Hub, registration+name)
		}
	}()
	for _, name := range strangers {
		w.Put(w.Env.Hub, "{apiVersion: core.kubeadmiral.io/v1alpha1, kind: FederatedCluster, metadata: {name: "+name+", finalizers: [example.com/held]}, "+
			"spec: {apiEndpoint: 'https://127.0.0.1:1', secretRef: {name: none}}}")
	}
	request := dropped(t, w)
	w.Remove(w.Env.Hub, registration+"$ns-leaving")
	w.EditAs(w.Env.Hub, "control-plane", "status", registration+"$ns-leaving", "status: {conditions: [{type: Joined, status: 'True', reason: ClusterJoined, "+
		"message: '', lastProbeTime: '2026-01-01T00:00:00Z', lastTransitionTime: '2026-01-01T00:00:00Z'}]}")
	wantDeleted(t, w, previewed(t, w, request), w.Members...)
	result := applied(t, w, request)
	if len(result.Warnings) > 0 {
		t.Errorf("%v", result.Warnings)
	}
	gone(t, w, inNamespace, everywhere(w)...)
	w.Delete(request.After(result.Status))
}
