package envelopeconfigmap

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/private"
)

// privateObjects is the key in the private state for the objects that contain the envelope. Some hubs need several objects for one envelope.
const privateObjects = "objects"

// expandKnown returns the envelope as last written or read. If the private state has no objects, as in a state of an earlier version, the envelope is
// one ConfigMap.
func (m model) expandKnown(ctx context.Context, state private.State, diags *diag.Diagnostics) engine.Envelope {
	out := engine.Envelope{Spec: m.expand(ctx, diags)}
	private.Recall(ctx, state, privateObjects, &out.Objects, diags)
	if len(out.Objects) == 0 {
		kind := envelope.TypeConfigMap.Kind()
		out.Objects = []engine.KeptObject{{UID: m.UID.ValueString(), Identifier: manifest.Identifier{
			Version: kind.Version, Kind: kind.Kind, Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString(),
		}}}
	}
	return out
}

func storeObjects(ctx context.Context, state private.State, e engine.Envelope, diags *diag.Diagnostics) {
	private.Set(ctx, state, privateObjects, e.Objects, diags)
}
