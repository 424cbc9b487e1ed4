// Package app wires the parts of the provider together.
package app

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	fleetprovider "github.com/terraform-fleet/terraform-provider-fleet/internal/provider"
)

// Address is where the provider is published.
const Address = "registry.terraform.io/terraform-fleet/fleet"

// Serve runs the provider until Terraform ends it.
func Serve(ctx context.Context, version string, debug bool) error {
	return providerserver.Serve(ctx, NewProvider(version), providerserver.ServeOpts{Address: Address, Debug: debug, ProtocolVersion: 6})
}

// NewProvider returns a function that makes providers.
func NewProvider(version string) func() provider.Provider {
	return fleetprovider.New(version, connect)
}

// connect makes the clusters' connections and the engine over them. Nothing is dialled.
func connect(config fleetprovider.Config) (*clusterset.Set, engine.Engine, error) {
	if config.Engine != fleetprovider.EngineDirect {
		return nil, nil, fmt.Errorf("the engine %q is not available in this version", config.Engine)
	}
	limiter := kube.NewLimiter(config.MaxInFlight)
	options := kube.Options{
		UserAgent:    "terraform-provider-fleet/" + config.Version,
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
	return clusters, direct.New(clusters, config.Version), nil
}
