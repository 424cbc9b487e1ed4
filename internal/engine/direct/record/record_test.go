package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

func entryOf(kind, group, namespace, name string) Entry {
	return Entry{Identifier: manifest.Identifier{Group: group, Version: "v1", Kind: kind, Namespace: namespace, Name: name}}
}

func TestInventoryCodec(t *testing.T) {
	t.Parallel()
	in := &Inventory{
		Head: Head{Name: strings.Repeat("n", 63), ClusterUID: "c", Generation: 3, ResourceIndex: 2, ID: "i", Picked: true, Reason: "r"},
		Spec: placement.Spec{Policy: &placement.Policy{PlacementType: placement.PickAll}},
		Objects: []Entry{
			entryOf("Deployment", "apps", "b", "web"), entryOf("ConfigMap", "", "a", "x"), entryOf("ConfigMap", "", Namespace, "y"),
			entryOf("Namespace", "", "", "a"),
		},
		UnderWay: NewUnderWay(engine.OperationApply, time.Now()),
	}
	in.Objects[0].UID, in.Objects[0].Adopted = "u", true
	u, err := in.Encode("1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		applyset.KindsAnnotation: "ConfigMap,Deployment.apps,Namespace", applyset.NamespacesAnnotation: "a,b",
		applyset.ToolingAnnotation: "terraform-provider-fleet/1.2.3",
	} {
		if got := u.GetAnnotations()[key]; got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if u.GetLabels()[applyset.IDLabel] != ApplySetID(in.Name) || u.GetLabels()[KindLabel] != PlacementKind {
		t.Errorf("labels: %v", u.GetLabels())
	}
	out, err := DecodeInventory(u)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range in.Objects {
		if got, found := out.Entry(e.Key()); !found || !reflect.DeepEqual(got, e) {
			t.Errorf("%v came back as %v", e, got)
		}
	}
	if out.Head != in.Head || *out.UnderWay != *in.UnderWay || out.Spec.Hash() != in.Spec.Hash() {
		t.Errorf("got %+v", out)
	}
	renamed := u.DeepCopy()
	renamed.SetName("placement-other")
	if _, err := DecodeInventory(renamed); err == nil {
		t.Error("an inventory under another name was read")
	}
	broken := u.DeepCopy()
	_ = unstructured.SetNestedField(broken.Object, "{", "data", objectsKey)
	if _, err := DecodeInventory(broken); err == nil || !strings.Contains(err.Error(), objectsKey) {
		t.Errorf("a broken inventory: %v", err)
	}
}

func TestAllAdopted(t *testing.T) {
	t.Parallel()
	in := &Inventory{Objects: []Entry{{UID: "a"}, {UID: "b", Adopted: true}}}
	if out := in.AllAdopted(); !out.Objects[0].Adopted || !out.Objects[1].Adopted || in.Objects[0].Adopted {
		t.Errorf("%+v of %+v", out, in)
	}
}

func TestManifestsCodec(t *testing.T) {
	t.Parallel()
	in := Manifests{Stored: map[string]string{"a.yaml": "kind: A", "b.yaml": "kind: B"}, WriteOnly: map[string]string{"c.yaml": "kind: C"}}
	u, err := in.Encode("web")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := DecodeManifests(u); err != nil || !reflect.DeepEqual(in, out) {
		t.Errorf("%v, %v", out, err)
	}
	_ = unstructured.SetNestedField(u.Object, "c2VjcmV0", "data", manifestsKey)
	if _, err := DecodeManifests(u); err == nil || strings.Contains(err.Error(), "secret\"") {
		t.Errorf("unreadable manifests: %v", err)
	}
}

// The value of a patch comes back as it was written, not as the record is indented: an import shows no difference then.
func TestOverrideCodec(t *testing.T) {
	t.Parallel()
	in := Override{Name: "o", Cluster: &override.ClusterSpec{Policy: &override.Policy{OverrideRules: []override.Rule{{
		JSONPatchOverrides: []override.Patch{{Operation: override.Add, Path: "/metadata/labels", Value: json.RawMessage(`{"b":[1,2],"a":"x"}`)}},
	}}}}}
	u, err := in.Encode()
	if err != nil {
		t.Fatal(err)
	}
	out, err := DecodeOverride(u)
	if err != nil || !reflect.DeepEqual(&in, out) {
		t.Errorf("%s, %v", out.Cluster.Policy.OverrideRules[0].JSONPatchOverrides[0].Value, err)
	}
	_ = unstructured.SetNestedField(u.Object, "{", "data", overrideKey)
	if _, err := DecodeOverride(u); err == nil || !strings.Contains(err.Error(), "not readable") {
		t.Errorf("an unreadable override: %v", err)
	}
}

func TestGrownSize(t *testing.T) {
	t.Parallel()
	inventory := &Inventory{}
	for n := range 5000 {
		inventory.Objects = append(inventory.Objects, entryOf("ConfigMap", "", "default", fmt.Sprint("object-", n)))
	}
	size, err := inventory.GrownSize("")
	if err != nil || size <= Limit {
		t.Errorf("%d bytes, %v", size, err)
	}
	if inventory.Objects[0].UID != "" {
		t.Error("the inventory itself has grown")
	}
	inventory.Objects = inventory.Objects[:100]
	if size, err := inventory.GrownSize(""); err != nil || size > Limit {
		t.Errorf("%d bytes, %v", size, err)
	}
	var tooLarge *TooLargeError
	if err := error(&TooLargeError{Placement: "p"}); !errors.As(err, &tooLarge) || !strings.Contains(err.Error(), `"p"`) {
		t.Error(err)
	}
}
