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

// mergeRules are how a kind is merged on the client's side.
type mergeRules struct {
	patch types.PatchType
	// create computes the three-way patch; it fails if apiVersion, kind or name would change.
	create func(original, modified, current []byte) ([]byte, error)
	// apply does what the API server will do with the patch.
	apply func(current, patch []byte) ([]byte, error)
}

// mergeRulesOf chooses between the two ways to merge: the lists of kinds whose Go type client-go has can be merged by their keys.
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

// matters reports whether a patch changes anything. Some are not empty, and still have no effect: they order a list which is in that
// order, or remove what somebody else has removed already. When in doubt, a patch matters.
func (r mergeRules) matters(current, patch []byte) bool {
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
