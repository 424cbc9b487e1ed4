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

// DownError is returned for a request that was not sent, because the cluster was unreachable a moment ago or its wait budget is used up. It
// neither unwraps to Cause nor repeats the text of Cause, because client-go would then retry the request.
type DownError struct {
	// Cause is the error of the earlier request, or a *WaitBudgetError.
	Cause error

	at time.Time
}

func (e *DownError) Error() string { return "the API server could not be reached a moment ago" }

// DialError is returned when a connection cannot be made. Nothing was sent, so any request may be retried.
type DialError struct{ Err error }

func (e *DialError) Error() string { return e.Err.Error() }

// Unwrap returns Err.
func (e *DialError) Unwrap() error { return e.Err }

// TimeoutError is returned when an API server does not answer within a time limit of this package. It is a net.Error.
type TimeoutError struct{ After time.Duration }

func (e *TimeoutError) Error() string   { return fmt.Sprintf("no answer within %s", e.After) }
func (e *TimeoutError) Timeout() bool   { return true }
func (e *TimeoutError) Temporary() bool { return true }

// timedOut returns the cause of ctx if it is a time limit of this package, and err otherwise.
func timedOut(ctx context.Context, err error) error {
	var limit *TimeoutError
	var budget *WaitBudgetError
	cause := context.Cause(ctx)
	if errors.As(cause, &limit) || errors.As(cause, &budget) {
		return cause
	}
	return err
}

// isDialFailure reports whether no connection was made, so that any request may be retried.
func isDialFailure(err error) bool {
	if err == nil {
		return false
	}
	var dial *DialError
	var operation *net.OpError
	return errors.As(err, &dial) || errors.As(err, &operation) && operation.Op == "proxyconnect" ||
		isHandshakeTimeout(err)
}

func isHandshakeTimeout(err error) bool {
	return err != nil && strings.Contains(err.Error(), "TLS handshake timeout")
}

func isTimeout(err error) bool {
	var networkError net.Error
	return errors.As(err, &networkError) && networkError.Timeout()
}

// IsConnectFailure reports whether the next request would fail in the same way, because there is no connection, a certificate was rejected,
// or the server is not an API server.
func IsConnectFailure(err error) bool {
	return isDialFailure(err) || IsCertificateProblem(err) || IsNoAPIServer(err)
}

// IsCertificateProblem reports whether the client or the server rejected the certificate of the other, or whether the server does not use
// TLS.
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
