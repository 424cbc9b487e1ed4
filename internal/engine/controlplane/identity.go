package controlplane

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// CheckHubOf returns an error if a placement was written to another hub cluster, or if found is not the known object of the placement. readErr is the error of
// the read that returned found. The known object proves the identity of the hub. If found is not the known object, CheckHubOf checks the UID of the hub, even
// if readErr is not nil.
func CheckHubOf(ctx context.Context, hub *kube.Cluster, p engine.Placement, found *unstructured.Unstructured, readErr error) error {
	if p.Prior != nil && p.Prior.HubUID != "" {
		if found != nil && p.Prior.UID == string(found.GetUID()) {
			hub.Identify(types.UID(p.Prior.HubUID))
		}
		if _, err := CheckHub(ctx, hub, p); err != nil {
			return err
		}
	}
	if readErr != nil {
		return readErr
	}
	return engine.CheckReplaced(found, p.KnownUID(), hub.Name())
}

// CheckHub returns the UID of the hub cluster. It returns an error if the placement was written to another hub cluster.
func CheckHub(ctx context.Context, hub *kube.Cluster, p engine.Placement) (string, error) {
	known := ""
	if p.Prior != nil {
		known = p.Prior.HubUID
	}
	return clusterset.CheckUID(ctx, hub, known)
}
