package kube

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ForetellClientSide is what ApplyClientSide would make of live, as far as that can be told without the API server: by the annotation with what
// was applied last, without the defaults and the admission rules of the server. It is nil where the annotation does not tell.
func ForetellClientSide(obj, live *unstructured.Unstructured) *unstructured.Unstructured {
	original := lastApplied(live, DefaultLastAppliedAnnotation)
	desired, err := withLastApplied(obj, DefaultLastAppliedAnnotation)
	if original == nil || err != nil {
		return nil
	}
	current, err := json.Marshal(live.Object)
	if err != nil {
		return nil
	}
	modified, err := json.Marshal(desired.Object)
	if err != nil {
		return nil
	}
	rules, err := mergeRulesOf(desired.GroupVersionKind())
	if err != nil {
		return nil
	}
	patch, err := rules.create(original, modified, current)
	if err != nil {
		return nil
	}
	merged, err := rules.apply(current, patch)
	out := &unstructured.Unstructured{}
	if err != nil || json.Unmarshal(merged, &out.Object) != nil {
		return nil
	}
	return out
}
