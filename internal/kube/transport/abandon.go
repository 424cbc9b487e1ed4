package transport

import "net/http"

// Abandonable lets a caller give up while a credential plugin hangs: client-go waits for the plugin without looking at the context. It is
// to be the outermost layer.
func Abandonable(base http.RoundTripper) http.RoundTripper { return &abandonable{base: base} }

type abandonable struct{ base http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (a *abandonable) RoundTrip(request *http.Request) (*http.Response, error) {
	type outcome struct {
		response *http.Response
		err      error
	}
	finished := make(chan outcome, 1)
	go func() {
		response, err := a.base.RoundTrip(request)
		finished <- outcome{response, err}
	}()
	select {
	case got := <-finished:
		return got.response, got.err
	case <-request.Context().Done():
		go func() {
			if got := <-finished; got.response != nil {
				_ = got.response.Body.Close()
			}
		}()
		return nil, request.Context().Err()
	}
}

// CloseIdleConnections passes on what http.Client asks its transport for.
func (a *abandonable) CloseIdleConnections() {
	if closer, ok := a.base.(interface{ CloseIdleConnections() }); ok {
		closer.CloseIdleConnections()
	}
}
