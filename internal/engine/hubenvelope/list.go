package hubenvelope

import (
	"context"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// List returns the envelopes on a hub: ResourceEnvelopes and ClusterResourceEnvelopes, if the hub serves them, and annotated ConfigMaps. It omits
// ClusterResourceEnvelopes without the annotation that names their namespace, because the provider has not created them.
func List(ctx context.Context, hub *kube.Cluster, filter engine.Filter) ([]engine.Reference, error) {
	var out []engine.Reference
	for _, as := range []envelope.Type{envelope.TypeResourceEnvelope, envelope.TypeClusterResourceEnvelope, envelope.TypeConfigMap} {
		in := filter.Namespace
		if as == envelope.TypeClusterResourceEnvelope {
			in = ""
		}
		found, err := hub.ListMetadata(ctx, as.Kind(), in, filter.LabelSelector)
		if kube.IsUnknownKind(err) {
			continue
		}
		if err != nil {
			return nil, clusterset.Unreachable(hub.Name(), err)
		}
		for _, object := range found {
			owner := ownerOf(as, &object)
			if owner != "" && (filter.Namespace == "" || filter.Namespace == owner) {
				out = append(out, engine.Reference{Namespace: owner, Name: object.Name})
			}
		}
	}
	slices.SortFunc(out, engine.Reference.Compare)
	return slices.Compact(out), nil
}
