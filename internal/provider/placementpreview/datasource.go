// Package placementpreview implements the data source fleet_placement_preview.
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

// DataSource is the data source fleet_placement_preview.
type DataSource struct{ session *session.Session }

// New returns the data source.
func New() datasource.DataSource { return &DataSource{} }

// Metadata returns the name of the data source.
func (*DataSource) Metadata(_ context.Context, request datasource.MetadataRequest, response *datasource.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_placement_preview"
}

// Configure receives the session from the provider.
func (d *DataSource) Configure(_ context.Context, request datasource.ConfigureRequest, response *datasource.ConfigureResponse) {
	d.session = session.From(request.ProviderData, &response.Diagnostics)
}

// Schema returns the schema of the data source.
func (*DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, response *datasource.SchemaResponse) {
	var err error
	if response.Schema, err = dataSourceSchema(); err != nil {
		addSchemaError(&response.Diagnostics, err)
	}
}

func addSchemaError(diags *diag.Diagnostics, err error) {
	diags.AddError("The schema of fleet_placement_preview cannot be made", err.Error()+". This is a bug in the provider.")
}

// ValidateConfig validates what can be validated without a cluster.
func (*DataSource) ValidateConfig(ctx context.Context, request datasource.ValidateConfigRequest, response *datasource.ValidateConfigResponse) {
	var data model
	response.Diagnostics.Append(request.Config.Get(ctx, &data)...)
	if !response.Diagnostics.HasError() && !data.isNameOnly() {
		data.ValidateGivers(data.Namespace, data.Name, &response.Diagnostics)
		data.Validate(ctx, request.Config, !data.Namespace.IsNull(), &response.Diagnostics)
	}
}

// Read checks the clusters. It writes nothing.
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

// preview previews the placement in the arguments. If the arguments only name it, it returns the preview that a resource of the run has planned.
func (d *DataSource) preview(ctx context.Context, data model, diags *diag.Diagnostics) (*result, error) {
	if data.isNameOnly() {
		return previewPlanned(ctx, d.session, data.reference(), diags)
	}
	desired := engine.Placement{Reference: data.reference()}
	desired.Spec, desired.Manifests = data.Expand(ctx, diags)
	desired.IgnoreFields = data.IgnoreRules(ctx, diags)
	desired.TakesOverFrom = data.Givers(diags)
	report.Limitations(diags, d.session.Engine.CheckPlacement(desired))
	if diags.HasError() {
		return nil, nil //nolint:nilnil // the diagnostics have the error
	}
	out, err := previewChange(ctx, d.session, desired, diags)
	if err == nil {
		placement.CompareWithPlanned(d.session, desired, out.replaces != "", diags)
	}
	return out, err
}
