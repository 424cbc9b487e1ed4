package kube

import (
	"encoding/json"
	"reflect"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/objectschema"
)

type mergeRules struct {
	patch types.PatchType
	// create computes the three-way patch. It returns an error if apiVersion, kind or name would change.
	create func(original, modified, current []byte) ([]byte, error)
	apply  func(current, patch []byte) ([]byte, error)
}

// mergeRulesOf returns the rules for a strategic merge, which merges lists by their keys, if client-go has the Go type of the kind. Otherwise
// it returns the rules for a JSON merge.
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

// hasEffect reports whether a patch changes current. It also returns true if the effect cannot be determined. For example, a patch that orders a list or
// removes an absent field may be without effect.
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

// threeWay returns the type and the content of the patch from live to desired. original is the last applied configuration, or nil. The content is nil if
// nothing changes. The UID of live and, with lock, its resourceVersion are preconditions of the patch.
func threeWay(original []byte, desired, live *unstructured.Unstructured, lock bool) (types.PatchType, []byte, error) {
	modified, err := json.Marshal(desired.Object)
	if err != nil {
		return "", nil, &requestError{"it cannot be written as JSON"}
	}
	current, err := json.Marshal(live.Object)
	if err != nil {
		return "", nil, &requestError{"the live object cannot be written as JSON"}
	}
	rules := mergeRulesOf(desired.GroupVersionKind())
	data, err := rules.create(original, modified, current)
	switch {
	case mergepatch.IsPreconditionFailed(err):
		return "", nil, &requestError{"the manifest and the live object differ in apiVersion, kind or name"}
	case err != nil:
		// The error is not wrapped: it may quote the objects, which may be Secrets.
		return "", nil, &requestError{"the manifest cannot be merged with the live object: a field has another type than in the schema, " +
			"or an element of a list lacks its key"}
	}
	var changes map[string]any
	if err := json.Unmarshal(data, &changes); err != nil || len(changes) == 0 || !rules.hasEffect(current, data) {
		return "", nil, err
	}
	data, err = addPreconditions(changes, live, lock)
	return rules.patch, data, err
}

func addPreconditions(changes map[string]any, live *unstructured.Unstructured, lock bool) ([]byte, error) {
	metadata, _ := changes["metadata"].(map[string]any)
	if metadata == nil {
		metadata = map[string]any{}
		changes["metadata"] = metadata
	}
	if uid := live.GetUID(); uid != "" {
		metadata["uid"] = string(uid)
	}
	if version := live.GetResourceVersion(); lock && version != "" {
		metadata["resourceVersion"] = version
	}
	return json.Marshal(changes)
}
