package placement

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/yamltext"
)

func writeOnlyAttribute() schema.MapAttribute {
	return schema.MapAttribute{
		Optional: true, WriteOnly: true, ElementType: yamltext.Type{},
		MarkdownDescription: "Additional objects to place, in the same form as `manifests`. A key must not occur in both arguments. The objects are in no " +
			"plan and no state, and can come from ephemeral values. A plan detects that the manifests have changed, without a version argument, and " +
			"previews the changes to the objects. Engine `direct`: the members store them in the Secret `fleet-system/placement-NAME`. Engine " +
			"`kubeadmiral`: the objects are created on the host cluster. There, annotations of the `ClusterPropagationPolicy` list the kinds and names of " +
			"the objects, but not their content. Engine `kubefleet`: not supported.",
	}
}

// writeOnlyManifests returns the write-only manifests in the configuration. known is false if a part of the manifests is unknown.
func (m Model) writeOnlyManifests(ctx context.Context, config tfsdk.Config, diags *diag.Diagnostics) (texts map[string]string, known bool) {
	if m.isNamespaced() {
		return nil, true
	}
	var in types.Map
	diags.Append(config.GetAttribute(ctx, path.Root("manifests_wo"), &in)...)
	raw, err := in.ToTerraformValue(ctx)
	return yamltext.Texts(in), err == nil && convert.Known(raw)
}

func (m Memory) hasRotated(writeOnly map[string]string) bool {
	return !manifest.SameHash(m.WriteOnlyHash, manifest.HashTexts(writeOnly))
}

func (m *Memory) setWriteOnly(writeOnly map[string]string) {
	m.WriteOnlyHash = manifest.Salted(manifest.HashTexts(writeOnly), m.WriteOnlyHash)
}
