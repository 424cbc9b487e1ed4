package workload

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/lookup"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// NewDataSource returns the data source.
func NewDataSource() datasource.DataSource { return lookup.New(query{}) }

type query struct{}

func (query) TypeName() string { return "workload" }

func (query) Schema() (schema.Schema, error) {
	converted, err := convert.DataSource(attributes())
	return schema.Schema{MarkdownDescription: dataSourceDescription, Attributes: converted}, err
}

// Validate rejects objects that can never be handed over, whatever the member has.
func (query) Validate(_ context.Context, _ tfsdk.Config, m Model, diags *diag.Diagnostics) {
	m.validate(diags)
}

// Read reads the workload.
func (query) Read(ctx context.Context, shared *session.Session, m *Model, diags *diag.Diagnostics) {
	found, exists := readWorkload(ctx, shared, *m, diags)
	if !exists {
		report.NoWorkload(diags, m.request())
	}
	if found != nil {
		m.Found = flatten(ctx, found, diags)
	}
}
