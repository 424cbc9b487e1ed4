package kube

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// UnknownKindError is a kind that the cluster does not serve: its CustomResourceDefinition is not installed (yet), or not in this version.
type UnknownKindError struct {
	Cluster string
	GVK     schema.GroupVersionKind
}

func (e *UnknownKindError) Error() string {
	return fmt.Sprintf("cluster %q does not serve the kind %s of %s", e.Cluster, e.GVK.Kind, e.GVK.GroupVersion())
}

// UnavailableGroupError is a kind of which is not known whether the cluster serves it, because the API service in charge does not answer.
type UnavailableGroupError struct {
	Cluster      string
	GroupVersion schema.GroupVersion
	Err          error
}

func (e *UnavailableGroupError) Error() string {
	return fmt.Sprintf("cluster %q has an API service for %s which does not answer: %s", e.Cluster, e.GroupVersion, e.Err)
}

// Unwrap returns what discovery got instead of an answer.
func (e *UnavailableGroupError) Unwrap() error { return e.Err }
