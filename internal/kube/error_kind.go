package kube

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// UnknownKindError is returned when the cluster does not serve a kind: its CustomResourceDefinition is not installed (yet), or not in this version.
type UnknownKindError struct {
	Cluster string
	GVK     schema.GroupVersionKind
}

func (e *UnknownKindError) Error() string {
	return fmt.Sprintf("cluster %q does not serve the kind %s of %s", e.Cluster, e.GVK.Kind, e.GVK.GroupVersion())
}

// UnavailableGroupError is returned when the cluster may serve a kind, but the API service of its group is unavailable.
type UnavailableGroupError struct {
	Cluster      string
	GroupVersion schema.GroupVersion
	Err          error
}

func (e *UnavailableGroupError) Error() string {
	return fmt.Sprintf("cluster %q has an API service for %s which does not answer: %s", e.Cluster, e.GroupVersion, e.Err)
}

// Unwrap returns the discovery error.
func (e *UnavailableGroupError) Unwrap() error { return e.Err }
