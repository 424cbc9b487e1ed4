package predict

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/hubenvelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// keeps returns a function that returns the objects in which the hub stores an envelope.
func keeps(ctx context.Context, hub *kube.Cluster) func(envelope.Spec) ([]*unstructured.Unstructured, error) {
	return func(spec envelope.Spec) ([]*unstructured.Unstructured, error) {
		return hubenvelope.Objects(ctx, hub, spec)
	}
}
