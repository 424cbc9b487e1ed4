package plan

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// serverFields are set by API servers and not by those who write manifests (KubeFleet, pkg/controllers/workapplier/apply.go).
var serverFields = []string{
	"managedFields", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "resourceVersion", "selfLink", "uid",
	"ownerReferences",
}

// outgoing is the object as it is sent: without what belongs to the server it came from, and marked as part of the placement's set.
// Finalizers stay, as they do upstream.
func outgoing(content *unstructured.Unstructured, setID string) *unstructured.Unstructured {
	out := content.DeepCopy()
	for _, field := range serverFields {
		unstructured.RemoveNestedField(out.Object, "metadata", field)
	}
	for _, annotation := range []string{"kubectl.kubernetes.io/last-applied-configuration", "deployment.kubernetes.io/revision", kube.DefaultLastAppliedAnnotation} {
		unstructured.RemoveNestedField(out.Object, "metadata", "annotations", annotation)
	}
	if len(out.GetAnnotations()) == 0 {
		unstructured.RemoveNestedField(out.Object, "metadata", "annotations")
	}
	unstructured.RemoveNestedField(out.Object, "status")
	record.SetLabel(out, record.PartOfLabel, setID)
	return out
}
