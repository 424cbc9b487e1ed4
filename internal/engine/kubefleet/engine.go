package kubefleet

import (
	"errors"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
)

var (
	_ engine.Engine       = (*Engine)(nil)
	_ engine.Consequences = (*Engine)(nil)
)

// Engine drives a hub. It is safe for concurrent use.
type Engine struct {
	clusters *clusterset.Set
	pace     Pace
}

// Pace is how an engine follows what a hub does.
type Pace struct {
	controlplane.Pace
	// Collect is how long a hub may take to notice a change of what is selected: it gathers changes for up to 15 seconds, and makes no new
	// content within 30 seconds of the last one (flags resource-changes-collection-duration and resource-snapshot-creation-minimum-interval).
	Collect time.Duration
	// Retry is how long an object that could not be applied is waited for: the agent tries it again and again, and it may yet succeed.
	Retry time.Duration
}

// DefaultPace fits a hub with the settings of KubeFleet's charts.
var DefaultPace = Pace{Pace: controlplane.DefaultPace, Collect: 60 * time.Second, Retry: 15 * time.Second}

// errNoHub is what the engine is without a hub.
var errNoHub = errors.New("the engine \"kubefleet\" drives a hub, and the provider argument \"hub\" has no connection to one")

// New returns an engine over clusters, of which the hub is one. Nothing is dialled.
func New(clusters *clusterset.Set) (*Engine, error) {
	if clusters.Hub == nil {
		return nil, errNoHub
	}
	return &Engine{clusters: clusters, pace: DefaultPace}, nil
}

// SetPace is for tests, whose hubs are faster.
func (e *Engine) SetPace(pace Pace) { e.pace = pace }
