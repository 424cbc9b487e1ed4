package controlplane

import (
	"context"
	"errors"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Pace defines how a control plane is polled.
type Pace struct {
	// Interval is the pause between two polls.
	Interval time.Duration
	// Silence is how long a control plane may be unreachable.
	Silence time.Duration
}

// DefaultPace is for real control planes.
var DefaultPace = Pace{Interval: time.Second, Silence: Restart}

// Poll calls check until it is done. If check returns the error of an unreachable cluster, Poll calls it again, until check has returned only such errors for
// pace.Silence. Any other error ends Poll immediately. Poll returns false without an error if the context ends first.
func Poll(ctx context.Context, pace Pace, check func(ctx context.Context) (done bool, err error)) (bool, error) {
	for answered := time.Now(); ; {
		done, err := check(ctx)
		switch {
		case err == nil && done:
			return true, nil
		case err == nil:
			answered = time.Now()
		case ctx.Err() != nil:
			return false, nil //nolint:nilerr // the error is that of the context
		case !isUnanswered(err) || time.Since(answered) > pace.Silence:
			return false, err
		}
		if !clusterset.Pause(ctx, pace.Interval) {
			return false, nil
		}
	}
}

// isUnanswered reports whether an error means that a cluster has not answered, or that the connection to it failed or was rejected.
func isUnanswered(err error) bool {
	_, unreachable := errors.AsType[*engine.UnreachableError](err)
	return unreachable || clusterset.IsOffline(err) || kube.IsTransient(err)
}
