package record

import (
	"maps"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// signed is the ConfigMap of an inventory, signed for the cluster "c".
func signed(t *testing.T, key string) *unstructured.Unstructured {
	t.Helper()
	in := &Inventory{
		Head:     Head{Name: "web", ID: "i", ClusterUID: "c", Generation: 3, Picked: true},
		Objects:  []Entry{entryOf("ConfigMap", "", "a", "x"), entryOf("Namespace", "", "", "a")},
		UnderWay: NewUnderWay(engine.OperationApply, time.Now()),
	}
	in.Objects[0].UID, in.Objects[0].Hash, in.Objects[0].Adopted = "u", "h", true
	u, err := in.Encode("1.2.3")
	if err != nil {
		t.Fatal(err)
	}
	Sign(u, []byte(key), "c")
	return u
}

// Whatever decides is covered by the signature, and so are the cluster and the placement. The mark of an operation is not.
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
		u := signed(t, "k")
		c.change(u)
		if got := Verifies(u, []byte(c.key), c.cluster); got != c.want {
			t.Errorf("%s: verifies is %v", name, got)
		}
	}
}

// Text that moves from one part to the next changes the signature.
func TestSignatureOfParts(t *testing.T) {
	t.Parallel()
	of := func(head, spec string) string {
		u := signed(t, "k")
		_ = unstructured.SetNestedField(u.Object, head, "data", inventoryKey)
		_ = unstructured.SetNestedField(u.Object, spec, "data", specKey)
		Sign(u, []byte("k"), "c")
		text, _, _ := unstructured.NestedString(u.Object, "data", signatureKey)
		return text
	}
	if len(of("a", "b")) != hashLength || of("ab", "") == of("a", "b") {
		t.Error("two inventories have one signature")
	}
}

// An inventory that does not verify has only the fields that are needed to replace it.
func TestUnproven(t *testing.T) {
	t.Parallel()
	known, err := DecodeInventory(signed(t, "k"))
	if err != nil {
		t.Fatal(err)
	}
	got := known.Unproven()
	if !got.IsUnproven() || known.IsUnproven() || (*Inventory)(nil).IsUnproven() {
		t.Error("the inventory is not known to be unproven, or all are")
	}
	if want := (Head{Name: "web", ID: "i", HasManifests: true}); got.Head != want || len(got.Objects) > 0 || got.Live != known.Live || got.UnderWay == nil {
		t.Errorf("%+v", got)
	}
	if _, found := got.Entry(known.Objects[0].Key()); found {
		t.Error("an entry is used")
	}
}

func TestManifestsMatch(t *testing.T) {
	t.Parallel()
	kept := Manifests{Stored: map[string]string{"a": "kind: A"}, WriteOnly: map[string]string{"b": "kind: B"}}
	known := &Inventory{Head: Head{
		ManifestsHash: manifest.Salted(manifest.HashTexts(kept.Stored), ""), WriteOnlyHash: manifest.Salted(manifest.HashTexts(kept.WriteOnly), ""),
	}}
	if !kept.Matches(known) || !(Manifests{}).Matches(&Inventory{}) {
		t.Error("the manifests do not match")
	}
	for _, part := range []*map[string]string{&kept.Stored, &kept.WriteOnly} {
		before := *part
		*part = maps.Clone(before)
		if (*part)["c"] = "kind: C"; kept.Matches(known) {
			t.Error("other manifests match")
		}
		*part = before
	}
}
