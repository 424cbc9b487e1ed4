package direct

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
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
	setLabel(out, applySetPartOfLabel, setID)
	return out
}

// write sends one object. An object that is to be created is created: if one has appeared meanwhile, the server says so and nothing is
// overwritten.
//
// A takeover is decided about the object as it was read, its owner above all: if it has changed since, the server refuses the write.
func (c *clusterPlan) write(ctx context.Context, i *item, strategy *placement.ApplyStrategy, dryRun bool) (*unstructured.Unstructured, error) {
	careful := i.Action == engine.ActionTakeOver
	if strategy.Type == placement.ServerSideApply {
		if i.live == nil {
			return c.cluster.Create(ctx, i.desired, kube.WriteOptions{DryRun: dryRun})
		}
		result, _, err := c.cluster.ApplyServerSide(ctx, i.desired, i.live, kube.ApplyOptions{
			Force: *strategy.ServerSideApplyConfig.Force, DryRun: dryRun, OptimisticLock: careful,
		})
		return result, err
	}
	result, _, err := c.cluster.ApplyClientSide(ctx, i.desired, i.live, kube.ApplyOptions{DryRun: dryRun, OptimisticLock: careful})
	return result, err
}
