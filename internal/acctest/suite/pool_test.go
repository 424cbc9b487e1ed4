package suite

import (
	"context"
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

// poolOf returns a pool whose sets need no control planes, and a counter of started sets.
func poolOf(t *testing.T, startErr error) (p *pool, started *int) {
	t.Helper()
	t.Setenv(clusters.KubeconfigVariable, "")
	p, started = newPool(t.Context(), io.Discard), new(int)
	p.start = func(context.Context, clusters.Options) (*clusters.Env, error) {
		*started++
		return &clusters.Env{Kubeconfig: "/clusters/kubeconfig"}, startErr
	}
	return p, started
}

func TestSetsStartOnceAndOnDemand(t *testing.T) {
	p, started := poolOf(t, nil)
	if env, _, err := p.take(t.Context(), none); err != nil || len(env) > 0 || *started > 0 {
		t.Fatalf("a package without clusters: %q, %d started, %v", env, *started, err)
	}
	for range 2 {
		env, release, err := p.take(t.Context(), kubeadmiral)
		want := []string{clusters.KubeconfigVariable + "=/clusters/kubeconfig", clusters.ControlVariable + "=/clusters"}
		if err != nil || !slices.Equal(env, want) {
			t.Fatalf("got %q, %v", env, err)
		}
		release()
	}
	if *started != 1 {
		t.Errorf("the set was started %d times", *started)
	}
}

func TestSetHasOneUser(t *testing.T) {
	p, _ := poolOf(t, nil)
	_, release, err := p.take(t.Context(), kubeadmiral)
	if err != nil {
		t.Fatal(err)
	}
	if _, other, err := p.take(t.Context(), kubefleet); err != nil {
		t.Errorf("another set: %v", err)
	} else {
		other()
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, _, err := p.take(ctx, kubeadmiral); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second user of the set got %v", err)
	}
	release()
	if _, again, err := p.take(t.Context(), kubeadmiral); err != nil {
		t.Error(err)
	} else {
		again()
	}
}

// TestEitherSet checks that a package that may use either set takes the free one, and that only sets in use are started.
func TestEitherSet(t *testing.T) {
	for _, busy := range []set{kubefleet, kubeadmiral} {
		p, started := poolOf(t, nil)
		_, release, err := p.take(t.Context(), busy)
		if err != nil {
			t.Fatal(err)
		}
		_, other, err := p.take(t.Context(), either)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, _, err := p.take(ctx, either); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a third package got %v", err)
		}
		release()
		if _, again, err := p.take(t.Context(), either); err != nil {
			t.Error(err)
		} else {
			again()
		}
		other()
		if *started != 2 {
			t.Errorf("%d sets were started", *started)
		}
	}
	p, started := poolOf(t, nil)
	_, release, err := p.take(t.Context(), either)
	if err != nil {
		t.Fatal(err)
	}
	release()
	if err := p.stop(); err != nil || *started != 1 {
		t.Errorf("%d sets were started, %v", *started, err)
	}
}

// If a set does not start, each of its packages gets an error and none is blocked.
func TestSetThatDoesNotStart(t *testing.T) {
	p, started := poolOf(t, errors.New("no ports"))
	for range 2 {
		if _, _, err := p.take(t.Context(), kubeadmiral); err == nil {
			t.Error("no error")
		}
	}
	if *started != 1 {
		t.Errorf("%d attempts", *started)
	}
}

// A user's clusters are one set, and their kubeconfig is already in the environment.
func TestGivenClustersHaveOneUser(t *testing.T) {
	p, started := poolOf(t, nil)
	t.Setenv(clusters.KubeconfigVariable, "/home/me/kubeconfig")
	env, release, err := p.take(t.Context(), kubeadmiral)
	if err != nil || len(env) > 0 || *started > 0 {
		t.Fatalf("%q, %d started, %v", env, *started, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, _, err := p.take(ctx, kubefleet); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second package got %v", err)
	}
	release()
}

// TestSetOutlivesItsFirstUser checks that a set starts with the context of the run: its first user may stop waiting during the start.
func TestSetOutlivesItsFirstUser(t *testing.T) {
	p, _ := poolOf(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	p.start = func(startCtx context.Context, _ clusters.Options) (*clusters.Env, error) {
		cancel()
		return &clusters.Env{Kubeconfig: "/clusters/kubeconfig"}, startCtx.Err()
	}
	if _, release, err := p.take(ctx, kubefleet); err == nil {
		release()
	}
	if _, release, err := p.take(t.Context(), kubefleet); err != nil {
		t.Errorf("the second user: %v", err)
	} else {
		release()
	}
}
