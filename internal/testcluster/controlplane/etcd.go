package controlplane

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/testcluster/pki"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/testcluster/process"
)

// Etcd is the store of all clusters.
type Etcd struct {
	// URL is its address for API servers.
	URL string
	// CAFile, CertFile and KeyFile are an API server's credentials. Without credentials, an API server of another test run could use this store by mistake.
	CAFile, CertFile, KeyFile string

	// clusters is the number of clusters.
	clusters int
	child    *process.Child
}

// etcdTimeout is long, because a compilation on the same machine can use all cores.
const etcdTimeout = time.Minute

// StartEtcd starts etcd for a number of clusters, with its data in dir, and waits until it responds.
func StartEtcd(ctx context.Context, spawner *process.Spawner, dir string, clusters int) (*Etcd, error) {
	ctx, cancel := context.WithTimeout(ctx, etcdTimeout)
	defer cancel()

	authority, err := pki.NewAuthority("fleet-testcluster-etcd")
	if err != nil {
		return nil, err
	}
	pair, err := authority.Server("etcd")
	if err != nil {
		return nil, err
	}
	etcd := &Etcd{
		CAFile:   filepath.Join(dir, "ca.crt"),
		CertFile: filepath.Join(dir, "etcd.crt"),
		KeyFile:  filepath.Join(dir, "etcd.key"),
		clusters: clusters,
	}
	if err := writeFiles(map[string][]byte{etcd.CAFile: authority.CertPEM, etcd.CertFile: pair.Cert, etcd.KeyFile: pair.Key}); err != nil {
		return nil, err
	}
	config, err := authority.TLS(pair)
	if err != nil {
		return nil, err
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: config}}
	defer client.CloseIdleConnections()

	err = onFreePorts(3, freePort, func(ports []int) error {
		etcd.URL = "https://" + loopback(ports[0])
		health := "https://" + loopback(ports[2])
		child, err := spawner.Start(process.Spec{
			Name: "etcd",
			Args: etcd.flags(dir, "https://"+loopback(ports[1]), health),
			Env:  memoryLimits(heapGrowthOf(clusters), max(etcdMemory, etcdClusterMemory*clusters)),
			Log:  filepath.Join(dir, "etcd.log"),
		})
		if err != nil {
			return err
		}
		etcd.child = child
		err = waitFor(ctx, "etcd", []*process.Child{child}, func(ctx context.Context) error {
			return expectOK(ctx, client, health+"/health")
		})
		if err != nil {
			child.Kill()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return etcd, nil
}

// Child returns etcd's process.
func (e *Etcd) Child() *process.Child { return e.child }

// Stop ends etcd.
func (e *Etcd) Stop() { e.child.Kill() }

func (e *Etcd) flags(dir, peerURL, httpURL string) []string {
	return []string{
		"--name=fleet",
		"--data-dir=" + filepath.Join(dir, "data"),
		"--listen-client-urls=" + e.URL,
		// With a separate HTTP listener, etcd serves gRPC directly instead of through net/http.
		"--listen-client-http-urls=" + httpURL,
		"--advertise-client-urls=" + e.URL,
		"--listen-peer-urls=" + peerURL,
		"--initial-advertise-peer-urls=" + peerURL,
		"--initial-cluster=fleet=" + peerURL,
		"--cert-file=" + e.CertFile,
		"--key-file=" + e.KeyFile,
		"--trusted-ca-file=" + e.CAFile,
		"--client-cert-auth",
		"--peer-cert-file=" + e.CertFile,
		"--peer-key-file=" + e.KeyFile,
		"--peer-trusted-ca-file=" + e.CAFile,
		"--peer-client-cert-auth",
		// The data is deleted with the cluster.
		"--unsafe-no-fsync",
		"--log-level=warn",
	}
}

func expectOK(ctx context.Context, client *http.Client, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("GET %s: %s", url, response.Status)
	}
	return nil
}
