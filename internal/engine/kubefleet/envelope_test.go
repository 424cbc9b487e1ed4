package kubefleet_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/hubenvelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
)

const (
	resourceEnvelope        = "placement.kubernetes-fleet.io/v1beta1 ResourceEnvelope "
	clusterResourceEnvelope = "placement.kubernetes-fleet.io/v1beta1 ClusterResourceEnvelope "
)

// enveloping returns an envelope with the name of the world, a quota and a role.
func enveloping(w *enginetest.World) envelope.Spec {
	return envelope.Spec{Namespace: w.Name, Name: w.Name, Manifests: map[string]string{
		"quota.yaml": w.Expand("{apiVersion: v1, kind: ResourceQuota, metadata: {name: quota}, spec: {hard: {pods: \"5\"}}}"),
		"role.yaml":  w.Expand("{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: $ns}}"),
	}}
}

// newHub returns a world with its Namespace on the hub.
func newHub(t *testing.T) (w *enginetest.World, hub string) {
	t.Helper()
	w = fleet.World(t, 1)
	hub = w.Env.Hub
	w.Put(hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	return w, hub
}

// apply writes an envelope, which is removed when the test ends.
func apply(w *enginetest.World, e engine.Engine, spec envelope.Spec, prior *engine.Envelope) engine.Envelope {
	w.Helper()
	written, err := e.ApplyEnvelope(w.Context(), spec, prior)
	if err != nil {
		w.Fatal(err)
	}
	for _, object := range written.Objects {
		if object.Namespace == "" {
			w.RemoveAtEnd(w.Env.Hub, w.Ref(w.Env.Hub, clusterResourceEnvelope+object.Name))
		}
	}
	return written
}

func read(w *enginetest.World, e engine.Engine, namespace string, prior *engine.Envelope) engine.Envelope {
	w.Helper()
	found, err := e.ReadEnvelope(w.Context(), engine.Reference{Namespace: namespace, Name: w.Name}, prior)
	if err != nil {
		w.Fatal(err)
	}
	return found
}

// An import ignores objects that have the name of the envelope but do not belong to it, and the deletion of the envelope keeps them.
func TestImportedEnvelopeIsNothingElse(t *testing.T) {
	t.Parallel()
	w, hub := newHub(t)
	e := w.Engine()
	theirs := []string{"v1 ConfigMap $ns", clusterResourceEnvelope + "$ns"}
	w.Put(hub, `{apiVersion: v1, kind: ConfigMap, metadata: {name: $ns}, data: {greeting: hello}}
---
{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterResourceEnvelope, metadata: {name: $ns},
 data: {role.yaml: {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: $ns}}}}`)
	_, err := e.ReadEnvelope(w.Context(), engine.Reference{Namespace: w.Name, Name: w.Name}, nil)
	if unmarked, is := errors.AsType[*hubenvelope.UnmarkedError](err); !is || unmarked.Object.Kind != "ConfigMap" {
		t.Errorf("an ordinary ConfigMap is imported: %v", err)
	}
	spec := enveloping(w)
	delete(spec.Manifests, "role.yaml")
	apply(w, e, spec, nil)
	imported := read(w, e, w.Name, nil)
	if kinds := kindsOf(imported); !slices.Equal(kinds, []string{"ResourceEnvelope"}) || len(imported.Spec.Manifests) != 1 {
		t.Errorf("imported from %v: %v", kinds, slices.Sorted(maps.Keys(imported.Spec.Manifests)))
	}
	spec.Labels = map[string]string{"team": "web"}
	imported = apply(w, e, spec, &imported)
	if err := e.DeleteEnvelope(w.Context(), imported); err != nil {
		t.Error(err)
	}
	for _, object := range theirs {
		if w.Find(hub, object) == nil {
			t.Errorf("%s is gone", object)
		}
	}
	// An annotated ConfigMap is imported only if no ResourceEnvelope has the same name.
	w.Edit(hub, "v1 ConfigMap $ns", `{metadata: {annotations: {kubernetes-fleet.io/envelope-configmap: "true"}}}`)
	if kinds := kindsOf(read(w, e, w.Name, nil)); !slices.Equal(kinds, []string{"ConfigMap"}) {
		t.Errorf("imported from %v", kinds)
	}
	apply(w, e, spec, nil)
	if kinds := kindsOf(read(w, e, w.Name, nil)); !slices.Equal(kinds, []string{"ResourceEnvelope"}) {
		t.Errorf("imported from %v", kinds)
	}
}

func kindsOf(e engine.Envelope) (kinds []string) {
	for _, object := range e.Objects {
		kinds = append(kinds, object.Kind)
	}
	return kinds
}

// TestClusterResourceEnvelopeBelongsToOne checks that a ClusterResourceEnvelope belongs to one envelope resource. If the envelope of another namespace has
// the same name, its apply returns an error before anything is written.
func TestClusterResourceEnvelopeBelongsToOne(t *testing.T) {
	t.Parallel()
	w, hub := newHub(t)
	w.Put(hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-b}}")
	e := w.Engine()
	first := apply(w, e, enveloping(w), nil)
	second := enveloping(w)
	second.Namespace += "-b"
	_, err := e.ApplyEnvelope(w.Context(), second, nil)
	exists, is := errors.AsType[*engine.ExistsError](err)
	if !is || exists.Owner != w.Expand("the envelope $ns/$ns") {
		t.Errorf("the ClusterResourceEnvelope of another namespace: %v", err)
	}
	if w.Find(hub, resourceEnvelope+"$ns-b/$ns") != nil {
		t.Error("half of what was refused is written")
	}
	if _, err := e.ReadEnvelope(w.Context(), engine.Reference{Namespace: second.Namespace, Name: second.Name}, nil); !errors.Is(err, engine.ErrNotFound) {
		t.Errorf("imported: %v", err)
	}
	// An earlier state may contain the object as part of the second envelope.
	if err := e.DeleteEnvelope(w.Context(), engine.Envelope{Spec: second, Objects: first.Objects[1:]}); err != nil || w.Find(hub, clusterResourceEnvelope+"$ns") == nil {
		t.Errorf("it is deleted with an envelope that it does not belong to: %v", err)
	}
	if kinds := kindsOf(read(w, e, w.Name, nil)); !slices.Equal(kinds, kindsOf(first)) {
		t.Errorf("imported from %v", kinds)
	}
	listed, err := e.List(w.Context(), engine.AllEnvelopes, engine.Filter{Namespace: w.Name})
	if err != nil || !slices.Equal(listed.Found, []engine.Reference{{Namespace: w.Name, Name: w.Name}}) {
		t.Errorf("listed: %v, %v", listed, err)
	}
	// A killed apply that could not save its state can leave only the ClusterResourceEnvelope.
	w.Remove(hub, resourceEnvelope+"$ns")
	if again := apply(w, e, enveloping(w), nil); again.Objects[1].UID != first.Objects[1].UID {
		t.Error("it is another one")
	}
}

