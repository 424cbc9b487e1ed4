package kube

import (
	"encoding/json"
	"reflect"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/objectschema"
)

// mergeRules define how a kind is merged client-side.
type mergeRules struct {
	patch types.PatchType
	// create computes the three-way patch. It returns an error if apiVersion, kind or name would change.
	create func(original, modified, current []byte) ([]byte, error)
	// apply applies the patch as the API server will.
	apply func(current, patch []byte) ([]byte, error)
}

// mergeRulesOf returns a strategic merge if client-go has the kind's Go type, so that lists are merged by their keys, and a JSON merge otherwise.
func mergeRulesOf(gvk schema.GroupVersionKind) mergeRules {
	unchanged := []mergepatch.PreconditionFunc{
		mergepatch.RequireKeyUnchanged("apiVersion"), mergepatch.RequireKeyUnchanged("kind"), mergepatch.RequireMetadataKeyUnchanged("name"),
	}
	meta, typed := objectschema.StrategicMerge(gvk)
	if !typed {
		return mergeRules{
			patch: types.MergePatchType,
			create: func(original, modified, current []byte) ([]byte, error) {
				return jsonmergepatch.CreateThreeWayJSONMergePatch(original, modified, current, unchanged...)
			},
			apply: jsonpatch.MergePatch,
		}
	}
	return mergeRules{
		patch: types.StrategicMergePatchType,
		create: func(original, modified, current []byte) ([]byte, error) {
			return strategicpatch.CreateThreeWayMergePatch(original, modified, current, meta, true, unchanged...)
		},
		apply: func(current, patch []byte) ([]byte, error) {
			return strategicpatch.StrategicMergePatchUsingLookupPatchMeta(current, patch, meta)
		},
	}
}

// hasEffect reports whether a patch changes anything. A patch can have no effect although it is not empty: it orders a list that is in that
// order already, or removes a field that is absent. If in doubt, matters returns true.
func (r mergeRules) hasEffect(current, patch []byte) bool {
	patched, err := r.apply(current, patch)
	if err != nil {
		return true
	}
	var before, after map[string]any
	if json.Unmarshal(current, &before) != nil || json.Unmarshal(patched, &after) != nil {
		return true
	}
	return !reflect.DeepEqual(before, after)
}
