package clusters

import (
	"encoding/pem"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// RecorderOptions configure a Recorder.
type RecorderOptions struct {
	// Contexts are the contexts that get a proxy; nil means the hub and the
	// members.
	Contexts []string
	// PlainHTTP serves the clients without TLS.
	PlainHTTP bool
	// PassCredentials passes on the client's own credentials, which must be tokens. Without it, the proxy of a context uses the credentials of the context's
	// user, and the kubeconfig has a placeholder as the clients' token.
	PassCredentials bool
}

// Recorder is a set of proxies on loopback, one for each context. It records all
// requests and can make them fail. Clients reach the proxies through the
// recorder's kubeconfig, in which the contexts have the same names.
//
// It uses HTTP/1.1 with clients, so that closing a connection affects one request only.
type Recorder struct {
	dir     string
	servers []*httptest.Server

	mu       sync.Mutex
	requests []*Request
	faults   []*injected
}

// injected is a fault with the number of requests that it still applies to.
type injected struct {
	Fault
	left int
}

// NewRecorder starts proxies in front of the clusters of env.
func NewRecorder(env *Env, options RecorderOptions) (*Recorder, error) {
	dir, err := os.MkdirTemp("", "fleet-recorder-")
	if err != nil {
		return nil, err
	}
	r := &Recorder{dir: dir}
	contexts := options.Contexts
	if contexts == nil {
		contexts = env.Contexts()
	}
	config := clientcmdapi.NewConfig()
	for _, name := range contexts {
		if err := r.add(config, env, name, options); err != nil {
			return nil, errors.Join(err, r.Close())
		}
	}
	config.CurrentContext = contexts[0]
	if err := clientcmd.WriteToFile(*config, r.Kubeconfig()); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// add starts the proxy of one context and adds the context to the kubeconfig.
func (r *Recorder) add(config *clientcmdapi.Config, env *Env, name string, options RecorderOptions) error {
	upstream, err := env.RESTConfig(name)
	if err != nil {
		return err
	}
	user := clientcmdapi.NewAuthInfo()
	user.Token = "any" // a placeholder, because the provider rejects a user without credentials; the proxy replaces it
	if options.PassCredentials {
		if upstream.BearerToken == "" {
			return fmt.Errorf("context %q has no token, and a proxy passes on only tokens", name)
		}
		user.Token = upstream.BearerToken
	}
	handler, err := newProxy(r, name, upstream, options.PassCredentials)
	if err != nil {
		return err
	}
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = discardLog
	cluster := clientcmdapi.NewCluster()
	if options.PlainHTTP {
		server.Start()
	} else {
		server.StartTLS()
		cluster.CertificateAuthorityData = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	}
	r.servers = append(r.servers, server)
	cluster.Server = server.URL
	config.Clusters[name] = cluster
	config.AuthInfos[name] = user
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	return nil
}

// Kubeconfig returns the path of a kubeconfig whose contexts lead through the proxies.
func (r *Recorder) Kubeconfig() string { return filepath.Join(r.dir, "kubeconfig") }

// Close ends all connections and removes the kubeconfig.
func (r *Recorder) Close() error {
	for _, server := range r.servers {
		// Watches never end on their own.
		server.CloseClientConnections()
		server.Close()
	}
	return os.RemoveAll(r.dir)
}

// Requests returns the recorded requests in the order of arrival.
func (r *Recorder) Requests() []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	requests := make([]Request, len(r.requests))
	for i, request := range r.requests {
		requests[i] = *request
	}
	return requests
}

// RequestsOf returns the recorded requests of a user agent in the order of arrival. It is cheaper than [Recorder.Requests] if many tests share the recorder.
func (r *Recorder) RequestsOf(userAgent string) []Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	var requests []Request
	for _, request := range r.requests {
		if request.UserAgent == userAgent {
			requests = append(requests, *request)
		}
	}
	return requests
}

// Writes returns the recorded requests that would change something.
func (r *Recorder) Writes() []Request {
	return slices.DeleteFunc(r.Requests(), func(request Request) bool { return !request.Write() })
}

// Reset removes the recorded requests and keeps the faults.
func (r *Recorder) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests = nil
}

// Inject adds a fault. It applies until remove is called, or until it has applied to its number of requests.
func (r *Recorder) Inject(fault Fault) (remove func()) {
	entry := &injected{Fault: fault, left: fault.Times}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.faults = append(r.faults, entry)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.faults = slices.DeleteFunc(r.faults, func(f *injected) bool { return f == entry })
	}
}

// recordRequest records a request and returns the fault that applies to it.
func (r *Recorder) recordRequest(request Request) (*Request, *Fault) {
	r.mu.Lock()
	defer r.mu.Unlock()
	entry := &request
	r.requests = append(r.requests, entry)
	for _, fault := range r.faults {
		switch {
		case fault.Context != "" && fault.Context != request.Context,
			fault.Times > 0 && fault.left == 0,
			fault.Match != nil && !fault.Match(request):
			continue
		}
		fault.left--
		entry.Fault = fault.String()
		return entry, &fault.Fault
	}
	return entry, nil
}

// update changes a record.
func (r *Recorder) update(entry *Request, change func(*Request)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change(entry)
}

// copyOf returns a copy of a record.
func (r *Recorder) copyOf(entry *Request) Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return *entry
}
