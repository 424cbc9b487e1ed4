package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

func newEntry(kind, group, namespace, name string) Entry {
	return Entry{Identifier: manifest.Identifier{Group: group, Version: "v1", Kind: kind, Namespace: namespace, Name: name}}
}

func TestInventoryCodec(t *testing.T) {
	t.Parallel()
	in := &Inventory{
		Head: Head{Name: strings.Repeat("n", 63), ClusterUID: "c", Generation: 3, ResourceIndex: 2, ID: "i", Picked: true, Reason: "r"},
		Spec: placement.Spec{Policy: &placement.Policy{PlacementType: placement.PickAll}},
		Objects: []Entry{
			newEntry("Deployment", "apps", "b", "web"), newEntry("ConfigMap", "", "a", "x"), newEntry("ConfigMap", "", Namespace, "y"),
			newEntry("Namespace", "", "", "a"),
		},
		Lease: NewUnderWay(engine.OperationApply, time.Now()),
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
			t.Errorf("decoded %v, want %v", got, e)
		}
	}
	if out.Head != in.Head || *out.Lease != *in.Lease || out.Spec.Hash() != in.Spec.Hash() {
		t.Errorf("got %+v", out)
	}
	renamed := u.DeepCopy()
	renamed.SetName("placement-other")
	if _, err := DecodeInventory(renamed); err == nil {
		t.Error("decoded an inventory under another name")
	}
	broken := u.DeepCopy()
	_ = unstructured.SetNestedField(broken.Object, "{", "data", objectsKey)
	if _, err := DecodeInventory(broken); err == nil || !strings.Contains(err.Error(), objectsKey) {
		t.Errorf("invalid inventory: got error %v", err)
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
	u.SetResourceVersion("7")
	renamed, err := in.Encode("shop")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(renamed, CopyManifests(u, "shop")); diff != "" {
		t.Errorf("the copy under another name: %s", diff)
	}
	_ = unstructured.SetNestedField(u.Object, "c2VjcmV0", "data", manifestsKey)
	if _, err := DecodeManifests(u); err == nil || strings.Contains(err.Error(), "secret\"") {
		t.Errorf("invalid manifests: got error %v", err)
	}
}

// TestOverrideCodec checks that the value of a patch keeps its formatting in the indented record, so that an import shows no diff.
func TestOverrideCodec(t *testing.T) {
	t.Parallel()
	in := Override{Name: "o", Cluster: &override.ClusterSpec{Policy: &override.Policy{OverrideRules: []override.Rule{{
		JSONPatchOverrides: []override.Patch{{Operation: override.Add, Path: "/metadata/labels", Value: json.RawMessage(`{"b":[1,2],"a":"x"}`)}},
	}}}}}
	u, secret, err := in.Encode()
	if err != nil || secret != nil {
		t.Fatal(secret, err)
	}
	out, err := DecodeOverride(u)
	if err != nil || !reflect.DeepEqual(&in, out) {
		t.Errorf("%s, %v", out.Cluster.Policy.OverrideRules[0].JSONPatchOverrides[0].Value, err)
	}
	_ = unstructured.SetNestedField(u.Object, "{", "data", overrideKey)
	if _, err := DecodeOverride(u); err == nil || !strings.Contains(err.Error(), "not readable") {
		t.Errorf("invalid override: got error %v", err)
	}
}

// TestOverrideOfSecrets checks that a ConfigMap never has values that an override can set in a Secret.
func TestOverrideOfSecrets(t *testing.T) {
	t.Parallel()
	policy := func(path string) *override.Policy {
		return &override.Policy{OverrideRules: []override.Rule{{
			JSONPatchOverrides: []override.Patch{{Operation: override.Add, Path: path, Value: json.RawMessage(`"planted"`)}},
		}}}
	}
	newNamespaced := func(kind, path string) Override {
		return Override{Namespace: "app", Name: "o", Namespaced: &override.Spec{
			ResourceSelectors: []override.Selector{{Version: "v1", Kind: kind, Name: "a"}}, Policy: policy(path),
		}}
	}
	newCluster := func(kind, path string) Override {
		return Override{Name: "o", Cluster: &override.ClusterSpec{
			ClusterResourceSelectors: []placement.ResourceSelector{{Version: "v1", Kind: kind, Name: "a"}}, Policy: policy(path),
		}}
	}
	for name, c := range map[string]struct {
		override Override
		secret   bool
	}{
		"a Secret":               {newNamespaced("Secret", "/metadata/labels/a"), true},
		"a ConfigMap":            {newNamespaced("ConfigMap", "/data/a"), false},
		"what is in a Namespace": {newCluster("Namespace", "/stringData/a"), true},
		"labels of a Namespace":  {newCluster("Namespace", "/metadata/labels/a"), false},
		"nothing":                {Override{Name: "o", Cluster: &override.ClusterSpec{}}, false},
	} {
		u, secret, err := c.override.Encode()
		if err != nil || (secret != nil) != c.secret {
			t.Fatalf("%s: %v, %v", name, secret, err)
		}
		text, err := u.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if c.secret && strings.Contains(string(text), "planted") {
			t.Errorf("%s: the ConfigMap has the value: %s", name, text)
		}
		known, err := DecodeOverride(u)
		if err != nil || known.InSecret != c.secret {
			t.Errorf("%s: %+v, %v", name, known, err)
		}
	}
}

func TestGrownSize(t *testing.T) {
	t.Parallel()
	inventory := &Inventory{}
	for n := range 5000 {
		inventory.Objects = append(inventory.Objects, newEntry("ConfigMap", "", "default", fmt.Sprint("object-", n)))
	}
	size, err := inventory.GrownSize("")
	if err != nil || size <= Limit {
		t.Errorf("%d bytes, %v", size, err)
	}
	if inventory.Objects[0].UID != "" {
		t.Error("GrownSize changed the inventory")
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

// TestReleased checks that released objects stay in the inventory but leave the ApplySet, and that an inventory with released objects only is a former one.
func TestReleased(t *testing.T) {
	t.Parallel()
	id := manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "ns", Name: "a"}
	other := manifest.Identifier{Version: "v1", Kind: "Secret", Namespace: "other", Name: "b"}
	inventory := &Inventory{Head: Head{Name: "web"}, Objects: []Entry{{Identifier: id, UID: "u", Hash: "h", Released: true}}}
	if !inventory.Former() {
		t.Error("an inventory of released objects is not a former one")
	}
	inventory.Objects = append(inventory.Objects, Entry{Identifier: other, UID: "v"})
	if inventory.Former() {
		t.Error("an inventory with an object of its own is a former one")
	}
	u, err := inventory.Encode("test")
	if err != nil {
		t.Fatal(err)
	}
	if got := u.GetAnnotations()[applyset.NamespacesAnnotation]; got != "other" {
		t.Errorf("the set has the namespaces %q", got)
	}
	back, err := DecodeInventory(u)
	if err != nil {
		t.Fatal(err)
	}
	if entry, _ := back.Entry(id.Key()); !entry.Released {
		t.Errorf("read back as %+v", entry)
	}
	for name, change := range map[string]func(*Inventory){
		"picked": func(i *Inventory) { i.Picked = true }, "leased": func(i *Inventory) { i.Lease = &Lease{} },
	} {
		one := &Inventory{Head: Head{Name: "web"}, Objects: []Entry{{Identifier: id, Released: true}}}
		if change(one); one.Former() {
			t.Errorf("%s: the inventory is a former one", name)
		}
	}
}
