// Package app wires the parts of the provider together.
package app

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
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

// connect makes an engine with its cluster connections. Nothing is dialled.
func connect(config fleetprovider.Config) (engine.Engine, error) {
	if config.Engine != "direct" {
		return nil, fmt.Errorf("the engine %q is not available in this version", config.Engine)
	}
	limiter := kube.NewLimiter(config.MaxInFlight)
	options := kube.Options{
		UserAgent:    "terraform-provider-fleet/" + config.Version,
		FieldManager: config.FieldManager, QPS: float32(config.QPS), Burst: config.Burst,
	}
	wired := direct.Config{Members: map[string]*kube.Cluster{}, Version: config.Version}
	if config.Hub != nil {
		wired.Hub = kube.NewCluster("hub", *config.Hub, options, limiter)
	}
	for name, connection := range config.Members {
		wired.Members[name] = kube.NewCluster(name, connection, options, limiter)
	}
	return direct.New(wired), nil
}
