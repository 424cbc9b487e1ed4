package membercluster

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/object"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// warnOverwritten warns about labels and annotations of an adopted member whose values the apply overwrites: a plan shows only the configured values.
// warnOverwritten omits the keys in the state, because Terraform shows the changes of their values.
func warnOverwritten(ctx context.Context, p *object.Plan[model], planned model, prior *model) {
	if !planned.AdoptExisting.ValueBool() || p.Session.Applies() || p.Session.Preview == session.PreviewOff ||
		!convert.Known(p.Response.Plan.Raw, "timeouts", "agent", "status") {
		return
	}
	var known model
	if prior != nil {
		known = *prior
	}
	diags := &p.Response.Diagnostics
	want := planned.expand(ctx, diags)
	live, err := p.Session.Engine.ReadMember(ctx, want.Name, &engine.Member{Spec: want})
	if err != nil || diags.HasError() {
		return // the refresh or the apply reports it
	}
	var lost []string
	for _, field := range []struct {
		attribute  string
		live, want map[string]string
		known      map[string]attr.Value
	}{
		{"labels", live.Spec.Labels, want.Labels, known.Labels.Elements()},
		{"annotations", live.Spec.Annotations, want.Annotations, known.Annotations.Elements()},
	} {
		for _, key := range slices.Sorted(maps.Keys(field.want)) {
			value, found := field.live[key]
			if _, known := field.known[key]; found && !known && value != field.want[key] {
				lost = append(lost, fmt.Sprintf("%s[%q]: %q -> %q", field.attribute, key, value, field.want[key]))
			}
		}
	}
	report.OverwrittenKeys(diags, want.Name, lost)
}

// rejectRegistration adds an error if adopt_existing is removed from an adopted member. The change would register a member of another system, and
// the configuration does not have the identity of its agent.
func rejectRegistration(planned, prior model, diags *diag.Diagnostics) {
	if diags.HasError() || !prior.AdoptExisting.ValueBool() || planned.AdoptExisting.IsUnknown() || planned.AdoptExisting.ValueBool() ||
		!planned.Name.Equal(prior.Name) {
		return
	}
	diags.AddAttributeError(path.Root("adopt_existing"), "The member cluster "+planned.Name.String()+" belongs to another system", "With "+
		"adopt_existing, the resource managed only labels, annotations and taints. Without it, the resource would manage the whole member, and a "+
		"destroy would end its membership. If that is intended, remove the resource from the state (terraform state rm) and import it (ID "+planned.Name.String()+
		"), with its identity in the configuration. To stop managing the member, remove the resource.")
}
