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

// Pace defines how often and how long an engine polls a hub.
type Pace struct {
	controlplane.Pace
	// Collect is how long a hub may take to observe a change of the selected objects. The hub collects changes for up to 15 seconds, and creates a resource
	// snapshot at most every 30 seconds (flags resource-changes-collection-duration and resource-snapshot-creation-minimum-interval).
	Collect time.Duration
	// Retry is how long an apply waits while nothing changes, for example after an object could not be applied: the agent retries, and may succeed.
	Retry time.Duration
}

// DefaultPace is for hubs with the default settings of KubeFleet's charts.
var DefaultPace = Pace{Pace: controlplane.DefaultPace, Collect: 60 * time.Second, Retry: 15 * time.Second}

var errNoHub = errors.New("the engine \"kubefleet\" needs a hub, and the provider argument \"hub\" configures no connection to one")

// New returns an engine for clusters, which must include a hub. It does not connect to them.
func New(clusters *clusterset.Set) (*Engine, error) {
	if clusters.Hub == nil {
		return nil, errNoHub
	}
	return &Engine{clusters: clusters, pace: DefaultPace}, nil
}

// SetPace sets the pace for tests, whose hubs are faster.
func (e *Engine) SetPace(pace Pace) { e.pace = pace }
