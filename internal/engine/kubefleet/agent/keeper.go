package agent

import (
	"cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// HandedByAnnotation names the placement that was or is being removed, and whose object waits for another placement to take it over.
const HandedByAnnotation = "fleet.terraform.io/handed-over-by"

// Keeper returns a second owner for an object whose placement is removed: its Namespace, which is deleted no earlier than the object. Neither an agent nor
// the garbage collector deletes an object that has another owner. Its blockOwnerDeletion is explicitly false: others omit the field, so that [IsKeeper]
// recognizes it.
func Keeper(namespace *unstructured.Unstructured) metav1.OwnerReference {
	return metav1.OwnerReference{
		APIVersion: "v1", Kind: "Namespace", Name: namespace.GetName(), UID: namespace.GetUID(), BlockOwnerDeletion: new(false),
	}
}

// IsKeeper reports whether an owner reference is the second owner that the engine has given an object, as opposed to a Namespace that another client made an
// owner. namespace is the namespace of the object, "" for a cluster-scoped object.
func IsKeeper(namespace string, ref metav1.OwnerReference) bool {
	return ref.APIVersion == "v1" && ref.Kind == "Namespace" && ref.Name == KeeperOf(namespace) && ref.BlockOwnerDeletion != nil && !*ref.BlockOwnerDeletion
}

// KeeperOf returns the name of the second owner of an object in a namespace: the Namespace, or one that exists on every cluster.
func KeeperOf(namespace string) string { return cmp.Or(namespace, metav1.NamespaceSystem) }

// HandedBy returns the placement that handed an object over to another one, or "" if none did.
func HandedBy(live *unstructured.Unstructured) string {
	return live.GetAnnotations()[HandedByAnnotation]
}
