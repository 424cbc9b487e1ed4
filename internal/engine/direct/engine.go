package direct

import (
	"context"
	"errors"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

var _ engine.Engine = (*Engine)(nil)

// Namespace is where the engine keeps its records, on every member.
const Namespace = "fleet-system"

// DefaultClusters is how many clusters are worked on at once.
const DefaultClusters = 16

// Config is what an Engine is made of.
type Config struct {
	// Hub is where selected objects and envelopes are; nil without one.
	Hub *kube.Cluster
	// Members are the clusters that the provider is configured to reach, by member name.
	Members map[string]*kube.Cluster
	// Clusters is how many clusters are worked on at once; zero means [DefaultClusters].
	Clusters int
	// Version is the provider's, recorded as the tool that wrote an inventory.
	Version string
}

// Engine applies placements to the members. It is safe for concurrent use.
type Engine struct {
	hub      *kube.Cluster
	members  map[string]*kube.Cluster
	clusters int
	version  string
}

// New returns an engine. Nothing is dialled.
func New(config Config) *Engine {
	if config.Clusters <= 0 {
		config.Clusters = DefaultClusters
	}
	return &Engine{hub: config.Hub, members: config.Members, clusters: config.Clusters, version: config.Version}
}

// Name is the value of the provider argument "engine".
func (e *Engine) Name() string { return "direct" }

// memberNames returns the configured members' names, sorted.
func (e *Engine) memberNames() []string { return slices.Sorted(maps.Keys(e.members)) }

// member returns the connection to a member.
func (e *Engine) member(name string) (*kube.Cluster, error) {
	cluster, found := e.members[name]
	if found {
		return cluster, nil
	}
	return nil, &engine.NotConfiguredError{Member: name, Configured: e.memberNames()}
}

// onEach runs work for every name, a bounded number at once, and returns when all are done. One that fails does not stop the others.
func (e *Engine) onEach(ctx context.Context, names []string, work func(ctx context.Context, name string) error) error {
	group := errgroup.Group{}
	group.SetLimit(e.clusters)
	errs := make([]error, len(names))
	for i, name := range names {
		group.Go(func() error {
			errs[i] = work(ctx, name)
			return nil
		})
	}
	_ = group.Wait()
	return errors.Join(errs...)
}

// reached sorts an error of the cluster layer into what the port distinguishes.
func reached(cluster string, err error) error {
	if err != nil && kube.IsUnreachable(err) {
		return &engine.UnreachableError{Cluster: cluster, Err: err}
	}
	return err
}
