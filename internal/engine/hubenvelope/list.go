package hubenvelope

import (
	"context"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// List returns the envelopes that are on a hub in namespaces: ResourceEnvelopes, if the hub serves them, and annotated ConfigMaps. What is in a
// ClusterResourceEnvelope alone is in no namespace, so that no envelope of ours can be told from it.
func List(ctx context.Context, hub *kube.Cluster, filter engine.Filter) ([]engine.Reference, error) {
	var out []engine.Reference
	for _, as := range []envelope.Type{envelope.TypeResourceEnvelope, envelope.TypeConfigMap} {
		found, err := hub.ListMetadata(ctx, as.Kind(), filter.Namespace, filter.LabelSelector)
		if kube.IsUnknownKind(err) {
			continue
		}
		if err != nil {
			return nil, clusterset.Unreachable(hub.Name(), err)
		}
		for _, object := range found {
			if as == envelope.TypeResourceEnvelope || object.Annotations[envelope.Annotation] != "" {
				out = append(out, engine.Reference{Namespace: object.Namespace, Name: object.Name})
			}
		}
	}
	slices.SortFunc(out, engine.Reference.Compare)
	return slices.Compact(out), nil
}
