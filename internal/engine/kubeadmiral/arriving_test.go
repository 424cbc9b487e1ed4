package kubeadmiral_test

import (
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/standin"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// A kind and a Namespace that another placement of the run creates are no obstacle: the plan shows the object as created, and the apply waits for the kind.
//
// No other test runs meanwhile: some list objects of all kinds that a cluster serves.
func TestKindOfAnotherPlacement(t *testing.T) {
	w := fleet.World(t, 1)
	member := w.Members[0]
	kind := w.GadgetKind()
	config, err := standin.TypeConfigText(v1alpha1.APIResource{Group: kind.Group, Version: kind.Version, Kind: kind.Kind, PluralName: "gadgets", Scope: "Namespaced"})
	if err != nil {
		t.Fatal(err)
	}
	w.Put(w.Env.Hub, config)

	only := &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: w.Members}
	definition := w.Placing("$ns-definition", enginetest.Gadgets, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-app}}")
	definition.Wait, definition.Spec.Policy = true, only
	request := w.Placing("$ns", enginetest.Gadget)
	request.Wait, request.Spec.Policy = true, only
	w.DeleteAtEnd(request)
	w.DeleteAtEnd(definition)

	brings := previewed(t, w, definition)
	if !slices.Equal(brings.Brings()[member], []schema.GroupVersionKind{kind}) {
		t.Fatalf("the definition brings %v", brings.Brings())
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
		t.Fatalf("%+v, has waited for the kind: %t; the control plane's trouble: %v", result, hasWaited, trouble())
	}
	w.Must(member, w.Expand("$ns.example.org/v1 Gadget $ns-app/one"))
}
