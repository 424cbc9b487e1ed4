package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"
)

// DownError is a request that was not sent because the cluster could not be reached a moment ago. It does not unwrap to its cause, and
// its text does not repeat it: client-go would take the request for one to be sent again.
type DownError struct {
	// Cause is what the request met then.
	Cause error

	at time.Time
}

func (e *DownError) Error() string { return "the API server could not be reached a moment ago" }

// DialError is a connection that could not be made: nothing was sent, so the request may be tried again whatever it is.
type DialError struct{ Err error }

func (e *DialError) Error() string { return e.Err.Error() }

// Unwrap returns what the network said.
func (e *DialError) Unwrap() error { return e.Err }

// TimeoutError is an API server that did not answer in time. It is a net.Error.
type TimeoutError struct{ After time.Duration }

func (e *TimeoutError) Error() string   { return fmt.Sprintf("no answer within %s", e.After) }
func (e *TimeoutError) Timeout() bool   { return true }
func (e *TimeoutError) Temporary() bool { return true }

// timedOut replaces an error that came of our own time limit; of the caller's it keeps the error.
func timedOut(ctx context.Context, err error) error {
	var limit *TimeoutError
	var impatient *ImpatientError
	cause := context.Cause(ctx)
	if errors.As(cause, &limit) || errors.As(cause, &impatient) {
		return cause
	}
	return err
}

// isDialFailure reports whether no connection was made, so that nothing was sent and whatever it is may be sent again.
func isDialFailure(err error) bool {
	if err == nil {
		return false
	}
	var dial *DialError
	var operation *net.OpError
	return errors.As(err, &dial) || errors.As(err, &operation) && operation.Op == "proxyconnect" ||
		isHandshakeTimeout(err)
}

// isHandshakeTimeout reports whether the other side has taken a connection, and did not begin to speak TLS in time.
func isHandshakeTimeout(err error) bool {
	return err != nil && strings.Contains(err.Error(), "TLS handshake timeout")
}

// isTimeout reports whether the other side did not answer at all, rather than refuse.
func isTimeout(err error) bool {
	var network net.Error
	return errors.As(err, &network) && network.Timeout()
}

// IsConnectFailure reports whether the next request would fail in the same way: no connection, or one that ends over a certificate.
func IsConnectFailure(err error) bool {
	return isDialFailure(err) || IsCertificateProblem(err) || IsNoAPIServer(err)
}

// IsCertificateProblem reports whether one of the sides refused the other's certificate, or does not speak TLS at all.
func IsCertificateProblem(err error) bool {
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
