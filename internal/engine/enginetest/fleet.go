package enginetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/transport"
)

// Fleet is the clusters of a package's tests and the engine under test.
type Fleet struct {
	*clusters.Env
	Subject Subject

	joined func() error
	// registrationBegan reports that the registration of the members has begun.
	registrationBegan bool
	mu                sync.Mutex
	// createdNamespaces are the namespaces, by cluster, that did not exist before the members joined.
	createdNamespaces map[string][]string
	// end undoes Subject.Prepare. It is nil if there is nothing to undo.
	end func()
}

// gcPercent reduces garbage collection of API responses: tests are bound by CPU, not by memory.
const gcPercent = 400

// Main is the body of a TestMain: it starts clusters, runs the tests, and stops the clusters, or undoes its changes to clusters that outlive the tests. It
// returns the exit status. Without clusters (see [clusters.Main]), it only runs the tests, and *fleet stays nil.
func Main(m *testing.M, options clusters.Options, subject Subject, fleet **Fleet) int {
	debug.SetGCPercent(gcPercent)
	var env *clusters.Env
	return clusters.Main(clusters.Func(func() int {
		if env == nil {
			return m.Run()
		}
		f := NewFleet(env, subject)
		*fleet = f
		status := m.Run()
		err := f.Leave()
		f.End()
		if err != nil {
			fmt.Fprintln(os.Stderr, "fleet:", err)
			return max(status, 1)
		}
		return status
	}), options, &env)
}

// NewFleet returns a fleet whose members join when the first world is created.
func NewFleet(env *clusters.Env, subject Subject) *Fleet {
	f := &Fleet{Env: env, Subject: subject, createdNamespaces: map[string][]string{}}
	f.joined = sync.OnceValue(f.join)
	return f
}

// Join registers the members, unless they are registered already.
func (f *Fleet) Join() error { return f.joined() }

// End undoes Subject.Prepare.
func (f *Fleet) End() {
	if f.end != nil {
		f.end()
	}
}

// fleetTimeout bounds joining and leaving for all members together.
const fleetTimeout = 2 * time.Minute

// labels are the members' labels, in order, for policies that select by label. Further members have the last set.
var labels = []map[string]string{
	{"environment": "production", "critical-allowed": "true", "critical-level": "1", "region": "east", "updateDay": "monday"},
	{"environment": "production", "critical-allowed": "true", "critical-level": "2", "region": "west", "updateDay": "monday"},
	{"environment": "staging", "critical-allowed": "true", "critical-level": "2", "region": "west", "updateDay": "tuesday"},
}

// join registers the members.
func (f *Fleet) join() error {
	ctx, cancel := context.WithTimeout(context.Background(), fleetTimeout)
	defer cancel()
	if err := f.noteNamespaces(ctx); err != nil {
		return err
	}
	if f.Subject.Prepare != nil {
		var err error
		if f.end, err = f.Subject.Prepare(ctx, f); err != nil {
			return err
		}
	}
	clients := f.Connect(f.Members, Access{Kubeconfig: f.Kubeconfig})
	defer clients.Close()
	f.registrationBegan = true
	return Join(ctx, f.Subject.New(clients), f.Members)
}

// Join registers members with an engine, with the labels of the examples, and waits until they have joined.
func Join(ctx context.Context, e engine.Members, members []string) error {
	for i, name := range members {
		if _, err := e.ApplyMember(ctx, engine.Member{Spec: member.Spec{Name: name, Labels: labels[min(i, len(labels)-1)]}}, &engine.Member{}); err != nil {
			return err
		}
	}
	for _, name := range members {
		if err := awaitJoined(ctx, e, name); err != nil {
			return err
		}
	}
	return nil
}

// awaitJoined waits until a member has joined.
func awaitJoined(ctx context.Context, e engine.Members, name string) error {
	for {
		found, err := e.ReadMember(ctx, name, nil)
		if err != nil {
			return err
		}
		joined := func(c member.Condition) bool { return c.Type == member.Joined && c.Status == "True" }
		if slices.ContainsFunc(found.Status.Conditions, joined) {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the member %q has not joined: %+v", name, found.Status)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// noteNamespaces records which of the engine's namespaces do not exist yet, so that Leave deletes them.
func (f *Fleet) noteNamespaces(ctx context.Context) error {
	if len(f.Subject.OwnNamespaces) == 0 {
		return nil
	}
	for _, cluster := range f.Contexts() {
		client, err := f.Client(cluster)
		if err != nil {
			return err
		}
		for _, name := range f.Subject.OwnNamespaces {
			u, err := client.Find(ctx, fixture.Ref{APIVersion: "v1", Kind: "Namespace", Name: name})
			if err != nil {
				return err
			}
			if u == nil {
				f.mu.Lock()
				f.createdNamespaces[cluster] = append(f.createdNamespaces[cluster], name)
				f.mu.Unlock()
			}
		}
	}
	return nil
}

// Leave unregisters the members and deletes the namespaces that the engine has created for itself, on clusters that outlive the tests.
func (f *Fleet) Leave() error {
	if !f.Outlives() || !f.registrationBegan {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), fleetTimeout)
	defer cancel()
	clients := f.Connect(f.Members, Access{Kubeconfig: f.Kubeconfig})
	defer clients.Close()
	e := f.Subject.New(clients)
	var errs []error
	for _, name := range f.Members {
		errs = append(errs, e.DeleteMember(ctx, engine.Member{Spec: member.Spec{Name: name}}))
	}
	for cluster, names := range f.createdNamespaces {
		client, err := f.Client(cluster)
		if err != nil {
			return err
		}
		for _, name := range slices.Backward(names) {
			errs = append(errs, client.Delete(ctx, "v1", "Namespace", "", name))
		}
	}
	return errors.Join(errs...)
}

// Access says how to reach the clusters.
type Access struct {
	// Kubeconfig is the clusters' kubeconfig, or a recorder's to record the requests.
	Kubeconfig string
	// As returns the context to use for a cluster, nil for the cluster's own context, which has an administrator's credentials.
	As func(cluster string) string
	// WithHub adds a client of the hub. Engines that need a hub have one in any case.
	WithHub bool
	Options kube.Options
}

// requestTimeout bounds a request of an engine under test.
const requestTimeout = 20 * time.Second

// Connect creates clients of members, and of the hub if the access or the engine requires it.
func (f *Fleet) Connect(members []string, access Access) Clients {
	options := access.Options
	options.QPS, options.Timeout = -1, requestTimeout
	connect := func(name string) *kube.Cluster {
		as := name
		if access.As != nil {
			as = access.As(name)
		}
		return kube.NewCluster(name, connection.Connection{ConfigPath: access.Kubeconfig, ConfigContext: as}, options, nil)
	}
	out := Clients{Members: map[string]*kube.Cluster{}}
	if f.Hub != "" && (access.WithHub || f.Subject.NeedsHub) {
		out.Hub = connect(f.Hub)
	}
	for _, name := range members {
		out.Members[name] = connect(name)
	}
	return out
}

// Close ends the connections.
func (c Clients) Close() {
	if c.Hub != nil {
		c.Hub.Close()
	}
	for _, cluster := range c.Members {
		cluster.Close()
	}
}

// Stats returns the sums over all members' clients.
func (c Clients) Stats() (stats transport.Stats) {
	for _, cluster := range c.Members {
		one := cluster.Stats()
		stats.Requests += one.Requests
		stats.DryRuns += one.DryRuns
		stats.Writes += one.Writes
	}
	return stats
}
