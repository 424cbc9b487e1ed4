package clusters

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
)

// KubeconfigVariable is the environment variable with a kubeconfig of existing clusters.
const KubeconfigVariable = "FLEET_TEST_KUBECONFIG"

// ControlVariable is the environment variable with the directory of the supervisor that runs the clusters of [KubeconfigVariable], so that tests can stop and
// start them. A test run sets both variables for each package that shares a set of clusters.
const ControlVariable = "FLEET_TEST_CLUSTERS"

// startTimeout bounds the start of the clusters, without the build before it.
const startTimeout = 5 * time.Minute

// ErrUnsupported is returned for operations that existing clusters do not support.
var ErrUnsupported = errors.New("not possible with the clusters of " + KubeconfigVariable)

// ErrTooFew is returned when there are fewer existing clusters than a test needs.
var ErrTooFew = errors.New("too few clusters")

// Options say which clusters a test needs.
type Options struct {
	// Members is the number of member clusters.
	Members int
	// NoHub starts no hub.
	NoHub bool
	// NoWorkloads starts no nodes, schedulers and workload controllers, which makes members smaller: Deployments are stored but never available.
	NoWorkloads bool
	// Own starts clusters even if FLEET_TEST_KUBECONFIG names some, for tests that change what other tests rely on.
	Own bool
	// Ours starts clusters even if FLEET_TEST_KUBECONFIG names a user's clusters, for tests that stop clusters or depend on how they were started.
	Ours bool
	// Log receives the progress of a build and messages about processes that ended unexpectedly. Nil is standard error.
	Log io.Writer
}

// Env is a set of running clusters. Its fields do not change.
type Env struct {
	// Kubeconfig is the path of a kubeconfig with all contexts.
	Kubeconfig string
	// Hub is the context of the hub, empty without one.
	Hub string
	// Members are the contexts of the members, in order.
	Members []string

	config *clientcmdapi.Config
	// supervisor is nil for clusters that this process did not start.
	supervisor *supervisor
	// control stops and starts single clusters, nil if that is not possible.
	control *control
	// dir is the directory of a copied kubeconfig, empty if the kubeconfig is not a copy.
	dir string

	mu      sync.Mutex
	clients map[string]*fixture.Client
}

// Start starts clusters, or uses those of FLEET_TEST_KUBECONFIG. Started clusters end with Stop, and also when the calling process dies. Canceling ctx stops
// the start, but not running clusters.
func Start(ctx context.Context, options Options) (*Env, error) {
	if options.Log == nil {
		options.Log = os.Stderr
	}
	isShared := os.Getenv(ControlVariable) != ""
	if path := os.Getenv(KubeconfigVariable); path != "" && !options.Own && (isShared || !options.Ours) {
		return useExisting(ctx, path, options)
	}
	binary, err := Binary(ctx, options.Log)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("clusters not ready within %s", startTimeout))
	defer cancel()
	supervisor, err := supervise(ctx, binary, options)
	if err != nil {
		return nil, err
	}
	env, err := newEnv(supervisor.kubeconfig, options)
	if err != nil {
		return nil, errors.Join(err, supervisor.stop())
	}
	env.supervisor = supervisor
	env.control = &control{binary: binary, dir: supervisor.dir}
	return env, nil
}

// useExisting returns existing clusters. Their contexts have plain names, or the names that kind gives them.
func useExisting(ctx context.Context, path string, options Options) (*Env, error) {
	env, err := newEnv(path, options)
	if dir := os.Getenv(ControlVariable); err == nil && dir != "" {
		binary, err := Binary(ctx, options.Log)
		if err != nil {
			return nil, err
		}
		env.control = &control{binary: binary, dir: dir}
		return env, nil
	}
	if err == nil {
		return env, nil
	}
	dir, copyErr := copyWithPlainNames(path, kindPrefix)
	if copyErr != nil {
		return nil, fmt.Errorf("%s: %w", KubeconfigVariable, errors.Join(err, copyErr))
	}
	env, kindErr := newEnv(filepath.Join(dir, "kubeconfig"), options)
	if kindErr != nil {
		return nil, fmt.Errorf("%s: %w", KubeconfigVariable, errors.Join(err, fmt.Errorf("with the names of kind: %w", kindErr), os.RemoveAll(dir)))
	}
	env.dir = dir
	return env, nil
}

// kindPrefix is the prefix of kind's context names.
const kindPrefix = "kind-"

