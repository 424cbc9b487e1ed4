package kube

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// requestError is returned for an invalid request, which is not sent.
type requestError struct{ text string }

func (e *requestError) Error() string { return e.text }

var errNoNamespace = &requestError{"its kind is namespaced, but it has no namespace"}

// answerError is returned when an answer does not match the request, for example because a proxy created the answer or mixed up two answers.
type answerError struct{ text string }

func (e *answerError) Error() string { return e.text }

// replacedError is returned when the address of a known cluster leads to another cluster. Only the identity check is sent to that cluster.
type replacedError struct{ was, is types.UID }

func (e *replacedError) Error() string {
	return fmt.Sprintf("this address now leads to another cluster: the UID of its namespace kube-system is %s, and was %s. Only this UID was read from it", e.is, e.was)
}

type listError struct{ text string }

func (e *listError) Error() string { return e.text }

// errNoKubernetes is returned when a server answers but serves no kinds. The server is then probably no API server, so the error does not
// prove that a kind is unknown.
var errNoKubernetes = errors.New("the server answers, but serves no Kubernetes API")

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
