package kube

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Ref names one object on a cluster. It is comparable. Namespace is empty for cluster-scoped kinds.
type Ref struct {
	GVK       schema.GroupVersionKind
	Namespace string
	Name      string
}

// RefOf returns the reference of an object.
func RefOf(obj *unstructured.Unstructured) Ref {
	if obj == nil {
		return Ref{}
	}
	return Ref{GVK: obj.GroupVersionKind(), Namespace: obj.GetNamespace(), Name: obj.GetName()}
}

// String is "Deployment.apps web/api", "Namespace web", or the kind alone where there is no name.
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
