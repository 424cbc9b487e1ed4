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

// KubeconfigVariable names a kubeconfig of clusters that exist already.
const KubeconfigVariable = "FLEET_TEST_KUBECONFIG"

// ControlVariable is set beside [KubeconfigVariable] to the directory of the supervisor that runs those clusters: they can be stopped and
// started. The test run sets it for each package whose tests it hands a set of clusters.
const ControlVariable = "FLEET_TEST_CLUSTERS"

// startTimeout bounds the start of the clusters, not the build before it.
const startTimeout = 5 * time.Minute

// ErrUnsupported is returned for what clusters that exist already cannot do.
var ErrUnsupported = errors.New("not possible with the clusters of " + KubeconfigVariable)

// ErrTooFew is returned when the clusters that exist already are not as many as a test needs.
var ErrTooFew = errors.New("too few clusters")

// Options say which clusters a test needs.
type Options struct {
	// Members is the number of member clusters.
	Members int
	// NoHub leaves the hub out.
	NoHub bool
	// NoWorkloads leaves out nodes, schedulers and workload controllers, which
	// makes members smaller: Deployments are stored but never available.
	NoWorkloads bool
	// Own starts clusters also where FLEET_TEST_KUBECONFIG names some, for tests that change what others rely on.
	Own bool
	// Ours starts clusters also where FLEET_TEST_KUBECONFIG names some of a user, for tests that stop clusters or depend on how they were started.
	Ours bool
	// Log takes progress of a build and messages about processes that ended
	// by themselves. Nil is standard error.
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
	// supervisor is nil for clusters that we did not start.
	supervisor *supervisor
	// control stops and starts single clusters; nil where that is not possible.
	control *control
	// dir has the kubeconfig if it is a copy, otherwise it is empty.
	dir string

	mu      sync.Mutex
	clients map[string]*fixture.Client
}

// Start starts clusters, or takes those of FLEET_TEST_KUBECONFIG. They end
// with Stop, and also when the calling process dies. Ending ctx stops the
// start, not clusters that are ready.
func Start(ctx context.Context, options Options) (*Env, error) {
	if options.Log == nil {
		options.Log = os.Stderr
	}
	handed := os.Getenv(ControlVariable) != ""
	if path := os.Getenv(KubeconfigVariable); path != "" && !options.Own && (handed || !options.Ours) {
		return external(ctx, path, options)
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

// external takes clusters that exist, by the names that we or kind give them.
func external(ctx context.Context, path string, options Options) (*Env, error) {
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
	dir, copyErr := plainNames(path, kindPrefix)
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

// kindPrefix is what kind puts before the name of a cluster.
const kindPrefix = "kind-"

// plainNames copies a kubeconfig to a new directory, with contexts that lack the prefix: tests and examples have them without.
func plainNames(path, prefix string) (dir string, err error) {
	config, err := clientcmd.LoadFromFile(path)
	if err != nil {
		return "", err
	}
	plain := map[string]*clientcmdapi.Context{}
	for name, context := range config.Contexts {
		plain[strings.TrimPrefix(name, prefix)] = context
	}
	config.Contexts, config.CurrentContext = plain, ""
	// The files that it names are given from where it lies.
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

// Stop ends clusters that Start started and removes all their files. It may be
// called again.
func (e *Env) Stop() error {
	if e.supervisor != nil {
		return e.supervisor.stop()
	}
	if e.dir != "" {
		return os.RemoveAll(e.dir)
	}
	return nil
}

// Contexts are the hub, if there is one, and the members.
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

// Readonly is the context of a user who may read all of a cluster, Secrets
// included, and change nothing.
func Readonly(cluster string) string { return cluster + "-readonly" }

// Expired is the context of a token that the cluster refuses.
func Expired(cluster string) string { return cluster + "-expired" }

// Certificate is the context of an administrator with a client certificate
// rather than a token.
func Certificate(cluster string) string { return cluster + "-certificate" }

// RESTConfig is the client configuration of a context, without client-side
// throttling.
func (e *Env) RESTConfig(name string) (*rest.Config, error) {
	config, err := clientcmd.NewNonInteractiveClientConfig(*e.config, name, nil, nil).ClientConfig()
	if err != nil {
		return nil, fmt.Errorf("context %q of %s: %w", name, e.Kubeconfig, err)
	}
	config.QPS = -1
	return config, nil
}

// Client is a client of a context that is none of the code under test. All who ask get the same, so that it looks for kinds once.
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

// Disposable reports whether the clusters end with the test run, at the latest: nobody has to remove what a test creates. Deleting a
// Namespace costs an API server as much as many a test.
func (e *Env) Disposable() bool { return e.control != nil }

// Abandons reports whether a test may leave what it creates: in the brief suite, on clusters that end with the test run.
func (e *Env) Abandons() bool { return testing.Short() && e.Disposable() }

// Outlives reports whether other packages use the clusters afterwards: a package ends what concerns a whole cluster.
func (e *Env) Outlives() bool { return e.supervisor == nil }

// CanStopMembers reports whether StopMember and StartMember work on these clusters.
func (e *Env) CanStopMembers() bool { return e.control != nil }

// StopMember ends all processes of a cluster, the hub included if it is named:
// connections to it are refused. Its objects are kept.
func (e *Env) StopMember(ctx context.Context, name string) error {
	return e.run(ctx, "stop-member", name)
}

// StartMember starts a stopped cluster again, on its old port, and returns
// when it is ready.
func (e *Env) StartMember(ctx context.Context, name string) error {
	return e.run(ctx, "start-member", name)
}

func (e *Env) run(ctx context.Context, command, name string) error {
	if e.control == nil {
		return fmt.Errorf("%s %s: %w", command, name, ErrUnsupported)
	}
	return e.control.run(ctx, command, name)
}
