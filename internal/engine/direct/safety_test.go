package direct_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

var applyTypes = []placement.ApplyType{placement.ClientSideApply, placement.ServerSideApply}

// runOnce returns a hook that runs at the first request only.
func runOnce(work func()) func(clusters.Request) {
	var done atomic.Bool
	return func(clusters.Request) {
		if done.CompareAndSwap(false, true) {
			work()
		}
	}
}

// TestObjectAppears checks that an object that appears right before the placement creates it is never overwritten.
func TestObjectAppears(t *testing.T) {
	t.Parallel()
	for _, how := range applyTypes {
		w := newWorld(t)
		name := "appears-" + strings.ToLower(string(how)[:6])
		request := strategy(w.newRequest(name, configMap(name, "placed")), how, placement.TakeOverAlways)
		w.DeleteAtEnd(request)
		w.Inject(clusters.Fault{
			Match: onPath("member-1", http.MethodPost, w.configMaps()), Hook: runOnce(func() { w.Put("member-1", configMap(name, "theirs")) }),
		})
		result, err := request.Apply(t.Context(), w.Engine())
		if err != nil {
			t.Fatal(err)
		}
		if got := w.value("member-1", name); got != "theirs" {
			t.Errorf("%s: the other client's object is %q", how, got)
		}
		if got := w.value("member-2", name); got != "placed" {
			t.Errorf("%s: member-2 has %q", how, got)
		}
		w.Contains(failures(result.Status, "member-1")[name], "ManifestApplyFailed", "appeared")
		w.Delete(request.After(result.Status))
		if w.value("member-1", name) != "theirs" || w.value("member-2", name) != "absent" {
			t.Errorf("%s: after the deletion the values are %q and %q", how, w.value("member-1", name), w.value("member-2", name))
		}
	}
}

// TestObjectChangesDuringTakeover checks that TakeOverIfNoDiff does not take over an object that has changed since the comparison, and that TakeOverAlways
// does.
func TestObjectChangesDuringTakeover(t *testing.T) {
	t.Parallel()
	for _, how := range applyTypes {
		for when, want := range map[placement.WhenToTakeOver]string{placement.TakeOverIfNoDiff: "changed", placement.TakeOverAlways: "placed"} {
			if when == placement.TakeOverAlways && testing.Short() { // make test-all runs it: the object is always taken over
				continue
			}
			w := newWorld(t)
			name := strings.ToLower("changes-" + string(how)[:6] + "-" + string(when))
			request := strategy(w.newRequest(name, configMap(name, "placed")), how, when)
			if how == placement.ServerSideApply {
				request.Spec.Strategy.ApplyStrategy.ServerSideApplyConfig = &placement.ServerSideApplyConfig{Force: new(true)}
			}
			w.DeleteAtEnd(request)
			w.Put("member-1", configMap(name, "placed"))
			w.Inject(clusters.Fault{
				Match: onPath("member-1", http.MethodPatch, "/configmaps/"+name), Hook: runOnce(func() {
					w.Edit("member-1", "v1 ConfigMap "+name, "{data: {value: changed}}")
				}),
			})
			result, err := request.Apply(t.Context(), w.Engine())
			if err != nil {
				t.Fatal(err)
			}
			if got := w.value("member-1", name); got != want {
				t.Errorf("%s %s: the object is %q", how, when, got)
			}
			failure := failures(result.Status, "member-1")[name]
			if when == placement.TakeOverIfNoDiff {
				w.Contains(failure, "FailedToTakeOver", "differences")
			} else if failure != "" {
				t.Error(failure)
			}
			w.Delete(request.After(result.Status))
			if w.value("member-1", name) != want || w.value("member-2", name) != "absent" {
				t.Errorf("%s %s: after the deletion the value is %q", how, when, w.value("member-1", name))
			}
		}
	}
}

// TestObjectChangesDuringRelease checks that a deletion removes the marks from an object that another client changes meanwhile, unless another placement has taken
// the object over: the marks are that placement's then.
func TestObjectChangesDuringRelease(t *testing.T) {
	t.Parallel()
	const set, applied = applyset.PartOfLabel, kube.DefaultLastAppliedAnnotation
	taken := fmt.Sprintf("{metadata: {labels: {%s: theirs}, annotations: {%s: '{}'}}}", set, applied)
	for edit, remain := range map[string]bool{"{data: {value: changed}}": false, taken: true} {
		w := newWorld(t)
		name := "release-" + map[bool]string{false: "changed", true: "taken"}[remain]
		object := "v1 ConfigMap " + name
		request := strategy(w.newRequest(name, configMap(name, "placed")), placement.ClientSideApply, placement.TakeOverAlways)
		w.DeleteAtEnd(request)
		w.Put("member-1", configMap(name, "before"))
		status := w.Apply(request).Status
		w.Inject(clusters.Fault{Match: onPath("member-1", http.MethodPatch, "/configmaps/"+name), Hook: runOnce(func() { w.Edit("member-1", object, edit) })})
		w.Delete(request.After(status))
		live := w.Must("member-1", object)
		_, hasAnnotation := live.GetAnnotations()[applied]
		if label := live.GetLabels()[set]; (label == "theirs") != remain || (label != "") != remain || hasAnnotation != remain {
			t.Errorf("after %s, the object has the labels %v, and an annotation: %v", edit, live.GetLabels(), hasAnnotation)
		}
		w.Remove("member-1", object)
	}
}

