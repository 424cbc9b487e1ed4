// Package app wires the parts of the provider together.
package app

import (
	"context"
	"fmt"
	"io"

	"github.com/hashicorp/go-plugin"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6/tf6server"
	"github.com/hashicorp/terraform-plugin-log/tflog"
	"google.golang.org/grpc"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/klog/v2"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/owners"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/workload"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/transport"
	fleetprovider "github.com/terraform-fleet/terraform-provider-fleet/internal/provider"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/plannedprivate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/planonly"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// Address is the provider's address in the registry.
const Address = "registry.terraform.io/terraform-fleet/fleet"

// Serve runs the provider until Terraform ends it.
func Serve(ctx context.Context, version string, debug bool) error {
	// client-go logs to stderr, and Terraform writes that output to its own log (TF_LOG) as unexpected data of the provider.
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	if debug {
		return tf6server.Serve(Address, func() tfprotov6.ProviderServer { return NewServer(version) }, tf6server.WithManagedDebug())
	}
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: handshake,
		Plugins: plugin.PluginSet{"provider": &tf6server.GRPCProviderPlugin{
			Name: Address, GRPCProvider: func() tfprotov6.ProviderServer { return NewServer(version) },
		}},
		GRPCServer: func(options []grpc.ServerOption) *grpc.Server {
			return grpc.NewServer(append(options, grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage),
				grpc.ChainUnaryInterceptor(plannedprivate.Intercept, planonly.Intercept))...)
		},
	})
	return nil
}

// handshake is the handshake of version 6 of Terraform's plugin protocol. maxMessage is the largest message in bytes that Terraform sends and
// accepts. Both are copied from terraform-plugin-go (tfprotov6/tf6server: Serve), which does not accept interceptors.
var handshake = plugin.HandshakeConfig{
	ProtocolVersion: 6, MagicCookieKey: "TF_PLUGIN_MAGIC_COOKIE",
	MagicCookieValue: "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2",
}

const maxMessage = 256 << 20

// NewServer returns the server of a new provider.
func NewServer(version string) tfprotov6.ProviderServer {
	return fleetprovider.NewServer(NewProvider(version))
}

// NewProvider returns a function that returns new providers.
func NewProvider(version string) func() provider.Provider {
	return fleetprovider.New(version, connect)
}

// logRequest logs a request for TF_LOG=debug. It logs no headers and no bodies.
func logRequest(ctx context.Context, cluster string, e transport.Exchange) {
	fields := map[string]any{
		"cluster": cluster, "method": e.Method, "path": e.Path, "dry_run": e.DryRun,
		"status": e.Status, "duration_ms": e.Duration.Milliseconds(), "bytes": e.Bytes,
	}
	if e.Err != nil {
		fields["error"] = e.Err.Error()
	}
	tflog.Debug(ctx, "Request to a cluster", fields)
}

// connect returns the readers and the engine for the configured clusters. It dials no cluster.
func connect(config fleetprovider.Config) (session.Readers, engine.Engine, error) {
	limiter := kube.NewLimiter(config.MaxInFlight)
	options := kube.Options{
		UserAgent:    "terraform-provider-fleet/" + config.Version,
		Observe:      logRequest,
		FieldManager: config.FieldManager, QPS: float32(config.QPS), Burst: config.Burst,
	}
	var hub *kube.Cluster
	if config.Hub != nil {
		hub = kube.NewCluster("hub", *config.Hub, options, limiter)
	}
	members := map[string]*kube.Cluster{}
	for name, connection := range config.Members {
		members[name] = kube.NewCluster(name, connection, options, limiter)
	}
	clusters := clusterset.New(hub, members, 0)
	fleet, err := newEngine(config, clusters)
	return session.Readers{
		Workloads: workload.NewReader(clusters, workloadHub(config, hub)), Owners: owners.NewReader(clusters, direct.ReadRecords),
	}, fleet, err
}

// workloadHub describes how the hub of an engine treats workloads. On a KubeAdmiral host cluster, an annotation leaves the replicas of Deployments to the
// members. The provider does not use the annotation for other kinds: if the FederatedTypeConfig of a kind has no replicasSpec, every update of an object with
// the annotation fails. For the other engines, workloadHub returns the zero value.
func workloadHub(config fleetprovider.Config, hub *kube.Cluster) workload.Hub {
	if config.Engine != fleetprovider.EngineKubeAdmiral || hub == nil {
		return workload.Hub{}
	}
	return workload.Hub{
		Retention: domain.Retention{{Group: "apps", Kind: "Deployment"}: v1alpha1.RetainReplicasAnnotation},
		Unplaceable: func(ctx context.Context) (func(schema.GroupVersionKind) string, error) {
			return kubeadmiral.Unplaceable(ctx, hub)
		},
	}
}

func newEngine(config fleetprovider.Config, clusters *clusterset.Set) (engine.Engine, error) {
	switch config.Engine {
	case fleetprovider.EngineDirect:
		fleet := direct.New(clusters, config.Version)
		if config.EngineByDefault && clusters.Hub != nil {
			return defaultEngine{Engine: fleet, hub: clusters.Hub}, nil
		}
		return fleet, nil
	case fleetprovider.EngineKubeFleet:
		return kubefleet.New(clusters)
	case fleetprovider.EngineKubeAdmiral:
		return kubeadmiral.New(clusters)
	default:
		return nil, fmt.Errorf("the engine %q is not available in this version", config.Engine)
	}
}
