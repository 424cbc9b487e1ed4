package controlplane

import (
	"context"
	"crypto/tls"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/testcluster/kubeconfig"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/testcluster/pki"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/testcluster/process"
)

// startTimeout allows for a start while a compilation uses all cores.
const startTimeout = 3 * time.Minute

// Config describes a cluster.
type Config struct {
	// Name is the name of the cluster and of its context, a DNS label.
	Name string
	// Dir is the existing directory in which the cluster's own directory is created.
	Dir string
	// Workloads makes the cluster run Pods, with a node, a scheduler and the workload controllers. Without it, the cluster stores objects, and runs only
	// the namespace controller and those in storageControllers.
	Workloads bool
	Spawner   *process.Spawner
	Etcd      *Etcd
	// Failed is called when one of the processes ends unexpectedly.
	Failed func(error)
}

// Cluster is one Kubernetes cluster.
type Cluster struct {
	Config

	dir       string
	authority *pki.Authority
	admin     pki.Pair
	token     string
	readonly  string
	expired   string
	tls       *tls.Config

	// starting serializes Start and Stop. mu guards the fields below it.
	starting sync.Mutex
	mu       sync.Mutex
	port     int
	children []*process.Child
	// stops counts how often the processes were killed.
	stops int
}

// New creates a cluster's keys and files. It starts nothing.
func New(config Config) (*Cluster, error) {
	c := &Cluster{
		Config: config,
		dir:    filepath.Join(config.Dir, config.Name),
		token:  pki.Token(), readonly: pki.Token(), expired: pki.Token(),
	}
	if err := os.Mkdir(c.dir, 0o700); err != nil {
		return nil, err
	}
	var err error
	if c.authority, err = pki.NewAuthority("fleet-testcluster-" + c.Name); err != nil {
		return nil, err
	}
	if c.admin, err = c.authority.Client(adminUser, adminGroup); err != nil {
		return nil, err
	}
	if c.tls, err = c.authority.TLS(c.admin); err != nil {
		return nil, err
	}
	return c, c.writeKeys()
}

func (c *Cluster) writeKeys() error {
	serving, err := c.authority.Server("kube-apiserver", serviceIP, "kubernetes", "kubernetes.default", "kubernetes.default.svc")
	if err != nil {
		return err
	}
	private, public, err := pki.SigningKey()
	if err != nil {
		return err
	}
	return writeFiles(map[string][]byte{
		c.file(caCert):      c.authority.CertPEM,
		c.file(servingCert): serving.Cert,
		c.file(servingKey):  serving.Key,
		c.file(accountKey):  private,
		c.file(accountPub):  public,
		c.file(tokenFile): fmt.Appendf(nil, "%s,%s-token,admin-token,%s\n%s,%s,readonly,\n",
			c.token, adminUser, adminGroup, c.readonly, readonlyUser),
		c.file(stagesFile): stages,
	})
}

// Start starts the cluster, on its old port if it has run before, and waits until its controllers run and its API server accepts or rejects each token as
// AddContexts documents.
func (c *Cluster) Start(ctx context.Context) error {
	c.starting.Lock()
	defer c.starting.Unlock()
	if len(c.Children()) > 0 {
		return fmt.Errorf("%s runs already", c.Name)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, startTimeout, fmt.Errorf("not ready within %s", startTimeout))
	defer cancel()
	err := c.start(ctx)
	if err != nil {
		c.kill()
		return fmt.Errorf("start %s: %w", c.Name, err)
	}
	c.watch()
	return nil
}

func (c *Cluster) start(ctx context.Context) error {
	pick := freePort
	if port := c.Port(); port != 0 {
		pick = func() (int, error) { return port, nil }
	}
	if err := onFreePorts(1, pick, func(ports []int) error { return c.startAPIServer(ctx, ports[0]) }); err != nil {
		return err
	}
	api := newAPI(c.URL(), c.tls)
	defer api.client.CloseIdleConnections()
	if err := c.writeControllerKubeconfig(); err != nil {
		return err
	}
	if err := c.releaseNode(ctx, api); err != nil {
		return err
	}
	if err := c.startControllers(ctx); err != nil {
		return err
	}
	if err := c.bootstrap(ctx, api); err != nil {
		return err
	}
	return c.waitReady(ctx, api)
}

