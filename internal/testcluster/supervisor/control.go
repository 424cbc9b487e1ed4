package supervisor

import (
	"bytes"
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/testcluster/controlplane"
)

// Status is the status of a run.
type Status struct {
	Kubeconfig string          `json:"kubeconfig"`
	Supervisor int             `json:"supervisor"`
	Etcd       int             `json:"etcd"`
	Clusters   []ClusterStatus `json:"clusters"`
	// Failures describes processes that ended unexpectedly.
	Failures []string `json:"failures,omitempty"`
}

// ClusterStatus is the status of one cluster. A stopped cluster has no processes.
type ClusterStatus struct {
	Name      string         `json:"name"`
	URL       string         `json:"url"`
	Processes map[string]int `json:"processes"`
}

// controlTimeout exceeds the time that a cluster may take to start.
const controlTimeout = 5 * time.Minute

// serveControl serves requests of other commands on loopback. It uses TCP instead of a Unix socket, because the path of a Unix socket is limited to about a
// hundred bytes.
func (r *run) serveControl() (stop func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r.state.Control = "http://" + listener.Addr().String()
	if err := r.state.write(r.options.Dir); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(r.status())
	})
	mux.HandleFunc("POST /stop/{cluster}", r.onCluster(func(_ context.Context, c *controlplane.Cluster) error {
		c.Stop()
		return nil
	}))
	mux.HandleFunc("POST /start/{cluster}", r.onCluster(func(ctx context.Context, c *controlplane.Cluster) error {
		return c.Start(ctx)
	}))
	server := &http.Server{Handler: r.authorized(mux), ReadHeaderTimeout: controlTimeout}
	go func() { _ = server.Serve(listener) }()
	return func() { _ = server.Close() }, nil
}

func (r *run) authorized(next http.Handler) http.Handler {
	want := []byte("Bearer " + r.state.Token)
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if subtle.ConstantTimeCompare([]byte(request.Header.Get("Authorization")), want) != 1 {
			http.Error(w, "wrong token", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, request)
	})
}

// onCluster runs an action on the cluster named in the request, and records the processes afterwards.
func (r *run) onCluster(action func(context.Context, *controlplane.Cluster) error) http.HandlerFunc {
	return func(w http.ResponseWriter, request *http.Request) {
		name := request.PathValue("cluster")
		for _, cluster := range r.clusters {
			if cluster.Name != name {
				continue
			}
			if err := errors.Join(action(request.Context(), cluster), r.record()); err != nil {
				http.Error(w, err.Error(), http.StatusConflict)
			}
			return
		}
		http.Error(w, fmt.Sprintf("unknown cluster %q: the clusters are %s", name,
			strings.Join(r.options.names(), ", ")), http.StatusNotFound)
	}
}

func (r *run) status() Status {
	s := Status{
		Kubeconfig: filepath.Join(r.options.Dir, kubeconfigFile),
		Supervisor: r.state.Supervisor.PID,
		Etcd:       r.etcd.Child().Ref.PID,
	}
	for _, cluster := range r.clusters {
		entry := ClusterStatus{Name: cluster.Name, URL: cluster.URL(), Processes: map[string]int{}}
		for _, child := range cluster.Children() {
			if child.Running() {
				entry.Processes[child.Name] = child.Ref.PID
			}
		}
		s.Clusters = append(s.Clusters, entry)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s.Failures = append(s.Failures, r.failures...)
	return s
}

// call sends a control request to the run in dir.
func call(ctx context.Context, dir, method, path string) ([]byte, error) {
	s, err := readState(dir)
	if err != nil {
		return nil, err
	}
	if !s.Supervisor.Alive() {
		return nil, fmt.Errorf("%w in %s any more, because their supervisor was killed: run the command \"down\" to clean up", errNotRunning, dir)
	}
	if s.Control == "" {
		return nil, fmt.Errorf("the clusters in %s are still starting: try again in a moment", dir)
	}
	ctx, cancel := context.WithTimeout(ctx, controlTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, s.Control+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+s.Token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = errors.New(string(bytes.TrimSpace(body)))
	}
	return body, err
}

// GetStatus returns the status of the run in dir.
func GetStatus(ctx context.Context, dir string) (Status, error) {
	var s Status
	body, err := call(ctx, dir, http.MethodGet, "/status")
	if err == nil {
		err = json.Unmarshal(body, &s)
	}
	return s, err
}

// StopMember ends the processes of one cluster and keeps its objects.
func StopMember(ctx context.Context, dir, name string) error {
	_, err := call(ctx, dir, http.MethodPost, "/stop/"+url.PathEscape(name))
	return err
}

// StartMember starts a stopped cluster again on its old port.
func StartMember(ctx context.Context, dir, name string) error {
	_, err := call(ctx, dir, http.MethodPost, "/start/"+url.PathEscape(name))
	return err
}
