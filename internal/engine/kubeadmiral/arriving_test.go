package kubeadmiral_test

import (
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/standin"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// gadgets is a definition, and gadget an object of its kind.
const (
	gadgets = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.$ns.example.org}
spec:
  group: $ns.example.org
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget, listKind: GadgetList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]`
	gadget = "{apiVersion: $ns.example.org/v1, kind: Gadget, metadata: {name: one, namespace: $ns-app}, spec: {size: 1}}"
)

// A kind and a Namespace that another placement of the run creates are no obstacle: the plan shows the object as created, and the apply waits for the kind.
//
// No other test runs meanwhile: some list objects of all kinds that a cluster serves.
func TestKindOfAnotherPlacement(t *testing.T) {
	w := fleet.World(t, 1)
	member := w.Members[0]
	kind := schema.GroupVersionKind{Group: w.Expand("$ns.example.org"), Version: "v1", Kind: "Gadget"}
	config := standin.TypeConfig(v1alpha1.APIResource{Group: kind.Group, Version: kind.Version, Kind: kind.Kind, PluralName: "gadgets", Scope: "Namespaced"})
	object, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&config)
	if err != nil {
		t.Fatal(err)
	}
	object["apiVersion"], object["kind"] = v1alpha1.GroupVersion.String(), v1alpha1.FederatedTypeConfigKind
	text, err := (&unstructured.Unstructured{Object: object}).MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	w.Put(w.Env.Hub, string(text))

	only := &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: w.Members}
	definition := w.Placing("$ns-definition", gadgets, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-app}}")
	definition.Wait, definition.Spec.Policy = true, only
	request := w.Placing("$ns", gadget)
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

	var asked atomic.Int32
	request.MayArrive = func(kinds []schema.GroupVersionKind) bool {
		if !slices.Equal(kinds, []schema.GroupVersionKind{kind}) {
			t.Errorf("the apply waits for %v", kinds)
		}
		asked.Add(1)
		return true
	}
	brought := make(chan error, 1)
	go func() {
		for began := time.Now(); asked.Load() < 20 && time.Since(began) < 30*time.Second; {
			time.Sleep(50 * time.Millisecond)
		}
		_, err := definition.Apply(w.Context(), w.Another().Engine())
		brought <- err
	}()
	result, err := request.Apply(w.Context(), w.Engine())
	if err != nil || result.TimedOut {
		t.Fatalf("%+v %v; the control plane's trouble: %v", result, err, trouble())
	}
	if err := <-brought; err != nil {
		t.Error(err)
	}
	if asked.Load() < 20 {
		t.Error("the apply has not waited for the kind")
	}
	w.Must(member, w.Expand("$ns.example.org/v1 Gadget $ns-app/one"))
}
