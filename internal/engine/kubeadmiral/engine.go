package kubeadmiral

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

// Engine drives a host. It is safe for concurrent use.
type Engine struct {
	engine.NoHub
	clusters *clusterset.Set
	pace     Pace
}

// Pace is how an engine follows what a host does.
type Pace struct {
	controlplane.Pace
	// Notice is how long a scheduler may take to notice a change of a policy.
	Notice time.Duration
	// Retry is how long an object that could not be applied is waited for: the control plane tries it again and again, and it may yet succeed.
	Retry time.Duration
	// Join is how long a member's namespace of an earlier membership is waited for.
	Join time.Duration
}

// DefaultPace fits a control plane with its default settings, which looks again after a member without its finalizer within 10 seconds, and tries what
// has failed again after 5, 10 and 20 seconds, and then more seldom: an object that has come to a member before its Namespace takes two of these.
var DefaultPace = Pace{Pace: controlplane.DefaultPace, Notice: 10 * time.Second, Retry: 40 * time.Second, Join: 2 * time.Minute}

// errNoHost is what the engine is without a host.
var errNoHost = errors.New("the engine \"kubeadmiral\" needs a KubeAdmiral host cluster, and the provider argument \"hub\" has no connection")

// New returns an engine for clusters, whose hub is the host cluster. It opens no connection.
func New(clusters *clusterset.Set) (*Engine, error) {
	if clusters.Hub == nil {
		return nil, errNoHost
	}
	return &Engine{NoHub: noHub, clusters: clusters, pace: DefaultPace}, nil
}

// SetPace is for tests, whose hosts are faster.
func (e *Engine) SetPace(pace Pace) { e.pace = pace }
