package direct

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/apply"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
)

var _ engine.Engine = (*Engine)(nil)

// Namespace is where the engine keeps its records, on every member.
const Namespace = record.Namespace

// Engine applies placements to the members. It is safe for concurrent use.
type Engine struct {
	engine.NoHub
	clusters *clusterset.Set
	// version is the provider's, recorded as the tool that wrote an inventory.
	version string
	pace    apply.Pace
}

// New returns an engine over clusters. Nothing is dialled.
func New(clusters *clusterset.Set, version string) *Engine {
	return &Engine{NoHub: noHub, clusters: clusters, version: version, pace: apply.DefaultPace}
}