// TestObjectRecreated checks that an object that another client deletes and recreates with the same marks belongs to that client.
func TestObjectRecreated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("recreated", configMap("recreated-kept", "1"), configMap("recreated-pruned", "1"))
	w.DeleteAtEnd(request)
	status := w.Apply(request).Status
	for _, name := range []string{"recreated-kept", "recreated-pruned"} {
		recreated := w.Must("member-1", "v1 ConfigMap "+name)
		w.Remove("member-1", "v1 ConfigMap "+name)
		recreated.SetResourceVersion("")
		if _, err := w.On("member-1").Add(t.Context(), recreated, false); err != nil {
			t.Fatal(err)
		}
	}
	request.Manifests = w.Manifests(configMap("recreated-kept", "2"))
	result := w.Apply(request.After(status))
	w.checkComplete(result.Status)
	if !w.inventory("member-1", "recreated")["ConfigMap recreated-kept"].Adopted {
		t.Error("an object that another client created counts as created by the placement")
	}
	if w.inventory("member-2", "recreated")["ConfigMap recreated-kept"].Adopted {
		t.Error("a created object counts as adopted")
	}
	if w.value("member-1", "recreated-pruned") != "1" || w.value("member-2", "recreated-pruned") != "absent" {
		t.Error("pruning removed the wrong object")
	}
	w.checkIdle(request.After(result.Status))
	w.Delete(request.After(result.Status))
	if w.value("member-1", "recreated-kept") != "2" || w.value("member-2", "recreated-kept") != "absent" {
		t.Error("the deletion removed the wrong object")
	}
}

// TestClusterReplaced checks that an apply and a removal return an error if a member's name now leads to another cluster, and write nothing to that cluster.
func TestClusterReplaced(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("replaced", configMap("replaced", "1"))
	w.DeleteAtEnd(request)
	status := w.Apply(request).Status
	cluster := status.Clusters["member-1"]
	cluster.ClusterUID = "00000000-0000-0000-0000-000000000000"
	status.Clusters["member-1"] = cluster
	request.Manifests = w.Manifests(configMap("replaced", "2"))
	w.Reset()
	var replaced *engine.ClusterReplacedError
	if _, err := request.After(status).Apply(t.Context(), w.Engine()); !errors.As(err, &replaced) {
		t.Errorf("apply: %v", err)
	}
	if _, err := request.After(status).Delete(t.Context(), w.Engine()); !errors.As(err, &replaced) {
		t.Errorf("delete: %v", err)
	}
	for _, r := range w.Writes() {
		if r.Context == "member-1" {
			t.Errorf("written to the wrong cluster: %s", r)
		}
	}
}

// TestNamespaceWithAdoptedObject checks that a Namespace that the placement created is not deleted while it contains an object that must remain.
func TestNamespaceWithAdoptedObject(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	namespace := "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-shelter}}"
	adopted := "{apiVersion: v1, kind: ConfigMap, metadata: {name: theirs, namespace: $ns-shelter}, data: {value: theirs}}"
	request := w.newRequest("shelter", namespace)
	w.DeleteAtEnd(request)
	status := w.Apply(request).Status
	theirs := w.Put("member-1", adopted)
	request.Manifests = w.Manifests(namespace, strings.Replace(adopted, "value: theirs", "value: placed", 1))
	status = w.Apply(request.After(status)).Status
	result := w.Delete(request.After(status))
	got := w.Find("member-1", "v1 ConfigMap $ns-shelter/theirs")
	if got == nil || got.GetUID() != theirs.GetUID() || got.GetDeletionTimestamp() != nil {
		t.Errorf("the adopted object is %v", got)
	}
	if u := w.Find("member-1", "v1 Namespace $ns-shelter"); u == nil || u.GetDeletionTimestamp() != nil || u.GetLabels()[partOf] != "" {
		t.Errorf("its namespace is %v", u)
	}
	if w.Find("member-2", "v1 Namespace $ns-shelter") != nil {
		t.Error("member-2 still has the namespace")
	}
	w.Contains(strings.Join(result.Warnings, "\n"), "member-1", w.Expand("Namespace $ns-shelter stays"), w.Expand("ConfigMap $ns-shelter/theirs"))
}

