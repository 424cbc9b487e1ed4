// Package credential runs the credential plugins of connections, the commands that print an ExecCredential. client-go does so as well, but
// waits for them without an end, and lets them write to the provider's own stderr.
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
	// timeLimit is how long a plugin may take. One that waits for somebody to log in would wait for ever.
	timeLimit = 20 * time.Second
	// failureHoldsFor is how long a plugin that failed is not run again, so that 50 clusters with one plugin wait for it once.
	failureHoldsFor = 30 * time.Second
)

// Error is a plugin that gave no credentials. Its text holds nothing of what the plugin printed on stdout.
type Error struct{ Text string }

func (e *Error) Error() string { return e.Text }

// Credentials are what a plugin printed.
type Credentials struct {
	token       string
	certificate *tls.Certificate // nil without one
	expires     time.Time        // zero for never
}

// Plugin is a command that prints credentials, which it keeps until they expire. It is safe for concurrent use.
type Plugin struct {
	config clientcmdapi.ExecConfig
	input  string // what the command is told in its environment
	limit  time.Duration
	turn   chan struct{} // holds a token while the command runs

	mu       sync.Mutex
	current  *Credentials
	failed   error
	failedAt time.Time
}

var plugins = struct {
	mu      sync.Mutex
	byInput map[string]*Plugin
}{byInput: map[string]*Plugin{}}

// For returns the plugin of a configuration. Equal ones share one, since fleets have one command for all members.
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
	return &Plugin{config: exec, input: input, limit: timeLimit, turn: make(chan struct{}, 1)}
}

// inputOf is the ExecCredential that a plugin is given.
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

// get returns credentials that have not expired, other than those that were refused. Failures are of type *Error, or the context's own.
func (p *Plugin) get(ctx context.Context, refused *Credentials) (*Credentials, error) {
	if found, err := p.kept(refused); found != nil || err != nil {
		return found, err
	}
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if found, err := p.kept(refused); found != nil || err != nil {
		return found, err
	}
	found, err := p.run(ctx)
	if err != nil && ctx.Err() != nil {
		return nil, fmt.Errorf("%w, while the command for credentials ran", context.Cause(ctx)) // who gave up fails nobody else
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

func (p *Plugin) kept(refused *Credentials) (*Credentials, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed != nil && time.Since(p.failedAt) < failureHoldsFor {
		return nil, p.failed
	}
	if c := p.current; c != nil && c != refused && (c.expires.IsZero() || time.Now().Before(c.expires)) {
		return c, nil
	}
	return nil, nil
}

// certificate is for TLS handshakes, which know no context: a request has got credentials before it dials.
func (p *Plugin) certificate() (*tls.Certificate, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current == nil {
		return nil, nil
	}
	return p.current.certificate, nil
}
