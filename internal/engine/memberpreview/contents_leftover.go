package memberpreview

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// A leftover is an object whose owners no longer exist: a cluster deletes the objects of a workload some time after the workload, one generation after the
// other. Leftovers do not prevent the deletion of a Namespace, because the cluster deletes them anyway. One list does not distinguish a leftover from an object
// that was created with its owner while the kinds were listed. Two lists do: if an object in the first list still has an owner, the second list has the owner.

const (
	serviceAccountUIDAnnotation = "kubernetes.io/service-account.uid"
	endpointsManagedByLabel     = "endpoints.kubernetes.io/managed-by"
	endpointsController         = "endpoint-controller"
)

// mayHaveLeftovers reports whether the list lacks an owner of a found object, or the object for which a controller created it. Owners in going do not count.
// If mayHaveLeftovers returns true, the contents must be listed again.
func (c *contents) mayHaveLeftovers(going Deleted) bool {
	return slices.ContainsFunc(c.found, func(o content) bool {
		return c.lacksMaker(o) || slices.ContainsFunc(o.meta.OwnerReferences, func(owner metav1.OwnerReference) bool {
			return !going[owner.UID] && c.isAbsent(owner)
		})
	})
}

// isLeftover reports whether both lists have o, and the object for which a controller created o no longer exists. The owner references of o do not contain that
// object.
func (c *contents) isLeftover(o content) bool { return c.before[o.meta.UID] && c.lacksMaker(o) }

// lacksMaker reports whether the list lacks the object for which a controller created o: the ServiceAccount of a token Secret, or the Service of Endpoints.
// It returns false if the kind of this object was not listed.
func (c *contents) lacksMaker(o content) bool {
	switch uid := types.UID(o.meta.Annotations[serviceAccountUIDAnnotation]); {
	case o.Group != "":
		return false
	case o.Kind == "Secret" && uid != "":
		return c.isAbsent(metav1.OwnerReference{APIVersion: "v1", Kind: "ServiceAccount", UID: uid})
	case o.Kind == "Endpoints" && o.meta.Labels[endpointsManagedByLabel] == endpointsController:
		return c.listed[schema.GroupKind{Kind: "Service"}] && !slices.ContainsFunc(c.found, func(other content) bool {
			return other.Group == "" && other.Kind == "Service" && other.Name == o.Name
		})
	}
	return false
}

// isAbsent reports whether the kind of an owner was listed, and the owner was not found. The list contains every owner of a listed kind: an owner of a
// namespaced object is in the same Namespace or cluster-scoped, and the kinds in a Namespace are namespaced.
func (c *contents) isAbsent(owner metav1.OwnerReference) bool {
	return c.listed[schema.FromAPIVersionAndKind(owner.APIVersion, owner.Kind).GroupKind()] && !c.uids[owner.UID]
}
