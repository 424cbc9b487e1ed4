// Package credential runs the credential plugins of connections, which are commands that print an ExecCredential. client-go would run them
// without a timeout, and would let them write to the provider's stderr.
package credential

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	clientauthentication "k8s.io/client-go/pkg/apis/clientauthentication/v1"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

const (
	// timeout is the maximum run time of a plugin. A plugin with a login prompt would otherwise wait forever.
	timeout = 20 * time.Second
	// retryFailureAfter is the minimum time before a failed plugin is run again, so that 50 clusters with the same plugin wait for it only once.
	retryFailureAfter = 30 * time.Second
)

// Error is returned when a plugin returns no usable credentials. Its text never quotes the plugin's stdout.
type Error struct{ Text string }

func (e *Error) Error() string { return e.Text }

// Credentials are the output of a plugin.
type Credentials struct {
	token       string
	certificate *tls.Certificate // nil if there is none
	expires     time.Time        // zero if the credentials do not expire
}

// A Plugin is a command that prints credentials. It caches them until they expire. It is safe for concurrent use.
type Plugin struct {
	config clientcmdapi.ExecConfig
	input  string // the ExecCredential in the command's environment
	limit  time.Duration
	turn   chan struct{} // holds one token while the command runs

	mu       sync.Mutex
	current  *Credentials
	failed   error
	failedAt time.Time
}

var plugins = struct {
	mu      sync.Mutex
	byInput map[string]*Plugin
}{byInput: map[string]*Plugin{}}

// For returns the plugin of a configuration. Configurations with the same command and the same input share a plugin, because members of a
// fleet often have the same command.
func For(config *rest.Config) (*Plugin, error) {
	input, err := inputOf(config)
	if err != nil {
		return nil, err
	}
	exec := *config.ExecProvider
	key, err := json.Marshal([]any{exec.Command, exec.Args, exec.Env, exec.APIVersion, exec.InstallHint, input})
	if err != nil {
		return nil, err
	}
	plugins.mu.Lock()
	defer plugins.mu.Unlock()
	if plugins.byInput[string(key)] == nil {
		plugins.byInput[string(key)] = newPlugin(exec, input)
	}
	return plugins.byInput[string(key)], nil
}

func newPlugin(exec clientcmdapi.ExecConfig, input string) *Plugin {
	return &Plugin{config: exec, input: input, limit: timeout, turn: make(chan struct{}, 1)}
}

func inputOf(config *rest.Config) (string, error) {
	input := clientauthentication.ExecCredential{}
	input.Kind, input.APIVersion = "ExecCredential", config.ExecProvider.APIVersion
	if config.ExecProvider.ProvideClusterInfo {
		cluster, err := rest.ConfigToExecCluster(config)
		if err != nil {
			return "", err
		}
		input.Spec.Cluster = &clientauthentication.Cluster{
			Server: cluster.Server, TLSServerName: cluster.TLSServerName, InsecureSkipTLSVerify: cluster.InsecureSkipTLSVerify,
			CertificateAuthorityData: cluster.CertificateAuthorityData, ProxyURL: cluster.ProxyURL,
			DisableCompression: cluster.DisableCompression, Config: runtime.RawExtension{Object: cluster.Config},
		}
	}
	text, err := json.Marshal(input)
	return string(text), err
}

// get returns the cached credentials, or runs the plugin. It runs the plugin if there are no cached credentials, or if they have expired or are rejected.
// rejected are the credentials that the API server has rejected, or nil. After a failure, get returns the same error until retryFailureAfter has passed. An
// error is an *Error, or wraps the cause of the context.
func (p *Plugin) get(ctx context.Context, rejected *Credentials) (*Credentials, error) {
	if found, err := p.cached(rejected); found != nil || err != nil {
		return found, err
	}
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if found, err := p.cached(rejected); found != nil || err != nil {
		return found, err
	}
	found, err := p.run(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("%w, while the command for credentials ran", context.Cause(ctx)) // not cached, because other callers have other contexts
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed = err; err != nil {
		p.failedAt = time.Now()
		return nil, err
	}
	p.current = found
	return found, nil
}

func (p *Plugin) cached(rejected *Credentials) (*Credentials, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed != nil && time.Since(p.failedAt) < retryFailureAfter {
		return nil, p.failed
	}
	if c := p.current; c != nil && c != rejected && (c.expires.IsZero() || time.Now().Before(c.expires)) {
		return c, nil
	}
	return nil, nil
}

// certificate returns the current client certificate, or nil. It is called in TLS handshakes, without a context. It does not run the plugin,
// because a request fetches the credentials before it connects.
func (p *Plugin) certificate() (*tls.Certificate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil {
		return nil, nil
	}
	return p.current.certificate, nil
}
