package agent

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// HandedByAnnotation names the placement that was removed, or is being removed, and whose object waits for the placement that takes it over.
const HandedByAnnotation = "fleet.terraform.io/handed-over-by"

// Keeper is a second owner for an object whose placement goes: its Namespace, which goes no earlier than the object. No agent deletes, nor does the garbage
// collector, what somebody else owns too. It is told from an owner that the object had before by saying that it blocks nothing, which others leave out.
func Keeper(namespace *unstructured.Unstructured) metav1.OwnerReference {
	return metav1.OwnerReference{
		APIVersion: "v1", Kind: "Namespace", Name: namespace.GetName(), UID: namespace.GetUID(), BlockOwnerDeletion: new(false),
	}
}

// IsKeeper reports whether a reference is to a second owner.
func IsKeeper(ref metav1.OwnerReference) bool {
	return ref.APIVersion == "v1" && ref.Kind == "Namespace" && ref.BlockOwnerDeletion != nil && !*ref.BlockOwnerDeletion
}

// HandedBy is the placement that has left an object to another one; "" for none.
func HandedBy(live *unstructured.Unstructured) string {
	return live.GetAnnotations()[HandedByAnnotation]
}
