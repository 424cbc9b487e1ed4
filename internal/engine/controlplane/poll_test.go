package controlplane

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

func TestPoll(t *testing.T) {
	t.Parallel()
	silent := &engine.UnreachableError{Cluster: "hub", Err: errors.New("connection refused")}
	missing := &engine.NotConfiguredError{Member: "member-1"}
	pace := Pace{Interval: 2 * time.Second, Silence: 10 * time.Second}
	for name, c := range map[string]struct {
		// errs are the results of the polls; errWaiting is a poll that is not done.
		errs []error
		done bool
		want error
		took time.Duration
	}{
		"done immediately":     {[]error{nil}, true, nil, 0},
		"done later":           {[]error{errWaiting, errWaiting, nil}, true, nil, 4 * time.Second},
		"an outage":            {[]error{silent, silent, nil}, true, nil, 4 * time.Second},
		"a restart":            {[]error{errBusy, nil}, true, nil, 2 * time.Second},
		"a member":             {[]error{missing, nil}, true, nil, 2 * time.Second},
		"silence":              {[]error{silent}, false, silent, 12 * time.Second},
		"silence after a poll": {[]error{errWaiting, errWaiting, silent}, false, silent, 14 * time.Second},
		"a second outage":      {[]error{silent, silent, silent, silent, errWaiting, silent, silent, silent, silent, nil}, true, nil, 18 * time.Second},
		"another error":        {[]error{errWaiting, errOther, nil}, false, errOther, 2 * time.Second},
		"the time limit":       {[]error{errWaiting}, false, nil, 31 * time.Second},
		"an outage until then": {[]error{errWaiting, errWaiting, errWaiting, errWaiting, errWaiting, errWaiting, errWaiting, errWaiting, errWaiting, errWaiting, errWaiting, errWaiting, silent}, false, nil, 31 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 31*time.Second)
				defer cancel()
				next, _ := sequence(c.errs...)
				began := time.Now()
				done, err := Poll(ctx, pace, func(context.Context) (bool, error) {
					err := next()
					if errors.Is(err, errWaiting) {
						return false, nil
					}
					return err == nil, err
				})
				if done != c.done || !errors.Is(err, c.want) || c.want == nil && err != nil || time.Since(began) != c.took {
					t.Errorf("%t, %v after %s", done, err, time.Since(began))
				}
			})
		})
	}
}

// errWaiting is a poll that is not done.
var errWaiting = errors.New("waiting")

// TestPollEndsWithItsContext checks that Poll returns no error if check fails because the context has ended.
func TestPollEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	done, err := Poll(ctx, Pace{}, func(ctx context.Context) (bool, error) {
		cancel()
		return false, ctx.Err()
	})
	if done || err != nil {
		t.Errorf("%t, %v", done, err)
	}
}
