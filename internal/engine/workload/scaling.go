package workload

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Scaling describes who else sets a workload's replica count.
type Scaling struct {
	// By names the autoscaler: its object, or the field manager that set the replica count. It is empty if no autoscaler is known.
	By string
	// Replicas reports how the configuration handles the replica count. It is set only if By is set.
	Replicas workload.Replicas
}

// readScaling determines the autoscaler of a workload that is read without its related objects. A replica count that an autoscaler sets must not be placed, even
// if the autoscaler is not placed. If the field managers identify an autoscaler, no permission to read it is needed.
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

// scaledBy returns the autoscaler of a workload, according to these objects or the workload's field managers, or "" if there is none.
func scaledBy(live *unstructured.Unstructured, objects []*unstructured.Unstructured) string {
	for _, other := range objects {
		if relation, isRelated := workload.Belongs(live, other); isRelated && relation == workload.RelationScales {
			return objectOf(other, relation).String()
		}
	}
	if manager, isScaled := workload.ScaledBy(live); isScaled {
		return manager.String()
	}
	return ""
}
