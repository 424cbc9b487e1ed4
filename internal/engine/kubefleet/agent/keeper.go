package agent

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// HandedByAnnotation is set on an object whose placement is removed while another placement takes the object over. Its value is the name of the removed
// placement.
const HandedByAnnotation = "fleet.terraform.io/handed-over-by"

// KeptByAnnotation is set on an object that has a temporary owner because its placement is removed with the propagation policy Abandon. Its value is the name
// of the removed placement.
const KeptByAnnotation = "fleet.terraform.io/kept-by"

// Keeper returns an owner reference to a Namespace. The engine makes this Namespace a temporary owner of an object that must remain when its placement is
// removed, because neither an agent nor the garbage collector deletes an object that has another owner. The Namespace exists at least as long as the object.
// blockOwnerDeletion is explicitly false, so that [IsKeeper] recognizes the reference: other clients usually omit this field.
func Keeper(namespace *unstructured.Unstructured) metav1.OwnerReference {
	return metav1.OwnerReference{
		APIVersion: "v1", Kind: "Namespace", Name: namespace.GetName(), UID: namespace.GetUID(), BlockOwnerDeletion: new(false),
	}
}

// IsKeeper reports whether an owner reference is the temporary owner that the engine has added to an object. namespace is the namespace of the object, "" for a
// cluster-scoped object.
func IsKeeper(namespace string, ref metav1.OwnerReference) bool {
	return ref.APIVersion == "v1" && ref.Kind == "Namespace" && ref.Name == KeeperOf(namespace) && ref.BlockOwnerDeletion != nil && !*ref.BlockOwnerDeletion
}

// KeeperOf returns the name of the Namespace that is the temporary owner of an object: the namespace of the object, or "kube-system" for a cluster-scoped
// object.
func KeeperOf(namespace string) string { return cmp.Or(namespace, metav1.NamespaceSystem) }

// HandedBy returns the placement that handed an object over to another one, or "" if none did.
func HandedBy(live *unstructured.Unstructured) string {
	return live.GetAnnotations()[HandedByAnnotation]
}

// KeptBy returns the placement whose removal with the propagation policy Abandon has added a temporary owner to an object, or "" if none has.
func KeptBy(live *unstructured.Unstructured) string {
	return live.GetAnnotations()[KeptByAnnotation]
}

// IsHeld reports whether one of the owners of an object is an AppliedWork. If so, an agent may delete the object.
func IsHeld(owners []metav1.OwnerReference) bool {
	return slices.ContainsFunc(owners, func(ref metav1.OwnerReference) bool { return ref.Kind == AppliedWork })
}
