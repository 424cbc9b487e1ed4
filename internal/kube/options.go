package kube

import (
	"context"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/transport"
)

// Defaults of Options.
const (
	DefaultFieldManager          = "terraform-provider-fleet"
	DefaultLastAppliedAnnotation = "fleet.terraform.io/last-applied-configuration"
	DefaultBurst                 = 100
	DefaultMaxInFlight           = 128
	DefaultWorkers               = 8
	DefaultTimeout               = 30 * time.Second
	DefaultShareFor              = 15 * time.Second
)

// Options tune a Cluster. Zero values mean the defaults above.
type Options struct {
	// UserAgent is sent with every request; it shows in the audit log of the API server.
	UserAgent string
	// FieldManager is the name under which writes own fields that give no other.
	FieldManager string
	// QPS is the number of requests a second to one cluster, after Burst requests without a pause. Zero and less: unlimited. API servers
	// share their time out by themselves among those who ask.
	QPS   float32
	Burst int
	// Workers is the number of requests that one call (GetMany, CanI) has under way at once on one cluster.
	Workers int
	// Timeout bounds one HTTP request, from its start until the response is read. The time spent waiting for QPS or for the Limiter
	// does not count, nor does that of a retry which the server asked for: the caller's context bounds those.
	Timeout time.Duration
	// Observe is told of every request that is over, with the name of the cluster; nil: nobody wants to know.
	Observe func(ctx context.Context, cluster string, what transport.Exchange)
	// ShareFor is how old an answer may be that a read is given which shares (ShareReads). Negative: reads share nothing.
	ShareFor time.Duration
}

func (o Options) withDefaults() Options {
	if o.UserAgent == "" {
		o.UserAgent = DefaultFieldManager
	}
	if o.FieldManager == "" {
		o.FieldManager = DefaultFieldManager
	}
	if o.Burst <= 0 {
		o.Burst = DefaultBurst
	}
	if o.Workers <= 0 {
		o.Workers = DefaultWorkers
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.ShareFor == 0 {
		o.ShareFor = DefaultShareFor
	}
	return o
}
