package controlplane

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// CheckHub returns the UID of the hub cluster. It returns an error if the placement was written to another hub cluster.
func CheckHub(ctx context.Context, hub *kube.Cluster, p engine.Placement) (string, error) {
	known := ""
	if p.Prior != nil {
		known = p.Prior.HubUID
	}
	return clusterset.CheckUID(ctx, hub, known)
}

// CheckPlacement returns an *[engine.ReplacedError] if the object of a placement on the hub cluster is not the known one.
func CheckPlacement(hub *kube.Cluster, live *unstructured.Unstructured, p engine.Placement) error {
	return engine.CheckReplaced(live, p.KnownUID(), hub.Name())
}
