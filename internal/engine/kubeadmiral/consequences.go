package kubeadmiral

import (
	"context"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// PreviewChange predicts how a change of members affects every policy on the host. It also predicts which Namespaces the host takes over on members that
// join, and which Namespaces it deletes on members that leave. It returns nil if no member changes. On a host, the provider has neither envelopes nor
// overrides that could change. expected is nil in a plan.
func (e *Engine) PreviewChange(ctx context.Context, change engine.World, expected engine.Expectations) ([]engine.Consequence, error) {
	if len(change.Members)+len(change.Unnamed) == 0 {
		return nil, nil
	}
	if expected != nil { // an apply must not reuse the reads of its plan
		e.clusters.DropCaches()
	}
	ctx = kube.ShareReads(ctx)
	var policies []engine.Reference
	for _, namespace := range []string{"", "any"} {
		found, err := host.Names(ctx, e.clusters.Hub, host.PolicyKind(namespace), engine.Filter{})
		if err != nil {
			return nil, err
		}
		policies = append(policies, found...)
	}
	if unknown := change.Unknown(); len(unknown) > 0 && len(policies) > 0 {
		return nil, engine.UnknownChange(unknown)
	}
	found := clusterset.PreviewEach(policies, engine.Reference.String, func(of engine.Reference) (*engine.Preview, error) {
		return predict.Change(ctx, e.clusters, of, engine.PreviewOptions{World: change, Expected: expected.Of(of.String()), Applying: expected != nil})
	})
	namespaces, err := predict.NamespaceChanges(ctx, e.clusters, engine.PreviewOptions{World: change, Expected: expected.Of(engine.HostNamespaces)})
	if namespaces != nil || err != nil {
		found = append(found, engine.Consequence{Placement: engine.HostNamespaces, Preview: namespaces, Err: err})
	}
	return found, clusterset.Ended(ctx)
}
