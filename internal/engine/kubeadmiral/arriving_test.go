package kubeadmiral_test

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/fakekubeadmiral"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestKindOfAnotherPlacement checks that, if another placement of the run creates the kind and the Namespace of an object, the plan shows the object as
// created and the apply waits for both. The removal of the other placement waits for the removal of the object.
//
// The test does not run in parallel, because some tests list objects of all kinds that a cluster serves.
func TestKindOfAnotherPlacement(t *testing.T) {
	w := fleet.World(t, 3)
	member := w.Members[0]
	kind := w.GadgetKind()
	config, err := fakekubeadmiral.TypeConfigText(v1alpha1.APIResource{Group: kind.Group, Version: kind.Version, Kind: kind.Kind, PluralName: "gadgets", Scope: "Namespaced"})
	if err != nil {
		t.Fatal(err)
	}
	w.Put(w.Env.Hub, config)

	only := &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: w.Members[:1]}
	definition := w.Placing("$ns-definition", enginetest.Gadgets, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-app}}")
	definition.Wait, definition.Spec.Policy = true, only
	request := w.Placing("$ns", enginetest.Gadget)
	request.Wait, request.Spec.Policy = true, only
	w.DeleteAtEnd(request)
	w.DeleteAtEnd(definition)

	brings := previewed(t, w, definition)
	if !slices.Equal(brings.ProvidedKinds()[member], []schema.GroupVersionKind{kind}) {
		t.Fatalf("the definition brings %v", brings.ProvidedKinds())
	}
	if alone := previewed(t, w, request); len(alone.Lacks()) != 1 || !slices.Equal(alone.Lacks()[0].Clusters, []string{member}) {
		t.Errorf("without the definition, the plan lacks %v", alone.Lacks())
	}
	request.World.Kinds = engine.Kinds{member: {kind: definition.Name}}
	request.World.Namespaces.Add(definition.Name, brings.CreatedNamespaces())
	planned := previewed(t, w, request)
	if actions(planned)[member+" Gadget one"] != takeover.ActionCreate {
		t.Errorf("the plan shows %+v", planned.Clusters)
	}
	request.Expected = engine.Expect(planned)

	result, hasWaited := w.ApplyBeforeKind(request, definition)
	if result.TimedOut || !hasWaited {
		t.Fatalf("%+v, has waited for the kind: %t; errors of the control plane: %v", result, hasWaited, lastError())
	}
	w.Must(member, w.Expand("$ns.example.org/v1 Gadget $ns-app/one"))

	// One run removes both placements. The CustomResourceDefinition and the Namespace are deleted after the object.
	definition.Run = &enginetest.SameRun{Others: engine.FatePlanned}
	removal := previewedRemoval(t, w, definition)
	for _, o := range []engine.ObjectPreview{object(t, removal, member, "CustomResourceDefinition", "gadgets."+kind.Group), object(t, removal, member, "Namespace", w.Expand("$ns-app"))} {
		if o.Action != takeover.ActionPrune || !slices.Equal(o.Contents.First, []string{request.Name}) {
			t.Errorf("planned: %+v", o)
		}
	}
	definition.ExpectedRemoval = engine.Expect(removal)
	definition.Run = &enginetest.SameRun{Others: engine.FateRemoving, OnAwait: func([]string) bool {
		w.Delete(request)
		return true
	}}
	if result := w.Delete(definition); len(result.Warnings) > 0 {
		t.Errorf("the removal warns: %q", result.Warnings)
	}
	for _, cluster := range []string{w.Env.Hub, member} {
		gone(t, w, "apiextensions.k8s.io/v1 CustomResourceDefinition gadgets."+kind.Group, cluster)
		gone(t, w, "v1 Namespace $ns-app", cluster)
	}
}
