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

// Pace defines how an engine polls the host.
type Pace struct {
	controlplane.Pace
	// Notice is how long the scheduler can take to observe a change of a policy. It is also how long the control plane can take to process its own annotations,
	// and to collect fields from members.
	Notice time.Duration
	// Retry is how long to wait for an object that could not be applied: the control plane retries, and may succeed. It is also how long to wait until the
	// control plane has listed new kinds of members, and until it has deleted followers.
	Retry time.Duration
	// Join is how long to wait until a member has joined. It is also how long to wait, before the registration of a member, until the namespace of an earlier
	// membership is deleted on the member.
	Join time.Duration
}

// DefaultPace is for a control plane with default settings. Such a control plane retries a failed object after 5, 10 and 20 seconds, and then less often. If an
// object arrives on a member before its Namespace, it needs two retries.
var DefaultPace = Pace{Pace: controlplane.DefaultPace, Notice: 10 * time.Second, Retry: 40 * time.Second, Join: 2 * time.Minute}

var errNoHost = errors.New("the engine \"kubeadmiral\" needs a KubeAdmiral host cluster, and the provider argument \"hub\" has no connection")

// New returns an engine for clusters, whose hub is the host cluster. It opens no connection. It returns an error if clusters has no hub.
func New(clusters *clusterset.Set) (*Engine, error) {
	if clusters.Hub == nil {
		return nil, errNoHost
	}
	return &Engine{NoHub: noHub, clusters: clusters, pace: DefaultPace}, nil
}

// SetPace changes the pace for tests, whose hosts are faster.
func (e *Engine) SetPace(pace Pace) { e.pace = pace }
