package credential

import (
	"context"
	"net/http"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
)

// Wait bounds how long a plugin is waited for. The function it returns is called when it has run.
type Wait func(context.Context) (context.Context, func(), error)

// Client returns an HTTP client for a configuration whose ExecProvider says how credentials are got.
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

// roundTripper adds the credentials to requests.
type roundTripper struct {
	base   http.RoundTripper
	plugin *Plugin
	wait   Wait
}

// RoundTrip implements http.RoundTripper. After an answer of 401 there are new credentials for whoever tries again.
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

func (r *roundTripper) credentials(ctx context.Context, refused *Credentials) (*Credentials, error) {
	if kept, err := r.plugin.kept(refused); kept != nil || err != nil {
		return kept, err
	}
	ctx, done, err := r.wait(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	return r.plugin.get(ctx, refused)
}

// CloseIdleConnections passes on what http.Client asks its transport for.
func (r *roundTripper) CloseIdleConnections() { utilnet.CloseIdleConnectionsFor(r.base) }

// WrappedRoundTripper lets client-go look below.
func (r *roundTripper) WrappedRoundTripper() http.RoundTripper { return r.base }
