package placementpreview

import (
	"encoding/json"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
)

// renderAll returns the objects as the apply writes them to the picked clusters, as YAML by cluster and object. It returns nil if render_manifests is not set.
// Values of Secrets are masked.
func (m *model) renderAll(in result, diags *diag.Diagnostics) map[string]map[string]string {
	if !m.RenderManifests.ValueBool() {
		return nil
	}
	out := map[string]map[string]string{}
	for _, cluster := range in.preview.Clusters {
		if !cluster.Picked {
			continue
		}
		texts := map[string]string{}
		for _, o := range cluster.Objects {
			if o.Rendered == nil {
				continue
			}
			text, err := render(o.Rendered.Object)
			if err != nil {
				diags.AddError("An object cannot be rendered", printable.Line(o.Identifier.String()+" on "+cluster.Name+": "+err.Error())+". This is a bug in the provider.")
				continue
			}
			texts[o.Identifier.String()] = text
		}
		for name, text := range manifest.Mask(texts, nil, nil) {
			at := printable.Line(cluster.Name)
			if out[at] == nil {
				out[at] = map[string]string{}
			}
			out[at][printable.Line(name)] = printableLines(text)
		}
	}
	return out
}

// render returns an object as YAML. If the object has control characters, which this YAML encoder rejects, render returns JSON.
func render(object map[string]any) (string, error) {
	text, err := yaml.Marshal(object)
	if err != nil {
		text, err = json.MarshalIndent(object, "", "  ")
	}
	return string(text), err
}

// printableLines returns a text of printable lines: Terraform prints the values of outputs unchanged.
func printableLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = printable.Line(line)
	}
	return strings.Join(lines, "\n")
}
