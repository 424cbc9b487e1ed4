package kube

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
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

// asForeignElements returns a rejection as a *foreignElementsError if it is about a list in which live has elements that obj does not have. live may be nil.
func asForeignElements(obj, live *unstructured.Unstructured, err error) error {
	var status apierrors.APIStatus
	if live == nil || !apierrors.IsInvalid(err) || !errors.As(err, &status) || status.Status().Details == nil {
		return err
	}
	for _, cause := range status.Status().Details.Causes {
		list, _, isElement := strings.Cut(cause.Field, "[")
		isMerged := cause.Type == metav1.CauseTypeFieldValueDuplicate || cause.Type == metav1.CauseTypeFieldValueRequired
		if isElement && isMerged && hasForeignElement(obj, live, strings.Split(list, ".")) {
			return &foreignElementsError{list: list, err: err}
		}
	}
	return err
}

// hasForeignElement reports whether the list at path in live has an element that does not contain one of the elements in obj. It returns false if obj has no
// such list.
func hasForeignElement(obj, live *unstructured.Unstructured, path []string) bool {
	applied, _, _ := unstructured.NestedSlice(obj.Object, path...)
	present, _, _ := unstructured.NestedSlice(live.Object, path...)
	return len(applied) > 0 && slices.ContainsFunc(present, func(element any) bool {
		return !slices.ContainsFunc(applied, func(part any) bool { return isPart(part, element) })
	})
}

func isPart(part, value any) bool {
	fields, isMap := part.(map[string]any)
	values, isValueMap := value.(map[string]any)
	if !isMap || !isValueMap {
		return reflect.DeepEqual(part, value)
	}
	for name, field := range fields {
		if !isPart(field, values[name]) {
			return false
		}
	}
	return true
}
