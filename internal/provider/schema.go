package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/enum"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/validate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/wholenumber"
)

// EngineName is the name of an engine.
type EngineName string

// Values returns the values in the order in which they are documented.
func (EngineName) Values() []string {
	return []string{EngineDirect, EngineKubeFleet, EngineKubeAdmiral}
}

const (
	// EngineDirect needs no software on a hub. EngineKubeFleet drives a KubeFleet hub, and EngineKubeAdmiral drives a KubeAdmiral host cluster.
	EngineDirect, EngineKubeFleet, EngineKubeAdmiral = "direct", "kubefleet", "kubeadmiral"
)

func providerSchema() schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Places Kubernetes resources on a fleet of clusters. The plan shows what happens on every member: which clusters are " +
			"picked, which objects are created, which objects are pre-existing, who owns them, and whether they are taken over.",
		Attributes: map[string]schema.Attribute{
			"engine": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "The component that places objects on the members. `direct` (the default): the provider itself. `kubefleet`: a hub of " +
					"KubeFleet or Azure Kubernetes Fleet Manager. `kubeadmiral`: a KubeAdmiral host cluster. `kubefleet` and `kubeadmiral` require `hub`. If KubeFleet runs on the `hub`, you must set the engine before you add a placement. Environment: `FLEET_ENGINE`.",
				Validators: enum.Validators[EngineName](),
			},
			"hub": schema.SingleNestedAttribute{
				Optional: true, Attributes: connectionAttributes(),
				MarkdownDescription: "The hub cluster. Engine `direct`: the provider reads selected objects from it, and stores only envelopes there. Other " +
					"engines: the provider also writes the placements to it. If it is omitted or `{}`, the provider uses the environment: " +
					"`FLEET_HUB_CONFIG_PATH`, `FLEET_HUB_CONFIG_CONTEXT`, `FLEET_HUB_HOST`, `FLEET_HUB_TOKEN`, " +
					"`FLEET_HUB_CLIENT_CERTIFICATE`, `FLEET_HUB_CLIENT_KEY`, `FLEET_HUB_CLUSTER_CA_CERTIFICATE`, `FLEET_HUB_INSECURE`, " +
					"`FLEET_HUB_TLS_SERVER_NAME`, `FLEET_HUB_PROXY_URL`.",
			},
			"members": schema.MapNestedAttribute{
				Optional:            true,
				MarkdownDescription: "The connections to the member clusters, by the name of the member.",
				NestedObject:        schema.NestedAttributeObject{Attributes: connectionAttributes()},
			},
			"field_manager": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "The name under which the provider owns fields of the objects it writes. The default is `terraform-provider-fleet`.",
				Validators:          []validator.String{validate.FieldManager()},
			},
			"preview": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "How a plan checks the clusters: `Auto` (the default) checks those that it can reach and names the others, " +
					"`Required` makes the plan fail if a cluster cannot be checked, `Off` checks none.",
				Validators: enum.Validators[session.PreviewMode](),
			},
			"applying": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Write `terraform.applying` here. Terraform plans every resource again right before it applies it. With this argument, " +
					"warnings of the plan are not printed again. With Terraform 1.16 or later, placements do not need the argument, but other resources do.",
			},
			"qps": schema.NumberAttribute{
				Optional: true,
				MarkdownDescription: "Requests per second to one cluster. The default is `-1`, without a limit: API servers throttle clients on " +
					"their own, and `max_in_flight` limits concurrent requests.",
				Validators: []validator.Number{qpsValidator{}},
			},
			"burst": schema.Int32Attribute{
				CustomType: wholenumber.Type{}, Optional: true,
				MarkdownDescription: "Size of a burst: the number of requests to one cluster that `qps` does not delay. The default is 100.",
				Validators:          []validator.Int32{validate.AtLeast(1)},
			},
			"max_in_flight": schema.Int32Attribute{
				CustomType: wholenumber.Type{}, Optional: true,
				MarkdownDescription: "Concurrent requests to all clusters together. The default is 128.",
				Validators:          []validator.Int32{validate.AtLeast(1)},
			},
		},
	}
}

// connectionAttributes returns the schema of a connection. The attributes are named like the arguments of the hashicorp/kubernetes provider.
func connectionAttributes() map[string]schema.Attribute {
	text := func(description string, sensitive bool) schema.StringAttribute {
		return schema.StringAttribute{Optional: true, Sensitive: sensitive, MarkdownDescription: description}
	}
	return map[string]schema.Attribute{
		"config_path": text("Path of a kubeconfig file.", false),
		"config_paths": schema.ListAttribute{
			Optional: true, ElementType: types.StringType, MarkdownDescription: "Paths of kubeconfig files that are merged.",
		},
		"config_context": text("Context of the kubeconfig. Required if the kubeconfig files contain more than one context: the provider never uses "+
			"the current context.", false),
		"config_context_cluster":   text("Cluster of the kubeconfig to use instead of the context's.", false),
		"config_context_auth_info": text("User of the kubeconfig to use instead of the context's.", false),
		"host": text("URL of the API server. It needs `token`, `client_certificate` or `exec`: anonymous requests are not "+
			"supported.", false),
		"token":                  text("Bearer token.", true),
		"client_certificate":     text("Client certificate, as PEM text.", false),
		"client_key":             text("Key of the client certificate, as PEM text.", true),
		"cluster_ca_certificate": text("Certificate authorities of the API server, as PEM text.", false),
		"insecure": schema.BoolAttribute{
			Optional: true, MarkdownDescription: "Accept any certificate of the API server.",
		},
		"tls_server_name": text("Name that the API server's certificate must have, if it differs from the name in `host`.", false),
		"proxy_url":       text("Proxy for the connection: `http`, `https` or `socks5`.", false),
		"exec": schema.SingleNestedAttribute{
			Optional:            true,
			MarkdownDescription: "Command that prints credentials, such as `kubelogin` or `aws eks get-token`.",
			Attributes: map[string]schema.Attribute{
				"api_version": schema.StringAttribute{
					Required: true, MarkdownDescription: "API version of the credentials: `client.authentication.k8s.io/v1` or `.../v1beta1`.",
				},
				"command": schema.StringAttribute{Required: true, MarkdownDescription: "The command."},
				"args":    schema.ListAttribute{Optional: true, ElementType: types.StringType, MarkdownDescription: "Arguments of the command."},
				"env": schema.MapAttribute{
					Optional: true, ElementType: types.StringType, MarkdownDescription: "Environment variables that are added for the command.",
				},
			},
		},
	}
}
