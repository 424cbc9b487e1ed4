package engine

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ReplacedError is returned when the known object was deleted, and another object has its name. Known and Found are the UIDs of the two objects.
type ReplacedError struct {
	// Kind and Object identify the object, Cluster is the name of its cluster.
	Kind    string
	Object  Reference
	Cluster string
	// Import is the import ID of its resource, which may differ from the name of the object.
	Import       Reference
	Known, Found string
}

func (e *ReplacedError) Error() string {
	return fmt.Sprintf("The %s %q on the cluster %q is not the object in the state: the state has the UID %s, the object has the UID %s. The former was "+
		"deleted, and another object with the same name was created, outside of Terraform. Until that object is imported, a change and a destroy return this "+
		"error and write nothing. To manage the object, run \"terraform state rm\" for this resource and import the object (ID %q). Otherwise, run \"terraform "+
		"state rm\", and remove the resource from the configuration or give it another name.", e.Kind, e.Object, e.Cluster, e.Known, e.Found, e.Import)
}

// CheckReplaced returns a *[ReplacedError] if an object on a cluster has another UID than the known one. If known is empty, as in an import, it accepts every
// object. It returns nil for a nil object, which was deleted and not replaced.
func CheckReplaced(live *unstructured.Unstructured, known, cluster string) error {
	if live == nil || known == "" || known == string(live.GetUID()) {
		return nil
	}
	name := Reference{Namespace: live.GetNamespace(), Name: live.GetName()}
	return &ReplacedError{Kind: live.GetKind(), Object: name, Cluster: cluster, Import: name, Known: known, Found: string(live.GetUID())}
}
