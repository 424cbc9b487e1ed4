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
	Interval time.Duration
	// Silence is how long polls may fail in succession.
	Silence time.Duration
}

// DefaultPace is for real control planes.
var DefaultPace = Pace{Interval: time.Second, Silence: Restart}

// Poll calls check until check returns done. After the error of a request to a cluster, or of a missing connection, Poll calls check again. It returns the error
// if check has returned only such errors for pace.Silence. Any other error ends Poll immediately. If the context ends first, Poll returns false without an error.
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

// isUnanswered reports whether Poll calls check again after an error: a request to a cluster failed or was rejected, or there is no connection to the cluster.
func isUnanswered(err error) bool {
	_, unreachable := errors.AsType[*engine.UnreachableError](err)
	return unreachable || clusterset.IsOffline(err) || kube.IsTransient(err)
}
