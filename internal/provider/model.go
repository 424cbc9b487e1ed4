package provider

import (
	"context"
	"os"
	"strconv"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-framework/types/basetypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/wholenumber"
)

// Config is the provider configuration that engines are created from.
type Config struct {
	Version string
	Engine  string
	// EngineByDefault reports that neither the configuration nor FLEET_ENGINE names the engine.
	EngineByDefault bool
	Hub             *connection.Connection
	Members         map[string]connection.Connection
	FieldManager    string
	QPS             float64
	Burst           int
	MaxInFlight     int
}

type model struct {
	Engine       types.String      `tfsdk:"engine"`
	Hub          types.Object      `tfsdk:"hub"`
	Members      types.Map         `tfsdk:"members"`
	FieldManager types.String      `tfsdk:"field_manager"`
	Preview      types.String      `tfsdk:"preview"`
	Applying     types.Bool        `tfsdk:"applying"`
	QPS          types.Number      `tfsdk:"qps"`
	Burst        wholenumber.Value `tfsdk:"burst"`
	MaxInFlight  wholenumber.Value `tfsdk:"max_in_flight"`
}

type connectionModel struct {
	ConfigPath            types.String `tfsdk:"config_path"`
	ConfigPaths           []string     `tfsdk:"config_paths"`
	ConfigContext         types.String `tfsdk:"config_context"`
	ConfigContextCluster  types.String `tfsdk:"config_context_cluster"`
	ConfigContextAuthInfo types.String `tfsdk:"config_context_auth_info"`
	Host                  types.String `tfsdk:"host"`
	Token                 types.String `tfsdk:"token"`
	ClientCertificate     types.String `tfsdk:"client_certificate"`
	ClientKey             types.String `tfsdk:"client_key"`
	ClusterCACertificate  types.String `tfsdk:"cluster_ca_certificate"`
	Insecure              types.Bool   `tfsdk:"insecure"`
	TLSServerName         types.String `tfsdk:"tls_server_name"`
	ProxyURL              types.String `tfsdk:"proxy_url"`
	Exec                  *execModel   `tfsdk:"exec"`
}

type execModel struct {
	APIVersion types.String      `tfsdk:"api_version"`
	Command    types.String      `tfsdk:"command"`
	Args       []string          `tfsdk:"args"`
	Env        map[string]string `tfsdk:"env"`
}

// expandConnection converts a connection. It returns known = false if a part of the connection is unknown, and an empty connection for null.
func expandConnection(ctx context.Context, object basetypes.ObjectValue, diags *diag.Diagnostics) (out connection.Connection, known bool) {
	if raw, err := object.ToTerraformValue(ctx); err != nil || !convert.Known(raw) {
		return out, false
	}
	m := convert.FromObject[connectionModel](ctx, object, diags)
	if m == nil {
		return out, true
	}
	out = connection.Connection{
		ConfigPath: m.ConfigPath.ValueString(), ConfigPaths: m.ConfigPaths, ConfigContext: m.ConfigContext.ValueString(),
		ConfigContextCluster: m.ConfigContextCluster.ValueString(), ConfigContextAuthInfo: m.ConfigContextAuthInfo.ValueString(),
		Host: m.Host.ValueString(), Token: m.Token.ValueString(), ClientCertificate: m.ClientCertificate.ValueString(),
		ClientKey: m.ClientKey.ValueString(), ClusterCACertificate: m.ClusterCACertificate.ValueString(), Insecure: m.Insecure.ValueBool(),
		TLSServerName: m.TLSServerName.ValueString(), ProxyURL: m.ProxyURL.ValueString(),
	}
	if m.Exec != nil {
		out.Exec = &connection.Exec{
			APIVersion: m.Exec.APIVersion.ValueString(), Command: m.Exec.Command.ValueString(), Args: m.Exec.Args, Env: m.Exec.Env,
		}
	}
	return out, true
}

// hubFromEnvironment returns the connection that the environment describes, or nil. The provider uses it only if the configuration has no connection to a hub,
// and never mixes arguments of the configuration with those of the environment.
func hubFromEnvironment() *connection.Connection {
	get := func(name string) string { return os.Getenv("FLEET_HUB_" + name) }
	insecure, _ := strconv.ParseBool(get("INSECURE"))
	out := connection.Connection{
		ConfigPath: get("CONFIG_PATH"), ConfigContext: get("CONFIG_CONTEXT"), Host: get("HOST"), Token: get("TOKEN"),
		ClientCertificate: get("CLIENT_CERTIFICATE"), ClientKey: get("CLIENT_KEY"), ClusterCACertificate: get("CLUSTER_CA_CERTIFICATE"),
		Insecure: insecure, TLSServerName: get("TLS_SERVER_NAME"), ProxyURL: get("PROXY_URL"),
	}
	if out.IsZero() {
		return nil
	}
	return &out
}

// expand requires that everything except preview and applying is known. Engines do not use these two arguments. expand reads omitted values of hub and engine from
// the environment.
func (m model) expand(ctx context.Context, diags *diag.Diagnostics) Config {
	config := Config{
		Engine: m.Engine.ValueString(), FieldManager: m.FieldManager.ValueString(),
		QPS: expandQPS(m.QPS), Burst: int(m.Burst.ValueInt32()), MaxInFlight: int(m.MaxInFlight.ValueInt32()),
		Members: map[string]connection.Connection{},
	}
	if !m.Hub.IsNull() {
		hub, _ := expandConnection(ctx, m.Hub, diags)
		config.Hub = &hub
	}
	if config.Hub == nil || config.Hub.IsZero() {
		if fromEnvironment := hubFromEnvironment(); fromEnvironment != nil {
			config.Hub = fromEnvironment
		}
	}
	for name, value := range m.Members.Elements() {
		if object, ok := value.(types.Object); ok {
			config.Members[name], _ = expandConnection(ctx, object, diags)
		}
	}
	if config.Engine == "" {
		config.Engine = os.Getenv("FLEET_ENGINE")
	}
	if config.Engine == "" {
		config.Engine, config.EngineByDefault = EngineDirect, true
	}
	return config
}
