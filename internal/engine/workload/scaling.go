package workload

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Scaling is what decides on the number of a workload's Pods besides whoever writes it.
type Scaling struct {
	// By is an autoscaler, for people; empty if none is known.
	By string
	// Replicas is what the configuration says of the number then.
	Replicas workload.Replicas
}

// readScaling finds out what scales a workload that is read alone: a number that somebody else decides on is not to be placed, whether what decides comes
// along or not. Where its field managers tell an autoscaler none has to be seen.
func (f *Found) readScaling(ctx context.Context, member *kube.Cluster, live *unstructured.Unstructured) error {
	if !workload.HasReplicas(live) {
		return nil
	}
	listed, unseen, err := list(ctx, member, workload.Autoscalers, live.GetNamespace())
	if err != nil {
		return err
	}
	if f.Scaling.By = scaledBy(live, listed); f.Scaling.By == "" && unseen != nil {
		f.Unseen = append(f.Unseen, *unseen)
	}
	return nil
}

// scaledBy is what scales a workload, of these objects, or by the workload's field managers; empty if neither tells any.
func scaledBy(live *unstructured.Unstructured, objects []*unstructured.Unstructured) string {
	for _, other := range objects {
		if relation, belongs := workload.Belongs(live, other); belongs && relation == workload.RelationScales {
			return objectOf(other, relation).String()
		}
	}
	if manager, scaled := workload.ScaledBy(live); scaled {
		return manager.String()
	}
	return ""
}
