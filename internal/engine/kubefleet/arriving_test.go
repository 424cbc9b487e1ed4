package kubefleet_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// TestKindOfAnotherPlacement checks that the plan of an object shows it as created, and that the apply waits, if another placement of the run creates the
// kind. The removals of both leave nothing on the member.
//
// No other test may run at the same time, because some tests list objects of all kinds that a cluster serves.
func TestKindOfAnotherPlacement(t *testing.T) {
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, enginetest.Gadgets)
	kind := w.GadgetKind()
	w.Eventually("the hub serves the kind", func() bool {
		_, err := w.On(w.Env.Hub).Get(w.Context(), kind.GroupVersion().String(), kind.Kind, "default", "none")
		return err == nil
	})
	if agents != nil {
		agents.Rediscover()
	} else {
		time.Sleep(45 * time.Second) // a hub discovers new kinds every 30 seconds (KubeFleet, pkg/resourcewatcher)
	}
	w.Put(w.Env.Hub, app+"\n---\n"+enginetest.Gadget)
	only := &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: w.Members}
	definition := enginetest.Request{Name: w.Name + "-definition", Wait: true, Spec: placement.Spec{Policy: only, ResourceSelectors: []placement.ResourceSelector{
		{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition", Name: w.Expand("gadgets.$ns.example.org")},
	}}}
	request := placing(w)
	request.Wait, request.Spec.Policy = true, only
	w.DeleteAtEnd(request)
	w.DeleteAtEnd(definition)

	brings, err := definition.Preview(w.Context(), w.Engine())
	if err != nil || !slices.Equal(brings.ProvidedKinds()[w.Members[0]], []schema.GroupVersionKind{kind}) {
		t.Fatalf("the definition brings %v (%v)", brings.ProvidedKinds(), err)
	}
	if alone, err := request.Preview(w.Context(), w.Engine()); err != nil || !strings.Contains(does(alone, w.Members[0]), "reject Gadget") || len(alone.Lacks()) != 1 {
		t.Errorf("without the definition, the plan shows %q (%v)", does(alone, w.Members[0]), err)
	}
	request.World.Kinds = engine.Kinds{w.Members[0]: {kind: definition.Name}}
	planned, err := request.Preview(w.Context(), w.Engine())
	if err != nil || !strings.Contains(does(planned, w.Members[0]), "create Gadget") {
		t.Errorf("the plan shows %q (%v)", does(planned, w.Members[0]), err)
	}
	request.Expected = engine.Expect(planned)

	result, _ := w.ApplyBeforeKind(request, definition)
	available(t, w, result)
	w.Must(w.Members[0], w.Expand("$ns.example.org/v1 Gadget $ns-app/one"))

	// One run removes both placements, the one with the CustomResourceDefinition first. Nothing remains.
	definition.Run = &enginetest.SameRun{Others: engine.FatePlanned}
	removal, err := definition.PreviewDelete(w.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	definition.ExpectedRemoval = engine.Expect(removal)
	definition.Run = &enginetest.SameRun{Others: engine.FateRemoving}
	w.Delete(definition)
	w.Delete(request)
	w.AwaitGone(w.Members[0], "apiextensions.k8s.io/v1 CustomResourceDefinition gadgets."+kind.Group)
	w.AwaitGone(w.Members[0], "v1 Namespace $ns-app")
}
