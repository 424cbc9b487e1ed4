package kube

import (
	"context"
	"net/http"
	"sync"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/transport"
)

// A Cluster is the client of one cluster. Use one per cluster and process, because it caches discovery, identity, permissions and the
// reachability of the cluster. It is safe for concurrent use.
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

// clients are the clients of one cluster. rest and dynamic share one HTTP client and one rate limiter.
type clients struct {
	http     *http.Client
	rest     rest.Interface // for any path; returns undecoded bodies
	dynamic  dynamic.Interface
	identify func(context.Context) (types.UID, error)
	// isRefreshable means that the credentials may be renewed after a 401, so that a second attempt can succeed.
	isRefreshable bool
}

// Name returns the name given to NewCluster.
func (c *Cluster) Name() string { return c.name }

// Stats returns the counts of requests and traffic so far.
func (c *Cluster) Stats() transport.Stats { return c.transport.Stats() }

// DropCache drops the cached answers of shared reads. A write of this process does the same. Call DropCache after an action that makes
// another program write to the cluster.
func (c *Cluster) DropCache() { c.shared.dropAll() }

// Close closes idle connections and drops the cached answers of shared reads. The cluster can still be used.
func (c *Cluster) Close() {
	c.DropCache()
	if clients := c.clients.peek(); clients != nil {
		clients.http.CloseIdleConnections()
	}
}
