package kubeadmiral

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// isFedBack reports whether the control plane has copied the scheduling annotation from the FederatedObjects to the objects on the host, and has observed
// the copies. The control plane copies the annotation some time after it has placed an object (pkg/controllers/statusaggregator). The first copy adds the
// key to the observed annotations, and each copy increments the generation of a Deployment. In both cases, the control plane processes the object again, and
// the status of the placement is pending until this is done. For kinds other than Deployments, isFedBack therefore checks only the key. It ignores objects
// without a FederatedObject, and objects to which the control plane copies nothing.
func (w *writing) isFedBack(ctx context.Context) (bool, error) {
	var deployments []manifest.Identifier
	for _, o := range w.found.Objects {
		f, known := w.federated[o.Key()]
		aggregation := w.found.Fleet.Types[o.GroupVersionKind()].Spec.StatusAggregation
		switch {
		case !known || aggregation == nil || !aggregation.Enabled || f.Annotations[v1alpha1.SchedulingAnnotation] == "":
		case !observesScheduling(f):
			return false, nil
		case o.GroupVersionKind().GroupKind() == deploymentKind:
			deployments = append(deployments, o.Identifier)
		}
	}
	objects, err := host.Objects(kube.ReadUnshared(ctx), w.engine.clusters.Hub, deployments)
	if err != nil {
		return false, err
	}
	for k, object := range objects {
		f, annotations := w.federated[k], object.GetAnnotations()
		if annotations[v1alpha1.NoFederatedResourceAnnotation] != "" {
			continue
		}
		if annotations[v1alpha1.SchedulingAnnotation] != f.Annotations[v1alpha1.SchedulingAnnotation] || !f.Observes(object) {
			return false, nil
		}
	}
	return true, nil
}

var deploymentKind = schema.GroupKind{Group: "apps", Kind: "Deployment"}

func observesScheduling(f convert.Federated) bool {
	_, others, _ := strings.Cut(f.Annotations[v1alpha1.ObservedAnnotationsAnnotation], "|")
	return slices.Contains(strings.Split(others, ","), v1alpha1.SchedulingAnnotation)
}
