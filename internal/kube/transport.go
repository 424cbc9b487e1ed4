package kube

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

const (
	// redialAfter is the pause before the one repetition of a failed connection.
	redialAfter = 200 * time.Millisecond
	// firstAnswer is how long a cluster that has not answered yet, or not since it was down, may take to begin an answer. All requests
	// to it wait for that one, and a plan over many clusters for this cluster.
	firstAnswer = 8 * time.Second
)

// transport sends the requests of one cluster: it fails fast while the cluster is down, keeps to the Limiter, bounds every request in
// time, tries a failed connection once more, and counts. It is the innermost layer: the time a credential plugin takes is not part of it.
type transport struct {
	base    http.RoundTripper
	health  *health
	limiter *Limiter
	meter   *meter
	timeout time.Duration
	// wrote is called before a request that may change the cluster is sent, and after it has ended.
	wrote func()
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	leave, err := t.health.enter(request.Context())
	if err != nil {
		closeBody(request)
		return nil, err
	}
	if err := t.limiter.acquire(request.Context()); err != nil {
		leave(noEvidence, nil)
		closeBody(request)
		return nil, err
	}
	response, err := t.attempt(request)
	// A connection that takes too long is not tried again: the network below has repeated it, and it would double the wait.
	if isDialFailure(err) && !isTimeout(err) && mayRedial(request) {
		response, err = t.redial(request, err)
	}
	switch {
	case err == nil:
		leave(answered, nil)
		return response, nil
	case request.Context().Err() != nil:
		leave(noEvidence, nil)
	case isConnectFailure(err):
		leave(unreached, err)
	default:
		leave(struck, err)
	}
	t.limiter.release()
	return nil, err
}

// attempt sends the request once. On success the slot of the Limiter is given back when the body is closed.
func (t *transport) attempt(request *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeoutCause(request.Context(), t.timeout, &timeoutError{after: t.timeout})
	ctx, giveUp := context.WithCancelCause(ctx)
	if !t.health.isAlive() {
		defer time.AfterFunc(firstAnswer, func() { giveUp(&timeoutError{after: firstAnswer}) }).Stop()
	}
	t.meter.count(request)
	if effectOf(request) == mayWrite {
		t.wrote()
		defer t.wrote()
	}
	response, err := t.base.RoundTrip(request.WithContext(ctx))
	if err != nil {
		err = timedOut(ctx, err)
		giveUp(nil)
		cancel()
		return nil, err
	}
	response.Body = &body{ReadCloser: response.Body, ctx: ctx, done: func() {
		giveUp(nil)
		cancel()
		t.limiter.release()
	}}
	return response, nil
}

func (t *transport) redial(request *http.Request, first error) (*http.Response, error) {
	timer := time.NewTimer(redialAfter)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-request.Context().Done():
		return nil, first
	}
	again := request.Clone(request.Context())
	if request.GetBody != nil {
		fresh, err := request.GetBody()
		if err != nil {
			return nil, first
		}
		again.Body = fresh
	}
	return t.attempt(again)
}

// mayRedial reports whether the request can be sent again: its body, closed by the first attempt, must be one that can be had afresh.
func mayRedial(request *http.Request) bool {
	return request.Context().Err() == nil && (request.Body == nil || request.GetBody != nil)
}

func closeBody(request *http.Request) {
	if request.Body != nil {
		_ = request.Body.Close()
	}
}

// body ends the request when it is closed, whether it was read or not.
type body struct {
	io.ReadCloser
	ctx  context.Context //nolint:containedctx // it is the request's own, which net/http keeps in the same way
	once sync.Once
	done func()
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = timedOut(b.ctx, err)
	}
	return n, err
}

func (b *body) Close() error {
	err := b.ReadCloser.Close()
	b.once.Do(b.done)
	return err
}

// timeoutError is an API server that did not answer in time. It is a net.Error.
type timeoutError struct{ after time.Duration }

func (e *timeoutError) Error() string   { return fmt.Sprintf("no answer within %s", e.after) }
func (e *timeoutError) Timeout() bool   { return true }
func (e *timeoutError) Temporary() bool { return true }

// timedOut replaces an error that came of our own time limit; of the caller's it keeps the error.
func timedOut(ctx context.Context, err error) error {
	var limit *timeoutError
	if errors.As(context.Cause(ctx), &limit) {
		return limit
	}
	return err
}

// isDialFailure reports whether no connection was made, so that nothing was sent and whatever it is may be sent again.
func isDialFailure(err error) bool {
	if err == nil {
		return false
	}
	var dial *dialError
	var operation *net.OpError
	return errors.As(err, &dial) || errors.As(err, &operation) && operation.Op == "proxyconnect" ||
		strings.Contains(err.Error(), "TLS handshake timeout")
}

// isTimeout reports whether the other side did not answer at all, rather than refuse.
func isTimeout(err error) bool {
	var network net.Error
	return errors.As(err, &network) && network.Timeout()
}

// isConnectFailure reports whether the next request would fail in the same way: no connection, or one that ends over a certificate.
func isConnectFailure(err error) bool {
	return isDialFailure(err) || isCertificateProblem(err)
}

// isCertificateProblem reports whether one of the sides refused the other's certificate, or does not speak TLS at all.
func isCertificateProblem(err error) bool {
	var verification *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var hostname x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	return errors.As(err, &verification) || errors.As(err, &authority) || errors.As(err, &hostname) || errors.As(err, &invalid) ||
		errors.As(err, &record) || errors.As(err, &alert) || strings.Contains(err.Error(), "remote error: tls:") ||
		strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

// shortHandshake bounds the TLS handshake like a dial. client-go has no setting for it; the transport is this cluster's own, because it
// was made with a dial function of its own, and not in use yet.
func shortHandshake(tripper http.RoundTripper) {
	for {
		switch layer := tripper.(type) {
		case *http.Transport:
			layer.TLSHandshakeTimeout = dialTimeout
			return
		case utilnet.RoundTripperWrapper:
			tripper = layer.WrappedRoundTripper()
		default:
			return
		}
	}
}
