package kube

import (
	"context"
	"net/http"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/credential"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/transport"
)

// A Cluster is the client of one cluster. Use one per cluster and process: it caches discovery, identity, permissions and whether the cluster
// is reachable for its lifetime. It is safe for concurrent use.
type Cluster struct {
	name       string
	connection connection.Connection
	options    Options
	transport  *transport.Transport

	clients *memo[clients]
	catalog *catalog
	uid     *memo[types.UID]
	version *memo[string]
	shared  *sharedReads

	accessMu sync.Mutex
	access   map[Check]bool
	rules    map[string]*accessRules // by namespace
}

// clients are the client-go clients of one connection. They share one HTTP client and one rate limiter.
type clients struct {
	http    *http.Client
	rest    rest.Interface // for any path; returns undecoded bodies
	dynamic dynamic.Interface
	// identify reads the UID of the cluster at a new connection.
	identify func(context.Context) (types.UID, error)
	// isRefreshable means that client-go renews the credentials after a 401, so that a second attempt can succeed.
	isRefreshable bool
}

// NewCluster returns a client that reads files and connects only when it is first used. Errors show the name. With a nil limiter, no limit is
// shared with other clusters.
func NewCluster(name string, to connection.Connection, options Options, limiter *Limiter) *Cluster {
	options = options.withDefaults()
	shared := newSharedReads(options.ShareFor, limiter.memory())
	c := &Cluster{
		name: name, connection: to, options: options,
		clients: newMemo[clients](), catalog: newCatalog(), uid: newMemo[types.UID](), version: newMemo[string](),
		shared: shared,
		access: map[Check]bool{}, rules: map[string]*accessRules{},
	}
	settings := transport.Options{Timeout: options.Timeout, InFlight: limiter.inFlight(), Wrote: shared.dropAll, Verify: c.verify}
	if options.Observe != nil {
		settings.Observe = func(ctx context.Context, e transport.Exchange) { options.Observe(ctx, name, e) }
	}
	c.transport = transport.New(settings)
	return c
}

// Name returns the name given to NewCluster.
func (c *Cluster) Name() string { return c.name }

// Stats returns the counts so far.
func (c *Cluster) Stats() transport.Stats { return c.transport.Stats() }

// DropCache drops the cached answers of shared reads, as a write of this process does. Call it when another program was made to write to the cluster.
func (c *Cluster) DropCache() { c.shared.dropAll() }

// Close closes idle connections and drops the cached answers of shared reads. The cluster can still be used.
func (c *Cluster) Close() {
	c.DropCache()
	if clients := c.clients.peek(); clients != nil {
		clients.http.CloseIdleConnections()
	}
}

// connect builds the clients at the first use, without connecting. It does not cache a failure: another resource of the same apply may write
// the kubeconfig, and reading it again is cheap.
func (c *Cluster) connect(ctx context.Context) (*clients, error) {
	return c.clients.get(ctx, func(context.Context) (clients, error) {
		config, err := c.connection.RESTConfig()
		if err != nil {
			return clients{}, err
		}
		built, err := c.build(config)
		if err != nil {
			return clients{}, &connection.ConfigError{Message: err.Error()}
		}
		return built, nil
	})
}

func (c *Cluster) build(config *rest.Config) (clients, error) {
	config.UserAgent = c.options.UserAgent
	config.QPS, config.Burst = -1, c.options.Burst
	if c.options.QPS > 0 {
		config.RateLimiter = flowcontrol.NewTokenBucketRateLimiter(c.options.QPS, c.options.Burst)
	}
	// Deprecation warnings concern the author of the manifest, who does not see stderr.
	config.WarningHandlerWithContext = rest.NoWarnings{}
	config.Dial = c.transport.Dial
	identify, err := c.identifier(config)
	if err != nil {
		return clients{}, err
	}
	config.Wrap(c.transport.Wrap)
	plugin := config.ExecProvider != nil
	var client *http.Client
	if plugin {
		client, err = credential.Client(config, c.transport.Wait)
		config.ExecProvider = nil
	} else {
		client, err = rest.HTTPClientFor(config)
	}
	if err != nil {
		return clients{}, err
	}
	built := clients{http: client, identify: identify, isRefreshable: plugin || config.AuthProvider != nil || config.BearerTokenFile != ""}
	if built.rest, err = rest.UnversionedRESTClientForConfigAndClient(dynamic.ConfigFor(config), client); err != nil {
		return clients{}, err
	}
	if built.dynamic, err = dynamic.NewForConfigAndClient(config, client); err != nil {
		return clients{}, err
	}
	return built, nil
}

// call runs one operation and wraps its error. After a 401 it retries once if client-go can have renewed the credentials; the first attempt
// had no effect.
func call[T any](ctx context.Context, c *Cluster, op string, ref Ref, run func(*clients) (T, error)) (T, error) {
	var result T
	if err := ref.check(); err != nil {
		return result, c.wrap(op, ref, err)
	}
	clients, err := c.connect(ctx)
	if err == nil {
		err = c.transport.Down(ctx)
	}
	if err != nil {
		return result, c.wrap(op, ref, err)
	}
	result, err = run(clients)
	if clients.isRefreshable && apierrors.IsUnauthorized(err) {
		result, err = run(clients)
	}
	return result, c.wrap(op, ref, err)
}

// object returns the client for one object.
func (c *Cluster) object(ctx context.Context, clients *clients, ref Ref) (dynamic.ResourceInterface, error) {
	mapping, err := c.locate(ctx, clients, ref)
	if err != nil {
		return nil, err
	}
	client := clients.dynamic.Resource(mapping.GVR)
	if mapping.Namespaced {
		return verifiedClient{client.Namespace(ref.Namespace), ref}, nil
	}
	ref.Namespace = ""
	return verifiedClient{client, ref}, nil
}

// locate returns where one object is served. It returns an error for a namespaced kind without a namespace: the API server would answer 404
// for that path, which must never count as a missing object.
func (c *Cluster) locate(ctx context.Context, clients *clients, ref Ref) (Mapping, error) {
	mapping, err := c.resolve(ctx, clients, ref.GVK)
	switch {
	case err != nil:
		return mapping, err
	case ref.Name == "":
		return mapping, &requestError{"it has no name"}
	case mapping.Namespaced && ref.Namespace == "":
		return mapping, errNoNamespace
	}
	return mapping, nil
}
