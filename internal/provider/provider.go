// Package provider is the Terraform side: it converts the configuration into values of the domain, and the results into state.
package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/action"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/crp"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/disruptionbudget"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/envelopeconfigmap"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/eviction"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/functions"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/membercluster"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/memberclusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/memberobjects"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/membertoken"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/objectowner"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/placementpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/placementstatus"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/resourceplacement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/stageapproval"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/stagedupdate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/workload"
)

var (
	_ provider.Provider                   = (*Provider)(nil)
	_ provider.ProviderWithValidateConfig = (*Provider)(nil)
	_ provider.ProviderWithFunctions      = (*Provider)(nil)

	_ provider.ProviderWithEphemeralResources = (*Provider)(nil)
	_ provider.ProviderWithActions            = (*Provider)(nil)
	_ provider.ProviderWithListResources      = (*Provider)(nil)
)

// Connect returns the readers and the engine for a configuration, without dialing a cluster.
type Connect func(Config) (session.Readers, engine.Engine, error)

// Provider is the fleet provider.
type Provider struct {
	version string
	connect Connect
}

// New returns a function that returns new providers, in the form that the framework's server requires.
func New(version string, connect Connect) func() provider.Provider {
	return func() provider.Provider { return &Provider{version: version, connect: connect} }
}

// Metadata returns the name of the provider.
func (p *Provider) Metadata(_ context.Context, _ provider.MetadataRequest, response *provider.MetadataResponse) {
	response.TypeName = "fleet"
	response.Version = p.version
}

// Schema returns the schema of the provider configuration.
func (p *Provider) Schema(_ context.Context, _ provider.SchemaRequest, response *provider.SchemaResponse) {
	response.Schema = providerSchema()
}

// ValidateConfig validates the connections, without reading files.
func (p *Provider) ValidateConfig(ctx context.Context, request provider.ValidateConfigRequest, response *provider.ValidateConfigResponse) {
	var data model
	response.Diagnostics.Append(request.Config.Get(ctx, &data)...)
	if response.Diagnostics.HasError() {
		return
	}
	validateConnections(ctx, data, &response.Diagnostics)
}

// Configure creates the session. It dials no cluster. If a value is unknown, the session has no engine, and the resources report this at plan time.
func (p *Provider) Configure(ctx context.Context, request provider.ConfigureRequest, response *provider.ConfigureResponse) {
	var data model
	response.Diagnostics.Append(request.Config.Get(ctx, &data)...)
	if response.Diagnostics.HasError() {
		return
	}
	shared := &session.Session{Preview: session.PreviewMode(data.Preview.ValueString()), Applying: data.Applying.ValueBool()}
	if shared.Preview == "" {
		shared.Preview = session.PreviewAuto
	}
	response.ResourceData, response.DataSourceData, response.EphemeralResourceData, response.ActionData = shared, shared, shared, shared
	response.ListResourceData = shared
	// Engines do not use these two arguments.
	if !convert.Known(request.Config.Raw, "preview", "applying") {
		return
	}
	config := data.expand(ctx, &response.Diagnostics)
	if response.Diagnostics.HasError() {
		return
	}
	config.Version = p.version
	config.checkConnections(&response.Diagnostics)
	config.checkEngine(&response.Diagnostics)
	if response.Diagnostics.HasError() {
		return
	}
	var err error
	if shared.Readers, shared.Engine, err = p.connect(config); err != nil {
		response.Diagnostics.AddAttributeError(path.Root("engine"), "The engine cannot be used", err.Error())
	}
}

// Resources returns the resource types.
func (p *Provider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		membercluster.New, envelopeconfigmap.New, crp.New, resourceplacement.New, override.NewCluster, override.NewNamespaced,
		stagedupdate.NewStrategy, stagedupdate.NewRun, disruptionbudget.New, workload.New,
	}
}

// DataSources returns the data source types.
func (p *Provider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		memberclusters.New, placementpreview.New, placementstatus.New, workload.NewDataSource, objectowner.New, memberobjects.New,
	}
}

// EphemeralResources returns the ephemeral resource types.
func (*Provider) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{membertoken.New}
}

// Actions returns the actions.
func (*Provider) Actions(context.Context) []func() action.Action {
	return []func() action.Action{eviction.New, stageapproval.New}
}

// Functions returns the functions.
func (p *Provider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{functions.NewManifests, functions.NewPreviewHTML, functions.NewSchedule, functions.NewTakeoverDiff}
}
