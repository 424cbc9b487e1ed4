package record

import (
	"maps"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// signedInventory returns the ConfigMap of an inventory, signed for the cluster "c".
func signedInventory(t *testing.T, key string) *unstructured.Unstructured {
	t.Helper()
	in := &Inventory{
		Head:    Head{Name: "web", ID: "i", ClusterUID: "c", Generation: 3, Picked: true},
		Objects: []Entry{newEntry("ConfigMap", "", "a", "x"), newEntry("Namespace", "", "", "a")},
		Lease:   NewUnderWay(engine.OperationApply, time.Now()),
	}
	in.Objects[0].UID, in.Objects[0].Hash, in.Objects[0].Adopted = "u", "h", true
	u, err := in.Encode("1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	Sign(u, []byte(key), "c")
	return u
}

// TestSignature checks that the signature covers the head, the spec, the objects, the cluster and the name of the record, but not the lease or the annotations.
func TestSignature(t *testing.T) {
	t.Parallel()
	set := func(key, text string) func(*unstructured.Unstructured) {
		return func(u *unstructured.Unstructured) { _ = unstructured.SetNestedField(u.Object, text, "data", key) }
	}
	for name, c := range map[string]struct {
		change       func(*unstructured.Unstructured)
		key, cluster string
		want         bool
	}{
		"unchanged":            {func(*unstructured.Unstructured) {}, "k", "c", true},
		"another mark":         {set(underWayKey, "{}"), "k", "c", true},
		"an annotation":        {func(u *unstructured.Unstructured) { u.SetAnnotations(nil) }, "k", "c", true},
		"another key":          {func(*unstructured.Unstructured) {}, "l", "c", false},
		"no key":               {func(*unstructured.Unstructured) {}, "", "c", false},
		"another cluster":      {func(*unstructured.Unstructured) {}, "k", "d", false},
		"another placement":    {func(u *unstructured.Unstructured) { u.SetName("placement-other") }, "k", "c", false},
		"the head":             {set(inventoryKey, `{"name":"web","generation":4}`), "k", "c", false},
		"the spec":             {set(specKey, `{"strategy":{"deleteStrategy":{"contents":"Delete"}}}`), "k", "c", false},
		"the objects":          {set(objectsKey, "[]"), "k", "c", false},
		"a space":              {set(specKey, "{ }"), "k", "c", false},
		"the signature":        {set(signatureKey, "00"), "k", "c", false},
		"the signature is off": {func(u *unstructured.Unstructured) { Sign(u, nil, "c") }, "k", "c", false},
		"no signature, no key": {func(u *unstructured.Unstructured) { Sign(u, nil, "c") }, "", "c", false},
		"no data":              {func(u *unstructured.Unstructured) { delete(u.Object, "data") }, "k", "c", false},
	} {
		u := signedInventory(t, "k")
		c.change(u)
		if got := Verifies(u, []byte(c.key), c.cluster); got != c.want {
			t.Errorf("%s: Verifies returned %v", name, got)
		}
	}
}

// TestSignatureOfParts checks that text that moves from one part to the next changes the signature.
func TestSignatureOfParts(t *testing.T) {
	t.Parallel()
	sign := func(head, spec string) string {
		u := signedInventory(t, "k")
		_ = unstructured.SetNestedField(u.Object, head, "data", inventoryKey)
		_ = unstructured.SetNestedField(u.Object, spec, "data", specKey)
		Sign(u, []byte("k"), "c")
		text, _, _ := unstructured.NestedString(u.Object, "data", signatureKey)
		return text
	}
	if len(sign("a", "b")) != hashLength || sign("ab", "") == sign("a", "b") {
		t.Error("two inventories have the same signature")
	}
}

// TestUnproven checks that an inventory that does not verify keeps only the ConfigMap, the lease and the identity.
func TestUnproven(t *testing.T) {
	t.Parallel()
	known, err := DecodeInventory(signedInventory(t, "k"))
	if err != nil {
		t.Fatal(err)
	}
	got := known.Unproven()
	if !got.IsUnproven() || known.IsUnproven() || (*Inventory)(nil).IsUnproven() {
		t.Error("IsUnproven is wrong for the unproven inventory, the original or nil")
	}
	if want := (Head{Name: "web", ID: "i", HasManifests: true}); got.Head != want || len(got.Objects) > 0 || got.Live != known.Live || got.Lease == nil {
		t.Errorf("%+v", got)
	}
	if _, found := got.Entry(known.Objects[0].Key()); found {
		t.Error("the unproven inventory has an entry")
	}
}

func TestManifestsMatch(t *testing.T) {
	t.Parallel()
	manifests := Manifests{Stored: map[string]string{"a": "kind: A"}, WriteOnly: map[string]string{"b": "kind: B"}}
	known := &Inventory{Head: Head{
		ManifestsHash: manifest.Salted(manifest.HashTexts(manifests.Stored), ""), WriteOnlyHash: manifest.Salted(manifest.HashTexts(manifests.WriteOnly), ""),
	}}
	if !manifests.Matches(known) || !(Manifests{}).Matches(&Inventory{}) {
		t.Error("the manifests do not match")
	}
	for _, part := range []*map[string]string{&manifests.Stored, &manifests.WriteOnly} {
		before := *part
		*part = maps.Clone(before)
		if (*part)["c"] = "kind: C"; manifests.Matches(known) {
			t.Error("other manifests match")
		}
		*part = before
	}
}
