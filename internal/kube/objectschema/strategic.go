package objectschema

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
)

// StrategicMerge returns how a strategic merge patch merges the objects of a kind. It returns false for a kind that client-go does not have:
// clients use JSON merge patches for such a kind, which replace lists as a whole.
func StrategicMerge(kind schema.GroupVersionKind) (strategicpatch.LookupPatchMeta, bool) {
	known := readTable().typed[kind]
	return strategic{known}, known != nil
}

// strategic implements [strategicpatch.LookupPatchMeta]. It does the same as [strategicpatch.PatchMetaFromStruct] without the Go type.
type strategic struct{ *node }

var _ strategicpatch.LookupPatchMeta = strategic{}

func (s strategic) LookupPatchMetadataForStruct(key string) (strategicpatch.LookupPatchMeta, strategicpatch.PatchMeta, error) {
	field, err := s.lookup(key)
	if err != nil {
		return nil, strategicpatch.PatchMeta{}, err
	}
	return strategic{field}, field.patchMeta(), nil
}

func (s strategic) LookupPatchMetadataForSlice(key string) (strategicpatch.LookupPatchMeta, strategicpatch.PatchMeta, error) {
	field, err := s.lookup(key)
	if err != nil {
		return nil, strategicpatch.PatchMeta{}, err
	}
	if field.form != diff.FormList {
		return nil, strategicpatch.PatchMeta{}, fmt.Errorf("the field %q is not a list", key)
	}
	return strategic{field.inner}, field.patchMeta(), nil
}

func (s strategic) Name() string {
	if s.form == diff.FormStructure {
		return "struct"
	}
	return "field"
}

// lookup finds a field in the same way as encoding/json: by its exact name, or else by its name regardless of case.
func (s strategic) lookup(key string) (*node, error) {
	if s.form == diff.FormStructure {
		fields := s.structure.readFields()
		if field := fields[key]; field != nil {
			return field, nil
		}
		for name, field := range fields {
			if strings.EqualFold(name, key) {
				return field, nil
			}
		}
	}
	return nil, fmt.Errorf("unable to find the field %q", key)
}

func (n *node) patchMeta() strategicpatch.PatchMeta {
	meta := strategicpatch.PatchMeta{}
	meta.SetPatchStrategies(n.strategies)
	meta.SetPatchMergeKey(n.mergeKey)
	return meta
}
