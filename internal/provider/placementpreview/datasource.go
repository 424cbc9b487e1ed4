// Package placementpreview implements the data source fleet_placement_preview.
package placementpreview

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/lookup"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// New returns the data source.
func New() datasource.DataSource { return lookup.New(query{}) }

type query struct{}

const typeName = "placement_preview"

func (query) TypeName() string { return typeName }

// Validate validates what can be validated without a cluster.
func (query) Validate(ctx context.Context, config tfsdk.Config, m model, diags *diag.Diagnostics) {
	m.validateAssumptions(ctx, diags)
	if !m.isNameOnly() {
		m.ValidateGivers(m.Namespace, m.Name, diags)
		m.Validate(ctx, config, !m.Namespace.IsNull(), diags)
	}
}

// Read checks the clusters. It writes nothing.
func (query) Read(ctx context.Context, shared *session.Session, m *model, diags *diag.Diagnostics) {
	found, err := m.preview(ctx, shared, diags)
	if err == nil && !diags.HasError() {
		err = found.assume(ctx, shared, m.assumptions(ctx, diags), diags)
	}
	if err != nil {
		report.Error(diags, path.Root("name"), fmt.Sprintf("The placement %q cannot be previewed", m.reference()), err)
		return
	}
	if diags.HasError() {
		return
	}
	if shared.Preview == session.PreviewRequired {
		report.UncheckedClusters(diags, found.preview)
	}
	m.set(ctx, *found, diags)
}

// preview previews the placement in the arguments. If the arguments only name it, it returns the preview that a resource of the run has planned.
func (m model) preview(ctx context.Context, shared *session.Session, diags *diag.Diagnostics) (*result, error) {
	if m.isNameOnly() {
		return previewPlanned(ctx, shared, m.reference(), diags)
	}
	desired := engine.Placement{Reference: m.reference()}
	desired.Spec, desired.Manifests = m.Expand(ctx, diags)
	desired.IgnoreFields = m.IgnoreRules(ctx, diags)
	desired.TakesOverFrom = m.Givers(diags)
	report.Limitations(diags, shared.Engine.CheckPlacement(desired))
	if diags.HasError() {
		return nil, nil //nolint:nilnil // the diagnostics have the error
	}
	out, err := previewChange(ctx, shared, desired, diags)
	if err == nil {
		placement.CompareWithPlanned(shared, desired, out.replaces() != "", diags)
	}
	return out, err
}
