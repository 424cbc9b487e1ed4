package objectschema_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/objectschema"
)

// TestStrategicMerge compares the rules with the Go types at every field of every kind.
func TestStrategicMerge(t *testing.T) {
	c := strategicComparison{t: t, seen: map[reflect.Type]bool{}}
	for gvk, goType := range scheme.Scheme.AllKnownTypes() {
		if gvk.Version == "__internal" {
			continue
		}
		ours, known := objectschema.StrategicMerge(gvk)
		if !known {
			t.Errorf("%s is not known", gvk)
			continue
		}
		c.compare(gvk.Kind, ours, strategicpatch.PatchMetaFromStruct{T: goType})
	}
	if c.fields < 3000 || c.keyed < 50 {
		t.Errorf("compared only %d fields, %d of them with a merge key", c.fields, c.keyed)
	}
	t.Logf("%d fields, %d with a merge key", c.fields, c.keyed)
	for _, gvk := range []schema.GroupVersionKind{
		{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}, {Group: "example.org", Version: "v1", Kind: "Sample"},
	} {
		if _, known := objectschema.StrategicMerge(gvk); known {
			t.Errorf("client-go has no type of %s, but it is merged by keys", gvk)
		}
	}
}

type strategicComparison struct {
	t             *testing.T
	seen          map[reflect.Type]bool
	fields, keyed int
}

func (c *strategicComparison) compare(path string, ours strategicpatch.LookupPatchMeta, want strategicpatch.PatchMetaFromStruct) {
	goType := withoutPointer(want.T)
	if c.seen[goType] || formOf(goType) != "structure" {
		return
	}
	c.seen[goType] = true
	for name := range goFields(goType) {
		path := path + "." + name
		gotField, got, err := ours.LookupPatchMetadataForStruct(name)
		wantField, expected, wantErr := want.LookupPatchMetadataForStruct(name)
		if err != nil || wantErr != nil {
			c.t.Errorf("%s: got %v, want %v", path, err, wantErr)
			continue
		}
		c.fields++
		c.same(path, got, expected)
		if expected.GetPatchMergeKey() != "" {
			c.keyed++
		}
		if other, _, err := ours.LookupPatchMetadataForStruct(strings.ToUpper(name)); err != nil || other != gotField {
			c.t.Errorf("%s in capitals: got %v, %v", path, other, err)
		}
		inner := wantField.(strategicpatch.PatchMetaFromStruct)
		if formOf(inner.T) != "list" {
			c.compare(path, gotField, inner)
			continue
		}
		gotElement, got, err := ours.LookupPatchMetadataForSlice(name)
		wantElement, expected, wantErr := want.LookupPatchMetadataForSlice(name)
		if (err == nil) != (wantErr == nil) {
			c.t.Errorf("%s: got %v, want %v", path, err, wantErr)
		}
		if err == nil && wantErr == nil {
			c.same(path, got, expected)
			c.compare(path+"[]", gotElement, wantElement.(strategicpatch.PatchMetaFromStruct))
		}
	}
}

func (c *strategicComparison) same(path string, got, want strategicpatch.PatchMeta) {
	strategies := slices.DeleteFunc(want.GetPatchStrategies(), func(strategy string) bool { return strategy == "" })
	if !slices.Equal(got.GetPatchStrategies(), strategies) || got.GetPatchMergeKey() != want.GetPatchMergeKey() {
		c.t.Errorf("%s: got %v by %q, want %v by %q", path, got.GetPatchStrategies(), got.GetPatchMergeKey(), strategies, want.GetPatchMergeKey())
	}
}
