package kube

import (
	"context"
	"net/http"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/flowcontrol"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/credential"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/transport"
)

// NewCluster returns a client that reads files and connects only when it is first used. Errors contain the name. With a nil limiter, the number of requests
// in flight is unlimited, and the client shares its memory limit for shared reads with no other cluster.
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

// connect builds the clients at the first use, without a request. It does not cache a failure: another resource in the same apply may write the kubeconfig, and
// reading the file again is cheap.
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
