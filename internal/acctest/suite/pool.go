package suite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

// pool has the sets of clusters of a run. It starts a set for the first package that needs it.
type pool struct {
	// ctx ends with the run. A set starts for all packages, even if the first one stops waiting.
	ctx context.Context
	log io.Writer
	// start is [clusters.Start].
	start func(context.Context, clusters.Options) (*clusters.Env, error)

	mu   sync.Mutex
	sets map[set]*shared
}

// shared is one set of clusters, used by one package at a time.
type shared struct {
	// turn has one element while the set is not in use.
	turn chan struct{}
	// env starts the set at its first call. started reports whether env has been called.
	env     func() (*clusters.Env, error)
	started atomic.Bool
}

func newPool(ctx context.Context, log io.Writer) *pool {
	return &pool{ctx: ctx, log: log, start: clusters.Start, sets: map[set]*shared{}}
}

// take waits until no other package uses the set, and returns the environment that a test program needs to use it.
func (p *pool) take(ctx context.Context, name set) (env []string, release func(), err error) {
	if name == none {
		return nil, func() {}, nil
	}
	given := os.Getenv(clusters.KubeconfigVariable)
	if given != "" {
		name = "given" // the same clusters for all
	}
	s, err := p.turn(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	release = func() { s.turn <- struct{}{} }
	if err := ctx.Err(); err != nil { // a set can become free when ctx ends
		release()
		return nil, nil, err
	}
	if given != "" {
		return nil, release, nil
	}
	running, err := s.env()
	if err != nil {
		release()
		return nil, nil, fmt.Errorf("start the clusters %q: %w", name, err)
	}
	return []string{
		clusters.KubeconfigVariable + "=" + running.Kubeconfig,
		clusters.ControlVariable + "=" + filepath.Dir(running.Kubeconfig),
	}, release, nil
}

// turn waits for a set. For [either] it waits for the first free one.
func (p *pool) turn(ctx context.Context, name set) (*shared, error) {
	one, other := name, name
	if name == either {
		one, other = kubefleet, kubeadmiral
	}
	first, second := p.set(one), p.set(other)
	select {
	case <-first.turn:
		return first, nil
	case <-second.turn:
		return second, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pool) set(name set) *shared {
	p.mu.Lock()
	defer p.mu.Unlock()
	if s := p.sets[name]; s != nil {
		return s
	}
	s := &shared{turn: make(chan struct{}, 1)}
	s.env = sync.OnceValues(func() (*clusters.Env, error) {
		s.started.Store(true)
		return p.start(p.ctx, clusters.Options{Members: members, Log: p.log})
	})
	s.turn <- struct{}{}
	p.sets[name] = s
	return s
}

// stop stops all clusters. No package may take a set meanwhile.
func (p *pool) stop() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	for _, s := range p.sets {
		if !s.started.Load() {
			continue
		}
		if env, err := s.env(); err == nil {
			errs = append(errs, env.Stop())
		}
	}
	return errors.Join(errs...)
}
