package kube

import (
	"context"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/transport"
)

// Defaults of Options.
const (
	DefaultFieldManager = takeover.FieldManager
	DefaultBurst        = 100
	DefaultTimeout      = 30 * time.Second
	DefaultShareFor     = 15 * time.Second
)

// DefaultLastAppliedAnnotation is the default of ApplyOptions.LastAppliedAnnotation.
const DefaultLastAppliedAnnotation = "fleet.terraform.io/last-applied-configuration"

// DefaultMaxInFlight is the default of NewLimiter.
const DefaultMaxInFlight = 128

// Options tune a Cluster. Zero values mean the defaults above; QPS and Observe have none.
type Options struct {
	// UserAgent is sent with every request; the default is DefaultFieldManager. It appears in the audit log of the API server.
	UserAgent string
	// FieldManager is the default field manager of writes.
	FieldManager string
	// QPS is the maximum number of requests per second to one cluster, after Burst requests without a pause. Zero or less means no limit. This is the default,
	// because API servers have their own fair queuing.
	QPS   float32
	Burst int
	// Timeout bounds one HTTP request, from its start until the response is read. It excludes the wait for QPS or for the Limiter, and the wait
	// before a retry that the server requested. The caller's context bounds these waits.
	Timeout time.Duration
	// Observe, if not nil, is called after every request with the name of the cluster.
	Observe func(ctx context.Context, cluster string, what transport.Exchange)
	// ShareFor is the maximum age of an answer for a shared read (ShareReads). If it is negative, reads share no answers.
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
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.ShareFor == 0 {
		o.ShareFor = DefaultShareFor
	}
	return o
}
