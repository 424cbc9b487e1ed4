// Package lookup contains the methods that all data sources share: they receive the session and call a [Query]. A Query provides the name, the schema and the
// read operation.
package lookup

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

var (
	_ datasource.DataSourceWithConfigure      = (*DataSource[any])(nil)
	_ datasource.DataSourceWithValidateConfig = (*DataSource[any])(nil)
)

// Query is the subject of a data source. M is the Terraform representation of the data source.
type Query[M any] interface {
	// TypeName returns the name of the data source without the provider's prefix.
	TypeName() string
	// Schema returns the schema of the data source. It returns an error if it cannot convert an attribute from the schema of a resource. This error is a bug.
	Schema() (schema.Schema, error)
	// Read sets the computed attributes. The session has an engine.
	Read(ctx context.Context, shared *session.Session, m *M, diags *diag.Diagnostics)
}

// Validator has the additional method of a [Query] whose arguments are validated without a cluster. Values may be unknown.
type Validator[M any] interface {
	Validate(ctx context.Context, config tfsdk.Config, m M, diags *diag.Diagnostics)
}

// DataSource is the data source of a query.
type DataSource[M any] struct {
	query   Query[M]
	session *session.Session
}

// New returns the data source of a query.
func New[M any](query Query[M]) *DataSource[M] { return &DataSource[M]{query: query} }

// Metadata returns the name of the data source.
func (d *DataSource[M]) Metadata(_ context.Context, request datasource.MetadataRequest, response *datasource.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_" + d.query.TypeName()
}

// Configure receives the session from the provider.
func (d *DataSource[M]) Configure(_ context.Context, request datasource.ConfigureRequest, response *datasource.ConfigureResponse) {
	d.session = session.From(request.ProviderData, &response.Diagnostics)
}

// Schema returns the schema of the data source.
func (d *DataSource[M]) Schema(_ context.Context, _ datasource.SchemaRequest, response *datasource.SchemaResponse) {
	var err error
	if response.Schema, err = d.query.Schema(); err != nil {
		AddSchemaError(d.query.TypeName(), err, &response.Diagnostics)
	}
}

// AddSchemaError adds the error about the schema of a data source that could not be converted.
func AddSchemaError(typeName string, err error, diags *diag.Diagnostics) {
	diags.AddError("The schema of fleet_"+typeName+" cannot be created", err.Error()+". This is a bug in the provider.")
}

// ValidateConfig validates what can be validated without a cluster.
func (d *DataSource[M]) ValidateConfig(ctx context.Context, request datasource.ValidateConfigRequest, response *datasource.ValidateConfigResponse) {
	query, ok := d.query.(Validator[M])
	if !ok {
		return
	}
	var m M
	response.Diagnostics.Append(request.Config.Get(ctx, &m)...)
	if !response.Diagnostics.HasError() {
		query.Validate(ctx, request.Config, m, &response.Diagnostics)
	}
}

// Read reads the data source. It writes to no cluster.
func (d *DataSource[M]) Read(ctx context.Context, request datasource.ReadRequest, response *datasource.ReadResponse) {
	var m M
	response.Diagnostics.Append(request.Config.Get(ctx, &m)...)
	d.session.Ready(&response.Diagnostics)
	if response.Diagnostics.HasError() {
		return
	}
	d.query.Read(ctx, d.session, &m, &response.Diagnostics)
	if !response.Diagnostics.HasError() {
		response.Diagnostics.Append(response.State.Set(ctx, m)...)
	}
}