// copyWithPlainNames copies a kubeconfig to a new directory and removes the prefix from its context names, because tests and examples use plain names.
func copyWithPlainNames(path, prefix string) (dir string, err error) {
	config, err := clientcmd.LoadFromFile(path)
	if err != nil {
		return "", err
	}
	plain := map[string]*clientcmdapi.Context{}
	for name, context := range config.Contexts {
		plain[strings.TrimPrefix(name, prefix)] = context
	}
	config.Contexts, config.CurrentContext = plain, ""
	// Relative paths in the kubeconfig are relative to its directory.
	if err := clientcmd.ResolveLocalPaths(config); err != nil {
		return "", err
	}
	if dir, err = os.MkdirTemp("", "fleet-clusters-"); err != nil {
		return "", err
	}
	if err := clientcmd.WriteToFile(*config, filepath.Join(dir, "kubeconfig")); err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, nil
}

func newEnv(path string, options Options) (*Env, error) {
	config, err := clientcmd.LoadFromFile(path)
	if err != nil {
		return nil, err
	}
	env := &Env{Kubeconfig: path, config: config, clients: map[string]*fixture.Client{}}
	if !options.NoHub {
		env.Hub = "hub"
	}
	for i := range options.Members {
		env.Members = append(env.Members, fmt.Sprintf("member-%d", i+1))
	}
	for _, name := range env.Contexts() {
		if !env.Has(name) {
			if env.Has("member-1") {
				return nil, fmt.Errorf("%s has no context %q: %w", path, name, ErrTooFew)
			}
			return nil, fmt.Errorf("%s has no context %q", path, name)
		}
	}
	return env, nil
}

// Stop stops the clusters that Start started and removes all their files. It may be called more than once.
func (e *Env) Stop() error {
	if e.supervisor != nil {
		return e.supervisor.stop()
	}
	if e.dir != "" {
		return os.RemoveAll(e.dir)
	}
	return nil
}

// Contexts returns the hub, if there is one, and the members.
func (e *Env) Contexts() []string {
	if e.Hub == "" {
		return slices.Clone(e.Members)
	}
	return append([]string{e.Hub}, e.Members...)
}

// Has reports whether the kubeconfig has a context.
func (e *Env) Has(name string) bool {
	_, ok := e.config.Contexts[name]
	return ok
}

// Readonly returns the context of a user who may read everything on a cluster, including Secrets, and change nothing.
func Readonly(cluster string) string { return cluster + "-readonly" }

// Expired returns the context of an expired token.
func Expired(cluster string) string { return cluster + "-expired" }

// Certificate returns the context of an administrator with a client certificate instead of a token.
func Certificate(cluster string) string { return cluster + "-certificate" }

// RESTConfig returns the client configuration of a context, without client-side throttling.
func (e *Env) RESTConfig(name string) (*rest.Config, error) {
	config, err := clientcmd.NewNonInteractiveClientConfig(*e.config, name, nil, nil).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("context %q of %s: %w", name, e.Kubeconfig, err)
	}
	config.QPS = -1
	return config, nil
}

// Client returns a client for a context. The client is independent of the code under test. All callers share it, so that discovery runs once.
func (e *Env) Client(name string) (*fixture.Client, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if client := e.clients[name]; client != nil {
		return client, nil
	}
	config, err := e.RESTConfig(name)
	if err != nil {
		return nil, err
	}
	client, err := fixture.New(config)
	if err == nil {
		e.clients[name] = client
	}
	return client, err
}

// Disposable reports whether the clusters end with the test run, so that tests need not remove their objects. Deleting a Namespace takes an API server as much
// work as many tests.
func (e *Env) Disposable() bool { return e.control != nil }

// Abandons reports whether a test may keep its objects: in the short suite, on clusters that end with the test run.
func (e *Env) Abandons() bool { return testing.Short() && e.Disposable() }

// Outlives reports whether other packages use the clusters afterwards, so that a package must undo its cluster-wide changes.
func (e *Env) Outlives() bool { return e.supervisor == nil }

// CanStopMembers reports whether StopMember and StartMember work on these clusters.
func (e *Env) CanStopMembers() bool { return e.control != nil }

// StopMember ends all processes of a cluster, which may also be the hub: connections to it are refused. Its objects are kept.
func (e *Env) StopMember(ctx context.Context, name string) error {
	return e.run(ctx, "stop-member", name)
}

// StartMember starts a stopped cluster again on its old port, and returns when it is ready.
func (e *Env) StartMember(ctx context.Context, name string) error {
	return e.run(ctx, "start-member", name)
}

func (e *Env) run(ctx context.Context, command, name string) error {
	if e.control == nil {
		return fmt.Errorf("%s %s: %w", command, name, ErrUnsupported)
	}
	return e.control.run(ctx, command, name)
}
