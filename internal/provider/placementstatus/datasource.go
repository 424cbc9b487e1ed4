// Package placementstatus is the data source fleet_crp.
package placementstatus

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

var _ datasource.DataSourceWithConfigure = (*DataSource)(nil)

// DataSource is fleet_crp.
type DataSource struct{ session *session.Session }

// New makes the data source.
func New() datasource.DataSource { return &DataSource{} }

type model struct {
	Name      types.String `tfsdk:"name"`
	Namespace types.String `tfsdk:"namespace"`
	WaitFor   types.Object `tfsdk:"wait_for"`
	Spec      types.Object `tfsdk:"spec"`
	Status    types.Object `tfsdk:"status"`
}

type waitModel struct {
	Condition domain.ConditionType `tfsdk:"condition"`
	Timeout   *string              `tfsdk:"timeout"`
}

// Metadata names the data source.
func (*DataSource) Metadata(_ context.Context, request datasource.MetadataRequest, response *datasource.MetadataResponse) {
	response.TypeName = request.ProviderTypeName + "_crp"
}

// Configure takes the session.
func (d *DataSource) Configure(_ context.Context, request datasource.ConfigureRequest, response *datasource.ConfigureResponse) {
	d.session = session.From(request.ProviderData, &response.Diagnostics)
}

// Schema describes the data source.
func (*DataSource) Schema(_ context.Context, _ datasource.SchemaRequest, response *datasource.SchemaResponse) {
	var err error
	if response.Schema, err = dataSourceSchema(); err != nil {
		response.Diagnostics.AddError("The schema of fleet_crp cannot be made", err.Error()+". This is a bug in the provider.")
	}
}

// Read reads the placement, and waits for a condition if it is asked to.
func (d *DataSource) Read(ctx context.Context, request datasource.ReadRequest, response *datasource.ReadResponse) {
	var data model
	response.Diagnostics.Append(request.Config.Get(ctx, &data)...)
	fleet := d.session.Ready(&response.Diagnostics)
	if response.Diagnostics.HasError() {
		return
	}
	recorded := data.read(ctx, fleet, &response.Diagnostics)
	if response.Diagnostics.HasError() {
		return
	}
	data.Spec = convert.Object(ctx, specAttribute(), flattenSpec(recorded), &response.Diagnostics)
	data.Status = convert.Object(ctx, statusAttribute(), flattenStatus(recorded.Status), &response.Diagnostics)
	response.Diagnostics.Append(response.State.Set(ctx, data)...)
}

const (
	// defaultTimeout is how long a condition is waited for.
	defaultTimeout = 5 * time.Minute
	// interval is the time between two looks at it.
	interval = 2 * time.Second
)

// read returns the placement as it is, or as it has become.
func (m model) read(ctx context.Context, fleet engine.Engine, diags *diag.Diagnostics) *engine.Recorded {
	reference := engine.Reference{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}
	name := reference.String()
	wait := convert.FromObject[waitModel](ctx, m.WaitFor, diags)
	limit := defaultTimeout
	if wait != nil && wait.Timeout != nil {
		limit, _ = time.ParseDuration(*wait.Timeout) // the validator has parsed it
	}
	deadline := time.Now().Add(limit)
	for {
		recorded, err := fleet.ReadPlacement(ctx, engine.Placement{Reference: reference})
		switch {
		case errors.Is(err, engine.ErrNotFound):
			missing(reference, diags)
			return nil
		case err != nil:
			report.Error(diags, path.Root("name"), "The placement \""+name+"\" could not be read", err)
			return nil
		case wait == nil || recorded.Status.IsOf(wait.Condition, recorded.Generation):
			report.Withheld(diags, name, recorded.Withheld)
			return recorded
		}
		if time.Now().Add(interval).After(deadline) {
			late(name, wait.Condition, limit, recorded, diags)
			return nil
		}
		select {
		case <-ctx.Done():
			diags.AddError("Waiting for placement \""+name+"\" was interrupted", ctx.Err().Error())
			return nil
		case <-time.After(interval):
		}
	}
}

// missing tells that there is no such placement.
func missing(reference engine.Reference, diags *diag.Diagnostics) {
	what, resource := "No cluster of the fleet has a record of it. Check the name and the provider's \"members\"", "fleet_crp"
	if reference.Namespace != "" {
		what, resource = "The hub has no ResourcePlacement of that name. Check the name and the namespace", "fleet_resource_placement"
	}
	diags.AddAttributeError(path.Root("name"), "There is no placement \""+reference.String()+"\"",
		what+"; if the placement is made in this configuration, have it made first: depends_on = ["+resource+".NAME].")
}

// late tells that a condition has not become true in time.
func late(name string, condition domain.ConditionType, limit time.Duration, recorded *engine.Recorded, diags *diag.Diagnostics) {
	summary := recorded.Status.Summarize()
	is := summary.Conditions[string(condition)]
	switch {
	case is == "":
		is = "not told yet"
	case recorded.Status.Is(condition):
		is = "that of an earlier generation of the placement, which was changed since: the hub's agent has not said anything of the change yet"
	}
	diags.AddAttributeError(path.Root("wait_for"), "Placement \""+name+"\" has not become "+string(condition)+" in "+limit.String(),
		"The condition is "+is+".\n\n"+report.Phases(summary))
}
