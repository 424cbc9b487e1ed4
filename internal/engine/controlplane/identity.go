package controlplane

import (
	"context"

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