// TestTerminatingNamespace checks that objects in a terminating Namespace are reported, and that the next apply places them.
func TestTerminatingNamespace(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	const namespace = "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-ending}}"
	w.Put("member-1", namespace)
	w.Put("member-1", "{apiVersion: v1, kind: ConfigMap, metadata: {name: held, namespace: $ns-ending, finalizers: [example.org/held]}}")
	w.Remove("member-1", "v1 Namespace $ns-ending")
	request := w.newRequest("ending", namespace, "{apiVersion: v1, kind: ConfigMap, metadata: {name: inside, namespace: $ns-ending}}")
	w.DeleteAtEnd(request)
	result, err := request.Apply(t.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	failed := failures(result.Status, "member-1")
	w.Contains(failed[w.Expand("$ns-ending")], "terminating since", "next apply")
	w.Contains(failed["inside"], "being terminated")
	if got := failures(result.Status, "member-2"); len(got) > 0 {
		t.Errorf("member-2: %v", got)
	}
	w.Edit("member-1", "v1 ConfigMap $ns-ending/held", "{metadata: {finalizers: null}}")
	w.AwaitGone("member-1", "v1 Namespace $ns-ending")
	result = w.Apply(request.After(result.Status))
	w.checkComplete(result.Status)
	for key, e := range w.inventory("member-1", "ending") {
		if e.Adopted {
			t.Errorf("%s counts as adopted", key)
		}
	}
}

// TestDefinitionWithObjects checks the apply and the deletion of a placement with a definition and objects of its kind.
//
// It is not parallel, because other tests list objects of all kinds that a cluster serves.
func TestDefinitionWithObjects(t *testing.T) {
	w := newWorld(t)
	definition := `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.$ns.example.org}
spec:
  group: $ns.example.org
  names: {kind: Gadget, plural: gadgets}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
`
	object := "{apiVersion: $ns.example.org/v1, kind: Gadget, metadata: {name: one}}"
	request := w.newRequest("gadgets", definition, object, "{apiVersion: $ns.example.org/v2, kind: Gadget, metadata: {name: two}}")
	w.DeleteAtEnd(request)
	result, err := request.Apply(t.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	failed := failures(result.Status, "member-1")
	w.Contains(failed["two"], "DecodingErred", "v2")
	if len(failed) != 1 {
		t.Errorf("failed: %v", failed)
	}
	delete(request.Manifests, "02.yaml")
	result = w.Apply(request.After(result.Status))
	w.checkComplete(result.Status)
	w.checkIdle(request.After(result.Status))
	w.Delete(request.After(result.Status))
	for _, member := range w.Members {
		if w.Find(member, "apiextensions.k8s.io/v1 CustomResourceDefinition gadgets.$ns.example.org") != nil {
			t.Errorf("%s still has the definition", member)
		}
	}
}

// TestSecretsStaySecret checks that no inventory, preview, status or error contains the content of a Secret.
func TestSecretsStaySecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const planted = "planted-secret-value"
	secret := "{apiVersion: v1, kind: Secret, metadata: {name: quiet}, stringData: {password: " + planted + "}}"
	bad := "{apiVersion: v1, kind: Secret, metadata: {name: loud}, stringData: {password: [" + planted + "]}}"
	request := w.newRequest("quiet", secret, bad)
	w.DeleteAtEnd(request)
	w.Put("member-1", strings.Replace(secret, planted, planted+"-theirs", 1))
	preview, err := request.Preview(t.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	result, err := request.Apply(t.Context(), w.Engine())
	inventory := w.Must("member-1", record("ConfigMap", "quiet"))
	texts := []any{preview.Clusters, result.Status, err, inventory.Object}
	for _, text := range texts {
		got := jsonOf(t, text)
		if strings.Contains(got, planted) || strings.Contains(got, "cGxhbnRlZC1zZWNyZX") {
			t.Errorf("the secret shows in %s", got)
		}
	}
	if failures(result.Status, "member-1")["loud"] == "" {
		t.Error("the broken Secret was applied")
	}
	delete(request.Manifests, "01.yaml")
	result = w.Apply(request.After(result.Status))
	w.Delete(request.After(result.Status))
	if w.Find("member-2", record("Secret", "quiet")) != nil {
		t.Error("the manifests remain")
	}
}

// TestKeptManifests checks that a placement and its manifests can be read from the records on the members, and that its deletion removes these records.
func TestKeptManifests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	name := strings.Repeat("k", 63-len(w.Name+"-"))
	request := w.newRequest(name, configMap("kept-manifests", "1"))
	w.DeleteAtEnd(request)
	result := w.Apply(request)
	recorded, err := enginetest.Request{Name: request.Name, Again: true}.Read(t.Context(), w.Engine())
	placed := engine.Placement{Spec: request.Spec, Manifests: request.Manifests}
	if err != nil || !placed.Same(engine.Placement{Spec: recorded.Spec, Manifests: recorded.Manifests}) {
		t.Errorf("read %+v, %v", recorded, err)
	}
	w.checkComplete(recorded.Status)
	var exists *engine.ExistsError
	if _, err := request.Apply(t.Context(), w.Engine()); !errors.As(err, &exists) {
		t.Errorf("a placement of the same name: %v", err)
	}
	w.Delete(request.After(result.Status))
	for _, member := range w.Members {
		if w.Find(member, record("Secret", name)) != nil || w.inventory(member, name) != nil {
			t.Errorf("%s: records remain", member)
		}
	}
	if _, err := request.After(result.Status).Read(t.Context(), w.Engine()); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("after the deletion: %v", err)
	}
}
