package controlplane

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

var (
	errBusy     = apierrors.NewServiceUnavailable("the API server starts")
	errConflict = apierrors.NewConflict(schema.GroupResource{Resource: "placements"}, "web", errors.New("the object has been modified"))
	errOther    = errors.New("another reason")
)

// sequence returns a function that returns one error for each call, and the last error for all later calls. calls counts its calls.
func sequence(errs ...error) (next func() error, calls *int) {
	calls = new(int)
	return func() error {
		*calls++
		return errs[min(*calls, len(errs))-1]
	}, calls
}

func TestRepeat(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		errs  []error
		more  []Retry
		want  error
		calls int
		took  time.Duration
	}{
		"success":             {[]error{nil}, nil, nil, 1, 0},
		"a restart":           {[]error{errBusy, errBusy, nil}, nil, nil, 3, 2 * time.Second},
		"a rejection":         {[]error{errBusy, errOther, nil}, nil, errOther, 2, time.Second},
		"an outage":           {[]error{errBusy}, nil, errBusy, 121, Restart},
		"another retry":       {[]error{errOther, errBusy, errOther, nil}, []Retry{{func(err error) bool { return errors.Is(err, errOther) }, time.Minute}}, nil, 4, 3 * time.Second},
		"another retry ended": {[]error{errOther}, []Retry{{func(err error) bool { return errors.Is(err, errOther) }, 5 * time.Second}}, errOther, 6, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				next, calls := sequence(c.errs...)
				began := time.Now()
				_, err := Repeat(t.Context(), func() (struct{}, error) { return struct{}{}, next() }, c.more...)
				if !errors.Is(err, c.want) || c.want == nil && err != nil || *calls != c.calls || time.Since(began) != c.took {
					t.Errorf("%v after %d calls in %s", err, *calls, time.Since(began))
				}
			})
		})
	}
}

func TestRepeatEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		next, calls := sequence(errBusy)
		if _, err := Repeat(ctx, func() (struct{}, error) { return struct{}{}, next() }); !errors.Is(err, errBusy) || *calls != 3 {
			t.Errorf("%v after %d calls", err, *calls)
		}
	})
}

func TestRepeatConflicts(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		errs     []error
		want     error
		calls    int
		changing bool
	}{
		"success":          {[]error{nil}, nil, 1, false},
		"one conflict":     {[]error{errConflict, nil}, nil, 2, false},
		"a rejection":      {[]error{errConflict, errOther}, errOther, 2, false},
		"only conflicts":   {[]error{errConflict}, errConflict, Attempts, true},
		"another failure":  {[]error{errBusy}, errBusy, 1, false},
		"the last attempt": {[]error{errConflict, errConflict, errConflict, errConflict, nil}, nil, Attempts, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			next, calls := sequence(c.errs...)
			attempts := 0
			_, err := RepeatConflicts(func(attempt int) (struct{}, error) {
				attempts = attempt
				return struct{}{}, next()
			})
			_, changing := errors.AsType[*ChangingError](err)
			if !errors.Is(err, c.want) || c.want == nil && err != nil || *calls != c.calls || attempts != c.calls || changing != c.changing || changing && !kube.IsOutdated(err) {
				t.Errorf("%v after %d calls, attempt %d", err, *calls, attempts)
			}
		})
	}
}
