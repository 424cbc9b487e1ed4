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

// Fleet is the clusters of a package's tests, and the engine under test that they are the fleet of.
type Fleet struct {
	*clusters.Env
	Subject Subject

	joined func() error
	// registers says that the members have been registered, or some of them.
	registers bool
	mu        sync.Mutex
	// made are the namespaces that were not there before the members joined, by cluster.
	made map[string][]string
	// end ends what the subject was prepared with; nil for nothing.
	end func()
}

// gcPercent has the garbage of many answers of API servers collected less often than usual: tests wait for processors, not for memory.
const gcPercent = 400

// Main is the body of a TestMain: it starts clusters, runs the tests and stops the clusters, or leaves them as they were. The result is
// the exit status. Without TF_ACC it only runs the tests, and *fleet stays nil.
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

// NewFleet returns a fleet whose members join when the first world is made.
func NewFleet(env *clusters.Env, subject Subject) *Fleet {
	f := &Fleet{Env: env, Subject: subject, made: map[string][]string{}}
	f.joined = sync.OnceValue(f.join)
	return f
}

// Join registers the members, if none has been asked to yet.
func (f *Fleet) Join() error { return f.joined() }

// End ends what the subject was prepared with.
func (f *Fleet) End() {
	if f.end != nil {
		f.end()
	}
}

// fleetTimeout bounds the joining and the leaving of all members.
const fleetTimeout = 2 * time.Minute

// labels are those of the members, in order, for policies that go by labels. Members have the last ones if there are more.
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
	f.registers = true
	return Join(ctx, f.Subject.New(clients), f.Members)
}

// Join registers members with an engine, with the labels that the examples go by, and waits until they take part.
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

// awaitJoined waits until a member takes part.
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
			return fmt.Errorf("the member %q does not join: %+v", name, found.Status)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// noteNamespaces notes which of the engine's namespaces are not there, and so are to be removed in the end.
func (f *Fleet) noteNamespaces(ctx context.Context) error {
	if len(f.Subject.Keeps) == 0 {
		return nil
	}
	for _, cluster := range f.Contexts() {
		client, err := f.Client(cluster)
		if err != nil {
			return err
		}
		for _, name := range f.Subject.Keeps {
			u, err := client.Find(ctx, fixture.Ref{APIVersion: "v1", Kind: "Namespace", Name: name})
			if err != nil {
				return err
			}
			if u == nil {
				f.mu.Lock()
				f.made[cluster] = append(f.made[cluster], name)
				f.mu.Unlock()
			}
		}
	}
	return nil
}

// Leave ends what joining began, on clusters that outlive the tests.
func (f *Fleet) Leave() error {
	if !f.Outlives() || !f.registers {
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
	for cluster, names := range f.made {
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

// Access is a way to the clusters.
type Access struct {
	// Kubeconfig is that of the clusters or, to be recorded, that of a recorder.
	Kubeconfig string
	// As names the context that leads to a cluster; nil for its own, which is an administrator's.
	As func(cluster string) string
	// WithHub says that the engine is to have the hub, which one that needs it has anyhow.
	WithHub bool
	Options kube.Options
}

// requestTimeout bounds a request of an engine under test.
const requestTimeout = 20 * time.Second

// Connect makes clients of members, and of the hub if there is to be one.
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

// Stats are those of all members' clients together.
func (c Clients) Stats() (stats transport.Stats) {
	for _, cluster := range c.Members {
		one := cluster.Stats()
		stats.Requests += one.Requests
		stats.DryRuns += one.DryRuns
		stats.Writes += one.Writes
	}
	return stats
}