// A ClusterResourceEnvelope without a mark belongs to others, unless its UID is known. If it is, the apply sets the mark.
func TestUnmarkedClusterResourceEnvelope(t *testing.T) {
	t.Parallel()
	w, hub := newHub(t)
	e := w.Engine()
	spec := enveloping(w)
	delete(spec.Manifests, "quota.yaml")
	theirs := w.Put(hub, `{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterResourceEnvelope, metadata: {name: $ns},
 data: {role.yaml: {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: $ns}}}}`)
	_, err := e.ApplyEnvelope(w.Context(), spec, nil)
	exists, is := errors.AsType[*engine.ExistsError](err)
	if !is || !strings.Contains(exists.Mark, envelope.NamespaceAnnotation) {
		t.Errorf("it is taken over: %v", err)
	}
	_, err = e.ReadEnvelope(w.Context(), engine.Reference{Namespace: w.Name, Name: w.Name}, nil)
	if _, is := errors.AsType[*hubenvelope.UnmarkedError](err); !is {
		t.Errorf("it is imported: %v", err)
	}
	before := engine.Envelope{Spec: spec, Objects: []engine.KeptObject{{UID: string(theirs.GetUID())}}}
	before.Objects[0].Group, before.Objects[0].Version, before.Objects[0].Kind = "placement.kubernetes-fleet.io", "v1beta1", "ClusterResourceEnvelope"
	before.Objects[0].Name = w.Name
	found := read(w, e, w.Name, &before)
	if diff := cmp.Diff(spec.Manifests, found.Spec.Manifests); diff != "" {
		t.Error(diff)
	}
	apply(w, e, spec, &found)
	if mark := w.Value(hub, clusterResourceEnvelope+"$ns", "metadata", "annotations", envelope.NamespaceAnnotation); mark != w.Name {
		t.Errorf("it belongs to %v", mark)
	}
	read(w, e, w.Name, nil)
}

