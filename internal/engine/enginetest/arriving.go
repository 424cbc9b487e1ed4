package enginetest

import (
	"slices"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// Gadgets is a CustomResourceDefinition, and Gadget an object of its kind in the Namespace $ns-app.
const (
	Gadgets = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.$ns.example.org}
spec:
  group: $ns.example.org
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget, listKind: GadgetList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]`
	Gadget = "{apiVersion: $ns.example.org/v1, kind: Gadget, metadata: {name: one, namespace: $ns-app}, spec: {size: 1}}"
)

// GadgetKind returns the kind of [Gadget].
func (w *World) GadgetKind() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: w.Expand("$ns.example.org"), Version: "v1", Kind: "Gadget"}
}

// callsBeforeKind is the number of MayArrive calls after which the kind is created.
const callsBeforeKind = 20

// ApplyBeforeKind applies a request whose objects are of [World.GadgetKind]. During this apply, it applies the definition of the kind after 20 calls of
// MayArrive, or after 30 seconds. It returns the result of the request, and whether the apply of the request made the 20 calls.
func (w *World) ApplyBeforeKind(request, definition Request) (result *engine.Result, hasWaited bool) {
	w.Helper()
	var asked atomic.Int32
	request.MayArrive = func(kinds []schema.GroupVersionKind) bool {
		if !slices.Equal(kinds, []schema.GroupVersionKind{w.GadgetKind()}) {
			w.Errorf("the apply waits for %v", kinds)
		}
		asked.Add(1)
		return true
	}
	arrived := make(chan error, 1)
	go func() {
		for began := time.Now(); asked.Load() < callsBeforeKind && time.Since(began) < 30*time.Second; { // longer than the apply retries
			time.Sleep(50 * time.Millisecond)
		}
		_, err := definition.Apply(w.Context(), w.Engine())
		arrived <- err
	}()
	result, err := request.Apply(w.Context(), w.Engine())
	if err != nil {
		w.Fatalf("%+v %v", result, err)
	}
	if err := <-arrived; err != nil {
		w.Error(err)
	}
	return result, asked.Load() >= callsBeforeKind
}
