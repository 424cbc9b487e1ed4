package kube

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
)

// Ref identifies one object of a cluster. It is comparable. Namespace is empty for cluster-scoped kinds.
type Ref struct {
	GVK       schema.GroupVersionKind
	Namespace string
	Name      string
}

// RefOf returns the reference of an object, or an empty Ref for nil.
func RefOf(obj *unstructured.Unstructured) Ref {
	if obj == nil {
		return Ref{}
	}
	return Ref{GVK: obj.GroupVersionKind(), Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

// check returns an error for a name or namespace that would make the request path refer to another object, for example one with a slash.
func (r Ref) check() error {
	for what, text := range map[string]string{"name": r.Name, "namespace": r.Namespace} {
		if problems := rest.IsValidPathSegmentName(text); len(problems) > 0 {
			return &requestError{"its " + what + " cannot be part of a request: it " + strings.Join(problems, ", and ")}
		}
	}
	return nil
}

// String returns a text such as "Deployment.apps web/api" or "Namespace web", without a name if there is none.
func (r Ref) String() string {
	text := r.GVK.GroupKind().String()
	switch {
	case r.Name == "" && r.Namespace == "":
		return text
	case r.Name == "":
		return text + " in namespace " + r.Namespace
	case r.Namespace == "":
		return text + " " + r.Name
	default:
		return text + " " + r.Namespace + "/" + r.Name
	}
}

// Seen identifies a version of an object: while both values are the same, the object is unchanged.
type Seen struct{ UID, ResourceVersion string }