func (c *Cluster) startAPIServer(ctx context.Context, port int) error {
	c.mu.Lock()
	c.port = port
	c.mu.Unlock()
	child, err := c.spawn("kube-apiserver", apiServerMemoryOf(c.Etcd.clusters), c.apiServerFlags(port))
	if err != nil {
		return err
	}
	api := newAPI(c.URL(), c.tls)
	defer api.client.CloseIdleConnections()
	err = waitFor(ctx, "the API server", []*process.Child{child}, func(ctx context.Context) error {
		return api.get(ctx, "/readyz", nil)
	})
	if err != nil {
		c.kill()
	}
	return err
}

func (c *Cluster) startControllers(ctx context.Context) error {
	_, err := c.spawn("kube-controller-manager", controllerMemory, c.controllerManagerFlags())
	if err == nil && c.Workloads {
		_, err = c.spawn("kube-scheduler", controllerMemory, c.schedulerFlags())
	}
	if err == nil && c.Workloads {
		err = c.startKwok(ctx)
	}
	return err
}

func (c *Cluster) spawn(component string, mebibytes int, flags []string) (*process.Child, error) {
	child, err := c.Spawner.Start(process.Spec{
		Name: component,
		Args: flags,
		Env:  memoryLimits(heapGrowthOf(c.Etcd.clusters), mebibytes),
		Log:  c.file(component + ".log"),
	})
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.children = append(c.children, child)
	c.mu.Unlock()
	return child, nil
}

// Stop ends all processes of the cluster. Its objects stay in etcd, and it keeps its port.
func (c *Cluster) Stop() {
	c.starting.Lock()
	defer c.starting.Unlock()
	c.kill()
}

func (c *Cluster) kill() {
	c.mu.Lock()
	children := c.children
	c.children = nil
	c.stops++
	c.mu.Unlock()
	var wait sync.WaitGroup
	for _, child := range children {
		wait.Go(child.Kill)
	}
	wait.Wait()
}

// watch reports a process that ends although the cluster was not stopped. keepKwok reports the end of kwok.
func (c *Cluster) watch() {
	for _, child := range c.servers() {
		go func() {
			<-child.Done()
			for _, current := range c.Children() {
				if current == child {
					c.Failed(fmt.Errorf("%s: %w", c.Name, child.Failure()))
				}
			}
		}()
	}
}

// Children returns the cluster's processes. A stopped cluster has none.
func (c *Cluster) Children() []*process.Child {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]*process.Child(nil), c.children...)
}

// servers returns the cluster's processes without kwok, which is restarted.
func (c *Cluster) servers() []*process.Child {
	return slices.DeleteFunc(c.Children(), func(child *process.Child) bool { return child.Name == kwok })
}

// Port returns the API server's port, 0 before the first start.
func (c *Cluster) Port() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.port
}

// URL returns the API server's address.
func (c *Cluster) URL() string { return "https://" + loopback(c.Port()) }

// AddContexts adds the cluster's contexts to a kubeconfig: NAME (administrator by token), NAME-certificate (administrator by client certificate), NAME-readonly
// (reads everything, writes nothing) and NAME-expired (rejected).
func (c *Cluster) AddContexts(file *kubeconfig.File) {
	server := kubeconfig.Server{Name: c.Name, URL: c.URL(), CA: c.authority.CertPEM}
	file.Add(c.Name, server, kubeconfig.User{Token: c.token})
	file.Add(c.Name+"-certificate", server, kubeconfig.User{Pair: c.admin})
	file.Add(c.Name+"-readonly", server, kubeconfig.User{Token: c.readonly})
	file.Add(c.Name+"-expired", server, kubeconfig.User{Token: c.expired})
}

// writeControllerKubeconfig writes a kubeconfig in which the controllers authenticate by token: an API server verifies a client certificate again with each
// request.
func (c *Cluster) writeControllerKubeconfig() error {
	var file kubeconfig.File
	file.Add(c.Name, kubeconfig.Server{Name: c.Name, URL: c.URL(), CA: c.authority.CertPEM}, kubeconfig.User{Token: c.token})
	return file.Write(c.file(controllerConfig))
}

func (c *Cluster) file(name string) string { return filepath.Join(c.dir, name) }
