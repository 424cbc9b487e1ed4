package plan

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// foreignAnnotations say of an object how it was applied somewhere else.
var foreignAnnotations = []string{
	"kubectl.kubernetes.io/last-applied-configuration", "deployment.kubernetes.io/revision", kube.DefaultLastAppliedAnnotation,
}

// outgoing is the object as it is sent: without what belongs to the server it came from (KubeFleet, pkg/controllers/workapplier/apply.go),
// and marked as part of the placement's set. Finalizers stay, as they do upstream.
func outgoing(content *unstructured.Unstructured, setID string) *unstructured.Unstructured {
	out := manifest.WithoutServerSet(content, "ownerReferences")
	for _, annotation := range foreignAnnotations {
		unstructured.RemoveNestedField(out.Object, "metadata", "annotations", annotation)
	}
	if len(out.GetAnnotations()) == 0 {
		unstructured.RemoveNestedField(out.Object, "metadata", "annotations")
	}
	unstructured.RemoveNestedField(out.Object, "status")
	applyset.Mark(out, setID)
	return out
}
