package supervisor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/testcluster/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/testcluster/kubeconfig"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/testcluster/pki"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/testcluster/process"
)

// HubName is the name of the hub and of its context.
const HubName = "hub"

// MaxMembers protects the machine from a mistyped number.
const MaxMembers = 100

// Options configure a run.
type Options struct {
	// Members is the number of member clusters: member-1, member-2, ...
	Members int
	// Hub adds the hub, a cluster that stores objects but runs no pods.
	Hub bool
	// Workloads makes the members run pods.
	Workloads bool
	// Dir is the run's directory. It is removed at the end.
	Dir string
	// Log receives messages. Nil writes them to a file in Dir.
	Log io.Writer
}

// Validate returns an error for invalid options.
func (o Options) Validate() error {
	switch {
	case o.Members < 0 || o.Members > MaxMembers:
		return fmt.Errorf("-members %d: must be between 0 and %d", o.Members, MaxMembers)
	case o.Members == 0 && !o.Hub:
		return errors.New("nothing to start: give -members or leave the hub on")
	case o.Dir == "":
		return errors.New("-dir must not be empty")
	}
	return nil
}

// names returns the names of the clusters, the hub first.
func (o Options) names() []string {
	var names []string
	if o.Hub {
		names = append(names, HubName)
	}
	for i := range o.Members {
		names = append(names, fmt.Sprintf("member-%d", i+1))
	}
	return names
}

// run is a set of running clusters.
type run struct {
	options  Options
	log      io.Writer
	spawner  *process.Spawner
	etcd     *controlplane.Etcd
	clusters []*controlplane.Cluster

	mu       sync.Mutex
	state    state
	failures []string
}

// Run starts clusters, calls ready with the path of their kubeconfig, and stops and removes them when ctx ends or the start fails.
func Run(ctx context.Context, options Options, ready func(kubeconfig string)) (err error) {
	if err := options.Validate(); err != nil {
		return err
	}
	r := &run{
		options: options,
		log:     options.Log,
		state:   state{Supervisor: process.RefOf(os.Getpid()), Token: pki.Token()},
	}
	if err := claim(options.Dir, r.state); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.stop()) }()
	if r.log == nil {
		file, err := os.OpenFile(filepath.Join(options.Dir, logFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		r.log = file
	}

	begin := time.Now()
	if err := r.start(ctx); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("stopped before the clusters were ready: %w", context.Cause(ctx))
		}
		return err
	}
	stopControl, err := r.serveControl()
	if err != nil {
		return err
	}
	defer stopControl()
	r.logf("%d clusters are ready after %.1f s", len(r.clusters), time.Since(begin).Seconds())
	ready(filepath.Join(options.Dir, kubeconfigFile))
	<-ctx.Done()
	r.logf("stopping: %v", context.Cause(ctx))
	return nil
}

func (r *run) start(ctx context.Context) error {
	var err error
	if r.spawner, err = process.NewSpawner(); err != nil {
		return err
	}
	etcdDir := filepath.Join(r.options.Dir, "etcd")
	if err := os.Mkdir(etcdDir, 0o700); err != nil {
		return err
	}
	if r.etcd, err = controlplane.StartEtcd(ctx, r.spawner, etcdDir, len(r.options.names())); err != nil {
		return err
	}
	for _, name := range r.options.names() {
		cluster, err := controlplane.New(controlplane.Config{
			Name:      name,
			Dir:       r.options.Dir,
			Workloads: r.options.Workloads && name != HubName,
			Spawner:   r.spawner,
			Etcd:      r.etcd,
			Failed:    r.failed,
		})
		if err != nil {
			return err
		}
		r.clusters = append(r.clusters, cluster)
	}
	if err := r.startAll(ctx); err != nil {
		return err
	}
	return r.writeKubeconfig()
}

// startAll starts the clusters in parallel, but with a limit: an API server exits if it gets no CPU time for long.
func (r *run) startAll(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	const atLeast = 4
	slots := make(chan struct{}, max(atLeast, runtime.NumCPU()))
	errs := make([]error, len(r.clusters))
	var wait sync.WaitGroup
	for i, cluster := range r.clusters {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if errs[i] = cluster.Start(ctx); errs[i] != nil {
				// The other clusters would only report that they were stopped.
				cancel()
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return errors.Join(errors.Join(errs...), r.record())
}

func (r *run) writeKubeconfig() error {
	var file kubeconfig.File
	for _, cluster := range r.clusters {
		cluster.AddContexts(&file)
	}
	return file.Write(filepath.Join(r.options.Dir, kubeconfigFile))
}

// record writes the current processes to the state file.
func (r *run) record() error {
	children := []process.Ref{r.etcd.Child().Ref}
	for _, cluster := range r.clusters {
		for _, child := range cluster.Children() {
			children = append(children, child.Ref)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Children = children
	return r.state.write(r.options.Dir)
}

// stop ends all processes and removes all files.
func (r *run) stop() error {
	var wait sync.WaitGroup
	for _, cluster := range r.clusters {
		wait.Go(cluster.Stop)
	}
	wait.Wait()
	if r.etcd != nil {
		r.etcd.Stop()
	}
	return os.RemoveAll(r.options.Dir)
}

func (r *run) failed(err error) {
	r.logf("%v", err)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failures = append(r.failures, err.Error())
}

func (r *run) logf(format string, args ...any) {
	_, _ = fmt.Fprintf(r.log, "testcluster: "+format+"\n", args...)
}
