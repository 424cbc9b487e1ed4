// Package placementpreview is the data source fleet_placement_preview.
package placementpreview

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

var (
	_ datasource.DataSourceWithConfigure      = (*DataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*DataSource)(nil)
)

// DataSource is fleet_placement_preview.
type DataSource struct{ session *session.Session }

// New makes the data source.
func New() datasource.DataSource { return &DataSource{} }

// Metadata names the data source.
func (*DataSource) Metadata(_ context.Context, request datasource.MetadataRequest, response *datasource.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_placement_preview"
}

// Configure takes the session.
func (d *DataSource) Configure(_ context.Context, request datasource.ConfigureRequest, response *datasource.ConfigureResponse) {
	d.session = session.From(request.ProviderData, &response.Diagnostics)
}

// Schema describes the data source.
func (*DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, response *datasource.SchemaResponse) {
	var err error
	if response.Schema, err = dataSourceSchema(); err != nil {
		addSchemaError(&response.Diagnostics, err)
	}
}

func addSchemaError(diags *diag.Diagnostics, err error) {
	diags.AddError("The schema of fleet_placement_preview cannot be made", err.Error()+". This is a bug in the provider.")
}

// ValidateConfig checks what needs no cluster.
func (*DataSource) ValidateConfig(ctx context.Context, request datasource.ValidateConfigRequest, response *datasource.ValidateConfigResponse) {
	var data model
	response.Diagnostics.Append(request.Config.Get(ctx, &data)...)
	if !response.Diagnostics.HasError() && !data.isNameOnly() {
		data.ValidateGivers(data.Namespace, data.Name, &response.Diagnostics)
		data.Validate(ctx, request.Config, !data.Namespace.IsNull(), &response.Diagnostics)
	}
}

// Read looks at the clusters. Nothing is written.
func (d *DataSource) Read(ctx context.Context, request datasource.ReadRequest, response *datasource.ReadResponse) {
	var data model
	response.Diagnostics.Append(request.Config.Get(ctx, &data)...)
	d.session.Ready(&response.Diagnostics)
	if response.Diagnostics.HasError() {
		return
	}
	found, err := d.preview(ctx, data, &response.Diagnostics)
	if err != nil {
		report.Error(&response.Diagnostics, path.Root("name"), fmt.Sprintf("The placement %q cannot be previewed", data.reference()), err)
		return
	}
	if response.Diagnostics.HasError() {
		return
	}
	if d.session.Preview == session.PreviewRequired {
		report.Unlooked(&response.Diagnostics, found.preview)
	}
	data.set(ctx, *found, &response.Diagnostics)
	response.Diagnostics.Append(response.State.Set(ctx, data)...)
}

// preview previews the placement of the arguments, or the one that a resource of the run plans if there are none.
func (d *DataSource) preview(ctx context.Context, data model, diags *diag.Diagnostics) (*result, error) {
	if data.isNameOnly() {
		return previewPlanned(ctx, d.session, data.reference(), diags)
	}
	wanted := engine.Placement{Reference: data.reference()}
	wanted.Spec, wanted.Manifests = data.Expand(ctx, diags)
	wanted.IgnoreFields = data.IgnoreRules(ctx, diags)
	wanted.TakesOverFrom = data.Givers(diags)
	report.Limitations(diags, d.session.Engine.CheckPlacement(wanted))
	if diags.HasError() {
		return nil, nil //nolint:nilnil // the diagnostics have the error
	}
	out, err := previewChange(ctx, d.session, wanted, diags)
	if err == nil {
		placement.CompareWithPlanned(d.session, wanted, out.replaces != "", diags)
	}
	return out, err
}