// An envelope reads as it was written: a manifest does not need a namespace.
func TestEnvelopeIsReadAsWritten(t *testing.T) {
	t.Parallel()
	w, hub := newHub(t)
	e := w.Engine()
	spec := enveloping(w)
	spec.Manifests["other.yaml"] = w.Expand("{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: $ns-b, namespace: $ns}}")
	written := apply(w, e, spec, nil)
	if diff := cmp.Diff(spec.Manifests, read(w, e, w.Name, &written).Spec.Manifests); diff != "" {
		t.Error(diff)
	}
	w.Edit(hub, resourceEnvelope+"$ns", `{data: {quota.yaml: {spec: {hard: {pods: "6"}}}}}`)
	if text := read(w, e, w.Name, &written).Spec.Manifests["quota.yaml"]; !strings.Contains(text, "pods: \"6\"") {
		t.Errorf("a change by another client is not read: %s", text)
	}
}

// Labels and annotations set by others remain on an envelope. Labels and annotations that leave the configuration are removed.
func TestEnvelopeWithTheLabelsOfOthers(t *testing.T) {
	t.Parallel()
	w, hub := newHub(t)
	e := w.Engine()
	spec := enveloping(w)
	spec.Labels, spec.Annotations = map[string]string{"team": "web", "tier": "1"}, map[string]string{"a": "b"}
	written := apply(w, e, spec, nil)
	const theirs = `{metadata: {labels: {policy: checked}, annotations: {policy: checked}}}`
	w.Edit(hub, resourceEnvelope+"$ns", theirs)
	w.Reset()
	written = apply(w, e, spec, &written)
	if writes := w.Writes(); len(writes) > 0 {
		t.Errorf("an apply without changes writes %v", writes)
	}
	spec.Labels, spec.Annotations = map[string]string{"team": "app"}, nil
	apply(w, e, spec, &written)
	for object, want := range map[string]map[string]any{
		resourceEnvelope + "$ns":        {"team": "app", "policy": "checked"},
		clusterResourceEnvelope + "$ns": {"team": "app"},
	} {
		if diff := cmp.Diff(any(want), w.Value(hub, object, "metadata", "labels")); diff != "" {
			t.Errorf("%s: %s", object, diff)
		}
	}
	if diff := cmp.Diff(any(map[string]any{"policy": "checked"}), w.Value(hub, resourceEnvelope+"$ns", "metadata", "annotations")); diff != "" {
		t.Error(diff)
	}
	// A label that one of the objects has lost counts as missing.
	w.Edit(hub, clusterResourceEnvelope+"$ns", `{metadata: {labels: {team: null}}}`)
	if diff := cmp.Diff(map[string]string{}, read(w, e, w.Name, &written).Spec.Labels); diff != "" {
		t.Error(diff)
	}
}
