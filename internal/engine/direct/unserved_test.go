package direct_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

// gizmos is a definition of a namespaced kind of the world's own.
const (
	gizmos = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gizmos.$ns.example.org}
spec:
  group: $ns.example.org
  names: {kind: Gizmo, plural: gizmos, singular: gizmo, listKind: GizmoList}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
`
	theDefinition = "apiextensions.k8s.io/v1 CustomResourceDefinition gizmos.$ns.example.org"
)

// serve has a member serve the kind of the definition, or not.
func (w *world) serve(member string, serves bool) {
	w.Helper()
	w.Edit(member, theDefinition, "{spec: {versions: [{name: v1, served: "+strconv.FormatBool(serves)+
		", storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}")
	w.Eventually(member+" serves the kind, or does not", func() bool {
		_, err := w.On(member).List(w.Context(), w.Expand("$ns.example.org/v1"), "Gizmo", w.Name, "")
		return (err == nil) == serves
	})
}

// A kind that a cluster does not tell of when a placement is removed does not prove that its objects are gone: they stay recorded, and the
// removal says so. Once the definition is gone, they are.
//
// No other test runs meanwhile: some list objects of all kinds that a cluster serves.
func TestKindIsNotServed(t *testing.T) {
	w := newWorld(t)
	for _, member := range w.Members {
		w.Put(member, gizmos)
		w.AwaitKinds(member, "$ns.example.org/v1 Gizmo")
	}
	request := w.placing("gizmos", configMap("gizmos", "1"), "{apiVersion: $ns.example.org/v1, kind: Gizmo, metadata: {name: one}}")
	w.DeleteAtEnd(request)
	result := w.Apply(request)
	w.complete(result.Status)

	w.serve("member-1", false)
	request = request.After(result.Status)
	w.Says(w.removalFails(request, "one"), "does not prove that its objects are gone", "CustomResourceDefinition gizmos.", "not served")
	if w.value("member-1", "gizmos") != "absent" || w.inventory("member-1", "gizmos") == nil || w.inventory("member-2", "gizmos") != nil {
		t.Error("member-1 has lost its record, or the others were held up")
	}

	w.Remove("member-1", theDefinition)
	w.AwaitGone("member-1", theDefinition)
	result = w.Delete(request)
	if w.inventory("member-1", "gizmos") != nil || strings.Contains(strings.Join(result.Warnings, "\n"), "member-1") {
		t.Errorf("the definition is gone, and the removal says %v", result.Warnings)
	}
}

// A definition that is deleted while a removal checks a Namespace does not keep the Namespace.
//
// No other test runs meanwhile: some list objects of all kinds that a cluster serves.
func TestDefinitionVanishesMeanwhile(t *testing.T) {
	w := newWorld(t)
	w.Put("member-1", gizmos)
	w.AwaitKinds("member-1", "$ns.example.org/v1 Gizmo")
	request := w.placing("vanishes", house, furniture)
	request = request.After(w.Apply(request).Status)
	w.removeDefinitionWhenListed()
	result := w.Delete(request)
	if w.Find("member-1", theDefinition) != nil {
		t.Fatal("the removal has not listed the objects of the definition")
	}
	if len(result.Warnings) > 0 || w.Find("member-1", theHouse) != nil || w.inventory("member-1", "vanishes") != nil {
		t.Errorf("the Namespace is left: %v", result.Warnings)
	}
}

// removeDefinitionWhenListed deletes the definition when an engine lists its objects.
func (w *world) removeDefinitionWhenListed() {
	w.Helper()
	w.Inject(clusters.Fault{Match: onPath("member-1", http.MethodGet, w.Expand("/$ns-house/gizmos")), Hook: once(func() {
		w.Remove("member-1", theDefinition)
		w.AwaitGone("member-1", theDefinition)
	})})
}

// A definition that is deleted while a change checks a Namespace that leaves the placement does not keep the Namespace.
//
// No other test runs meanwhile: some list objects of all kinds that a cluster serves.
func TestDefinitionVanishesDuringChange(t *testing.T) {
	w := newWorld(t)
	w.Put("member-1", gizmos)
	w.AwaitKinds("member-1", "$ns.example.org/v1 Gizmo")
	request := w.placing("changes", house, furniture, configMap("changes", "1"))
	request = request.After(w.Apply(request).Status)
	request.Manifests = w.Manifests(configMap("changes", "1"))
	w.DeleteAtEnd(request)
	w.removeDefinitionWhenListed()
	result := w.Apply(request)
	if w.Find("member-1", theDefinition) != nil {
		t.Fatal("the change has not listed the objects of the definition")
	}
	w.complete(result.Status)
	if got := keys(w.inventory("member-1", "changes")); len(result.Warnings) > 0 || w.Find("member-1", theHouse) != nil || len(got) != 1 {
		t.Errorf("the Namespace is left, the record has %v: %v", got, result.Warnings)
	}
	w.idle(request.After(result.Status))
}

// A definition that is placed and not served may have objects: the removal fails until that is known.
//
// No other test runs meanwhile: some list objects of all kinds that a cluster serves.
func TestDefinitionIsNotServed(t *testing.T) {
	w := newWorld(t)
	request := w.placing("definition", gizmos)
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	w.AwaitKinds("member-1", "$ns.example.org/v1 Gizmo")
	w.serve("member-1", false)
	w.Says(w.removalFails(request, "gizmos.$ns.example.org"), "Gizmo", "not served")
	if w.Find("member-1", theDefinition) == nil || w.inventory("member-1", "definition") == nil || w.Find("member-2", theDefinition) != nil {
		t.Error("the removal deleted the definition or its record from member-1, or kept the definition on member-2")
	}
	w.serve("member-1", true)
	if result := w.Delete(request); len(result.Warnings) > 0 || w.Find("member-1", theDefinition) != nil {
		t.Errorf("the next removal says %v", result.Warnings)
	}
}
