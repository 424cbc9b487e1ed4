package workload

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

var (
	_ datasource.DataSourceWithConfigure      = (*DataSource)(nil)
	_ datasource.DataSourceWithValidateConfig = (*DataSource)(nil)
)

// DataSource is the data source fleet_workload.
type DataSource struct{ session *session.Session }

// NewDataSource returns the data source.
func NewDataSource() datasource.DataSource { return &DataSource{} }

// Metadata returns the name of the data source.
func (*DataSource) Metadata(_ context.Context, request datasource.MetadataRequest, response *datasource.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_workload"
}

// Configure receives the session from the provider.
func (d *DataSource) Configure(_ context.Context, request datasource.ConfigureRequest, response *datasource.ConfigureResponse) {
	d.session = session.From(request.ProviderData, &response.Diagnostics)
}

// Schema returns the schema of the data source.
func (*DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, response *datasource.SchemaResponse) {
	var err error
	if response.Schema, err = dataSourceSchema(); err != nil {
		response.Diagnostics.AddError("The schema of fleet_workload cannot be made", err.Error()+". This is a bug in the provider.")
	}
}

// ValidateConfig rejects objects that can never be handed over, whatever the member has.
func (*DataSource) ValidateConfig(ctx context.Context, request datasource.ValidateConfigRequest, response *datasource.ValidateConfigResponse) {
	var data Model
	response.Diagnostics.Append(request.Config.Get(ctx, &data)...)
	data.validate(&response.Diagnostics)
}

// Read reads the workload.
func (d *DataSource) Read(ctx context.Context, request datasource.ReadRequest, response *datasource.ReadResponse) {
	var data Model
	response.Diagnostics.Append(request.Config.Get(ctx, &data)...)
	if d.session.Ready(&response.Diagnostics); response.Diagnostics.HasError() {
		return
	}
	found, exists := readWorkload(ctx, d.session, data, &response.Diagnostics)
	if !exists {
		report.NoWorkload(&response.Diagnostics, data.request())
	}
	if found == nil {
		return
	}
	data.Found = flatten(ctx, found, &response.Diagnostics)
	response.Diagnostics.Append(response.State.Set(ctx, data)...)
}
