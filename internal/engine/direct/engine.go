package direct

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/apply"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
)

var _ engine.Engine = (*Engine)(nil)

// Namespace is the namespace of the engine's records on every member.
const Namespace = record.Namespace

// Engine applies placements to the members. It is safe for concurrent use.
type Engine struct {
	engine.NoHub
	clusters *clusterset.Set
	// version is the provider's version, for the tooling annotation of inventories.
	version string
	pace    apply.Pace
}

// New returns an engine for the clusters. It opens no connection.
func New(clusters *clusterset.Set, version string) *Engine {
	return &Engine{NoHub: noHub, clusters: clusters, version: version, pace: apply.DefaultPace}
}
