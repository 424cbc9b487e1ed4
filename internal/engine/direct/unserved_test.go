package direct_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

// gizmos is the definition of a namespaced kind of this world.
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

// setServed sets whether a member serves the kind of the definition.
func (w *world) setServed(member string, serves bool) {
	w.Helper()
	w.Edit(member, theDefinition, "{spec: {versions: [{name: v1, served: "+strconv.FormatBool(serves)+
		", storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}")
	w.Eventually(member+" serves the kind, or does not", func() bool {
		_, err := w.On(member).List(w.Context(), w.Expand("$ns.example.org/v1"), "Gizmo", w.Name, "")
		return (err == nil) == serves
	})
}

// TestKindIsNotServed checks a removal while the cluster does not serve the kind of some objects. These objects do not count as deleted: they stay recorded, and
// the removal reports them. They count as deleted once the definition is deleted.
//
// It is not parallel, because other tests list objects of all kinds that a cluster serves.
func TestKindIsNotServed(t *testing.T) {
	w := newWorld(t)
	for _, member := range w.Members {
		w.Put(member, gizmos)
		w.AwaitKinds(member, "$ns.example.org/v1 Gizmo")
	}
	request := w.newRequest("gizmos", configMap("gizmos", "1"), "{apiVersion: $ns.example.org/v1, kind: Gizmo, metadata: {name: one}}")
	w.DeleteAtEnd(request)
	result := w.Apply(request)
	w.checkComplete(result.Status)

	w.setServed("member-1", false)
	request = request.After(result.Status)
	w.Contains(w.failRemoval(request, "one"), "objects of the kind may exist", "CustomResourceDefinition gizmos.", "not served")
	if w.value("member-1", "gizmos") != "absent" || w.inventory("member-1", "gizmos") == nil || w.inventory("member-2", "gizmos") != nil {
		t.Error("member-1 has lost its record, or the others were blocked")
	}

	w.Remove("member-1", theDefinition)
	w.AwaitGone("member-1", theDefinition)
	result = w.Delete(request)
	if w.inventory("member-1", "gizmos") != nil || strings.Contains(strings.Join(result.Warnings, "\n"), "member-1") {
		t.Errorf("the definition was deleted, and the removal warns %v", result.Warnings)
	}
}

// TestDefinitionVanishesMeanwhile checks that a definition that is deleted while a removal checks a Namespace does not keep the Namespace.
//
// It is not parallel, because other tests list objects of all kinds that a cluster serves.
func TestDefinitionVanishesMeanwhile(t *testing.T) {
	w := newWorld(t)
	w.Put("member-1", gizmos)
	w.AwaitKinds("member-1", "$ns.example.org/v1 Gizmo")
	request := w.newRequest("vanishes", house, furniture)
	request = request.After(w.Apply(request).Status)
	w.removeDefinitionWhenListed()
	result := w.Delete(request)
	if w.Find("member-1", theDefinition) != nil {
		t.Fatal("the removal has not listed the objects of the definition")
	}
	if len(result.Warnings) > 0 || w.Find("member-1", theHouse) != nil || w.inventory("member-1", "vanishes") != nil {
		t.Errorf("the Namespace remains: %v", result.Warnings)
	}
}

// removeDefinitionWhenListed deletes the definition when an engine lists its objects.
func (w *world) removeDefinitionWhenListed() {
	w.Helper()
	w.Inject(clusters.Fault{Match: onPath("member-1", http.MethodGet, w.Expand("/$ns-house/gizmos")), Hook: runOnce(func() {
		w.Remove("member-1", theDefinition)
		w.AwaitGone("member-1", theDefinition)
	})})
}

// TestDefinitionVanishesDuringChange checks an apply that deletes a Namespace that was removed from the placement, while a definition is deleted.
//
// It is not parallel, because other tests list objects of all kinds that a cluster serves.
func TestDefinitionVanishesDuringChange(t *testing.T) {
	w := newWorld(t)
	w.Put("member-1", gizmos)
	w.AwaitKinds("member-1", "$ns.example.org/v1 Gizmo")
	request := w.newRequest("changes", house, furniture, configMap("changes", "1"))
	request = request.After(w.Apply(request).Status)
	request.Manifests = w.Manifests(configMap("changes", "1"))
	w.DeleteAtEnd(request)
	w.removeDefinitionWhenListed()
	result := w.Apply(request)
	if w.Find("member-1", theDefinition) != nil {
		t.Fatal("the change has not listed the objects of the definition")
	}
	w.checkComplete(result.Status)
	if got := keys(w.inventory("member-1", "changes")); len(result.Warnings) > 0 || w.Find("member-1", theHouse) != nil || len(got) != 1 {
		t.Errorf("the Namespace remains, the record has %v: %v", got, result.Warnings)
	}
	w.checkIdle(request.After(result.Status))
}

// TestDefinitionIsNotServed checks that a removal fails while the kind of a placed definition is not served, because objects of the kind may exist.
//
// It is not parallel, because other tests list objects of all kinds that a cluster serves.
func TestDefinitionIsNotServed(t *testing.T) {
	w := newWorld(t)
	request := w.newRequest("definition", gizmos)
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	w.AwaitKinds("member-1", "$ns.example.org/v1 Gizmo")
	w.setServed("member-1", false)
	w.Contains(w.failRemoval(request, "gizmos.$ns.example.org"), "Gizmo", "not served")
	if w.Find("member-1", theDefinition) == nil || w.inventory("member-1", "definition") == nil || w.Find("member-2", theDefinition) != nil {
		t.Error("the removal deleted the definition or its record from member-1, or kept the definition on member-2")
	}
	w.setServed("member-1", true)
	if result := w.Delete(request); len(result.Warnings) > 0 || w.Find("member-1", theDefinition) != nil {
		t.Errorf("the next removal warns %v", result.Warnings)
	}
}
