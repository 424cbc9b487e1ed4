package direct_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// A kind that a cluster does not tell of when a placement is removed does not prove that its objects are gone: they stay recorded, and the
// removal says so. Once the definition is gone, they are.
//
// No other test runs meanwhile: some list objects of all kinds that a cluster serves.
func TestKindIsNotServed(t *testing.T) {
	w := newWorld(t)
	const definition = "apiextensions.k8s.io/v1 CustomResourceDefinition gizmos.$ns.example.org"
	for _, member := range w.Members {
		w.Put(member, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gizmos.$ns.example.org}
spec:
  group: $ns.example.org
  names: {kind: Gizmo, plural: gizmos, singular: gizmo, listKind: GizmoList}
  scope: Namespaced
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
`)
		w.AwaitKinds(member, "$ns.example.org/v1 Gizmo")
	}
	request := w.placing("gizmos", configMap("gizmos", "1"), "{apiVersion: $ns.example.org/v1, kind: Gizmo, metadata: {name: one}}")
	w.DeleteAtEnd(request)
	result := w.Apply(request)
	w.complete(result.Status)

	served := func(serves string) {
		w.Helper()
		w.Edit("member-1", definition, "{spec: {versions: [{name: v1, served: "+serves+
			", storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}")
	}
	served("false")
	w.Eventually("member-1 does not serve Gizmo", func() bool {
		_, err := w.On("member-1").List(t.Context(), w.Expand("$ns.example.org/v1"), "Gizmo", w.Name, "")
		return err != nil
	})
	request = request.After(result.Status)
	_, err := request.Delete(t.Context(), w.Engine())
	var failed *engine.RemovalError
	if !errors.As(err, &failed) || failed.Cluster != "member-1" || len(failed.Objects) != 1 {
		t.Fatalf("the removal says %v", err)
	}
	w.Says(failed.Objects[0].Condition.Message, "does not prove that its objects are gone", "CustomResourceDefinition gizmos.", "not served")
	if w.value("member-1", "gizmos") != "absent" || w.inventory("member-1", "gizmos") == nil || w.inventory("member-2", "gizmos") != nil {
		t.Error("member-1 has lost its record, or the others were held up")
	}

	w.Remove("member-1", definition)
	w.AwaitGone("member-1", definition)
	result = w.Delete(request)
	if w.inventory("member-1", "gizmos") != nil || strings.Contains(strings.Join(result.Warnings, "\n"), "member-1") {
		t.Errorf("the definition is gone, and the removal says %v", result.Warnings)
	}
}
