package credential

import (
	"context"
	"net/http"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
)

// Wait limits the wait for a plugin. It returns the context for the plugin, and a function that must be called when the plugin has run.
type Wait func(context.Context) (context.Context, func(), error)

// Client returns an HTTP client for a configuration that has an ExecProvider.
func Client(config *rest.Config, wait Wait) (*http.Client, error) {
	plugin, err := For(config)
	if err != nil {
		return nil, err
	}
	plain := rest.CopyConfig(config)
	plain.ExecProvider = nil
	settings, err := plain.TransportConfig()
	if err != nil {
		return nil, err
	}
	settings.TLS.GetCertHolder = &transport.GetCertHolder{GetCert: plugin.certificate}
	base, err := transport.New(settings)
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: &roundTripper{base: base, plugin: plugin, wait: wait}, Timeout: config.Timeout}, nil
}

type roundTripper struct {
	base   http.RoundTripper
	plugin *Plugin
	wait   Wait
}

// RoundTrip implements http.RoundTripper. After a 401, it renews the credentials, so that a retry by the caller uses the new ones.
func (r *roundTripper) RoundTrip(request *http.Request) (*http.Response, error) {
	credentials, err := r.credentials(request.Context(), nil)
	if err != nil {
		if request.Body != nil {
			_ = request.Body.Close()
		}
		return nil, err
	}
	if credentials.token != "" {
		request = utilnet.CloneRequest(request)
		request.Header.Set("Authorization", "Bearer "+credentials.token)
	}
	response, err := r.base.RoundTrip(request)
	if err != nil || response.StatusCode != http.StatusUnauthorized {
		return response, err
	}
	if renewed, err := r.credentials(request.Context(), credentials); err == nil && renewed.certificate != credentials.certificate {
		r.CloseIdleConnections()
	}
	return response, nil
}

func (r *roundTripper) credentials(ctx context.Context, rejected *Credentials) (*Credentials, error) {
	if cached, err := r.plugin.cached(rejected); cached != nil || err != nil {
		return cached, err
	}
	ctx, done, err := r.wait(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	return r.plugin.get(ctx, rejected)
}

// CloseIdleConnections implements the optional interface that http.Client uses.
func (r *roundTripper) CloseIdleConnections() { utilnet.CloseIdleConnectionsFor(r.base) }

// WrappedRoundTripper implements client-go's interface for wrapped transports.
func (r *roundTripper) WrappedRoundTripper() http.RoundTripper { return r.base }
