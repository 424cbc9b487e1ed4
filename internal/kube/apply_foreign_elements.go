package kube

import (
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"
)

// foreignElementsError is the rejection of an apply because of a list to which other clients have added elements. An apply merges lists by their keys, and
// keeps these elements.
type foreignElementsError struct {
	list string
	err  error
}

func (e *foreignElementsError) Error() string { return e.err.Error() }
func (e *foreignElementsError) Unwrap() error { return e.err }

func (e *foreignElementsError) advice() string {
	return "Other clients have changed " + e.list + " on the cluster, and an apply keeps the elements that they have added. Undo their changes there, then apply again."
}

// asForeignElements converts a rejection into a *foreignElementsError if it is about a list in which live has elements that neither obj nor the former apply
// has. It returns any other error unchanged. If live is nil, it returns every error unchanged. former returns the configuration of the former apply, or nil
// if the configuration is unknown.
func asForeignElements(obj, live *unstructured.Unstructured, former func() []byte, err error) error {
	if live == nil || !apierrors.IsInvalid(err) {
		return err
	}
	var before map[string]any
	_ = json.Unmarshal(former(), &before) // without a former configuration, all elements that obj does not have count as foreign
	for _, cause := range detailsOf(err).Causes {
		list, _, isElement := strings.Cut(cause.Field, "[")
		isMerged := cause.Type == metav1.CauseTypeFieldValueDuplicate || cause.Type == metav1.CauseTypeFieldValueRequired
		if isElement && isMerged && hasForeignElement(obj.Object, before, live.Object, strings.Split(list, ".")) {
			return &foreignElementsError{list: list, err: err}
		}
	}
	return err
}

// hasForeignElement reports whether the list at path in live has an element that contains neither all fields of an element of the list in obj, nor all
// fields of an element of the list in former. It returns false if the list in obj is missing or empty.
func hasForeignElement(obj, former, live map[string]any, path []string) bool {
	applied, _, _ := unstructured.NestedSlice(obj, path...)
	before, _, _ := unstructured.NestedSlice(former, path...)
	present, _, _ := unstructured.NestedSlice(live, path...)
	return len(applied) > 0 && slices.ContainsFunc(present, func(element any) bool {
		return !slices.ContainsFunc(slices.Concat(applied, before), func(part any) bool { return isPart(part, element) })
	})
}

// isPart reports whether value has all fields of part. value may have additional fields, for example defaults of the API server. The elements of a list may
// have additional fields as well, but a list must not have additional elements.
func isPart(part, value any) bool {
	switch part := part.(type) {
	case map[string]any:
		values, isMap := value.(map[string]any)
		if !isMap {
			return false
		}
		for name, field := range part {
			if !isPart(field, values[name]) {
				return false
			}
		}
		return true
	case []any:
		elements, isList := value.([]any)
		return isList && slices.EqualFunc(part, elements, isPart)
	default:
		return reflect.DeepEqual(part, value)
	}
}
