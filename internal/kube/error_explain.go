package kube

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/credential"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/transport"
)

const (
	adviseReach = "Check that the cluster runs, that this machine can reach it, and the connection's host, proxy_url and kubeconfig."
	adviseTrust = "Check cluster_ca_certificate (or the kubeconfig's certificate-authority), and tls_server_name if the cluster is reached " +
		"under another name than its certificate's."
	adviseServer      = "Check the cluster's API server and, if the message names one, the webhook. Then try again."
	adviseCredentials = "Check the connection's token, exec or client certificate; a short-lived token may have expired."
	adviseOwnCert     = "Check client_certificate and client_key: they may have expired, or come from another cluster."
)

// explain returns why an operation failed, and what to do next, or "" if this is unknown. Neither the cause nor the advice contains credentials or a URL
// with user information.
func explain(err error) (cause, advice string) {
	var down *transport.DownError
	var status apierrors.APIStatus
	var conflict *ConflictError
	var credentials *credential.Error
	var still *StillThereError
	var unavailable *UnavailableGroupError
	var foreign *foreignElementsError
	switch {
	case err == nil:
		return "unknown cause", ""
	case errors.As(err, &still):
		return still.Error(), ""
	case errors.As(err, &unavailable):
		return unavailable.Error(), "Check the APIService of that group."
	case errors.As(err, &foreign):
		cause, _ := explain(foreign.err)
		return cause, foreign.advice()
	case errors.As(err, &down):
		return explain(down.Cause) // without the age of the failure, so that two plans during the same outage are equal
	case errors.As(err, &conflict):
		return conflict.Error(), ""
	case errors.As(err, &credentials):
		return "no credentials: " + credentials.Error(), adviseCredentials
	case errors.As(err, &status):
		return explainStatus(err, status.Status())
	case errors.Is(err, context.Canceled):
		return "cancelled", ""
	case isNetworkFailure(err):
		return explainNetwork(err)
	case errors.Is(err, context.DeadlineExceeded):
		return "the time limit passed", ""
	case strings.Contains(err.Error(), "would exceed context deadline"):
		return "the time limit leaves no room for another request", "Raise the timeout, or qps and burst."
	default:
		return strings.TrimSuffix(withoutURL(err), "."), ""
	}
}

func explainNetwork(err error) (cause, advice string) {
	var authority x509.UnknownAuthorityError
	var hostname x509.HostnameError
	var invalid x509.CertificateInvalidError
	var dns *net.DNSError
	var late *transport.TimeoutError
	text := withoutURL(err)
	if cause, advice := explainAnswer(err); cause != "" {
		return cause, advice
	}
	switch {
	case errors.Is(err, errNoKubernetes):
		return errNoKubernetes.Error(), adviseReach
	case errors.As(err, &authority):
		return "the API server's certificate is signed by an unknown authority", adviseTrust
	case errors.As(err, &hostname):
		return "the API server's certificate is for other names: " + hostname.Error(), adviseTrust
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the API server's certificate is not valid now: " + invalid.Error(), "Renew it, and check the clock of this machine."
	case strings.Contains(text, "remote error: tls:"):
		return "the API server ended the TLS handshake: " + text, adviseOwnCert
	case strings.Contains(text, "server gave HTTP response to HTTPS client"), strings.Contains(text, "does not look like a TLS handshake"):
		return "the server does not speak TLS", "Write host with http:// if that is intended, and check its port."
	case strings.Contains(text, "malformed HTTP response"), strings.Contains(text, "readLoopPeekFailLocked"): // for example an SSH server
		return "the server does not speak HTTP", "Check host and its port."
	case transport.IsCertificateProblem(err):
		return "the TLS handshake failed: " + text, adviseTrust
	case errors.As(err, &dns):
		return fmt.Sprintf("the name %s cannot be resolved", dns.Name), adviseReach
	case errors.As(err, &late):
		return "the API server gave " + late.Error(), adviseReach
	case errors.Is(err, context.DeadlineExceeded):
		return "the API server did not answer before the time limit", adviseReach
	default:
		return "the API server cannot be reached: " + text, adviseReach
	}
}

// explainAnswer explains errors of a server that is not an API server or does not behave like one. For any other error, it returns "".
func explainAnswer(err error) (cause, advice string) {
	var redirect *transport.RedirectError
	var page *transport.WebPageError
	var large *transport.TooLargeError
	var list *listError
	var budget *transport.WaitBudgetError
	var replaced *replacedError
	var answer *answerError
	switch {
	case errors.As(err, &redirect):
		return redirect.Error(), "Set host to the address of the API server itself; this may be that of a proxy or a login page."
	case errors.As(err, &page):
		return page.Error(), "Check that host is that of a Kubernetes API server, and not of a dashboard, a login page or a proxy."
	case errors.As(err, &large):
		return large.Error(), "This is not the answer of an API server: check what answers at the connection's host."
	case errors.As(err, &list):
		return list.Error(), "Check what answers at the connection's host."
	case errors.As(err, &answer):
		return answer.Error(), "Check what answers at the connection's host: a proxy may misroute requests or answers."
	case errors.As(err, &replaced):
		return replaced.Error(), "Check what the connection's host leads to."
	case errors.As(err, &budget):
		return budget.Error(), adviseReach
	}
	return "", ""
}

func explainStatus(err error, status metav1.Status) (cause, advice string) {
	message := withoutEcho(strings.TrimSuffix(status.Message, "."))
	switch {
	case status.Reason == metav1.StatusReasonUnauthorized:
		return "the cluster does not accept the credentials (401)", adviseCredentials
	case status.Reason == metav1.StatusReasonForbidden && strings.Contains(message, " cannot "):
		return "not allowed (403): " + message, "Grant this right to the account of the connection."
	case status.Reason == metav1.StatusReasonForbidden:
		return "rejected (403): " + message, ""
	case speaksTLS(status):
		return "the server speaks TLS, and host begins with http://", "Write it as https://address:port."
	case isMissingPath(err):
		return "the server does not know the request's path (404)", "Check that the connection's host is that of a Kubernetes API server."
	case status.Reason == metav1.StatusReasonNotFound && status.Details != nil:
		return fmt.Sprintf("%s %q does not exist (404)", status.Details.Kind, status.Details.Name), ""
	case status.Reason == metav1.StatusReasonAlreadyExists:
		return "it exists already (409)", ""
	case status.Reason == metav1.StatusReasonConflict:
		return "it has changed since it was read (409): " + message, ""
	case status.Code == http.StatusTooManyRequests:
		return "the API server is overloaded (429): " + message, "Try again later, or with a lower max_in_flight or qps."
	case status.Code >= http.StatusInternalServerError:
		return fmt.Sprintf("the API server could not serve it (%d): %s", status.Code, message), adviseServer
	case status.Code != 0:
		return fmt.Sprintf("rejected (%d): %s", status.Code, message), ""
	default:
		return message, ""
	}
}

// speaksTLS recognizes the answer of a Go TLS server to a request in clear text.
func speaksTLS(status metav1.Status) bool {
	return status.Code == http.StatusBadRequest && status.Details != nil && slices.ContainsFunc(status.Details.Causes, func(c metav1.StatusCause) bool {
		return strings.Contains(c.Message, "sent an HTTP request to an HTTPS server")
	})
}

// withoutURL returns the text of an error without the URL that net/http adds, because the message already names the object, and a URL may
// contain user information.
func withoutURL(err error) string {
	var sent *url.Error
	if errors.As(err, &sent) {
		return sent.Err.Error()
	}
	return err.Error()
}

// StillThereError is returned when an object still exists at the end of [Cluster.WaitGone].
type StillThereError struct {
	Cluster string
	Ref     Ref
	// DeletingSince is the deletion timestamp, or zero if the object is not being deleted.
	DeletingSince time.Time
	Finalizers    []string
	// Remaining are the messages of a Namespace's conditions, which describe what the Namespace still contains.
	Remaining []string
	// Err is the error of the last read, or nil if it succeeded.
	Err error
}

func (e *StillThereError) Error() string {
	text := "it still exists, and is not being deleted"
	if !e.DeletingSince.IsZero() {
		text = "it still exists, terminating since " + e.DeletingSince.UTC().Format(time.RFC3339)
	}
	if len(e.Finalizers) > 0 {
		text += "; it waits for the finalizers " + strings.Join(e.Finalizers, ", ")
	}
	if len(e.Remaining) > 0 {
		text += "; " + strings.Join(e.Remaining, "; ")
	}
	if e.Err != nil {
		cause, _ := explain(e.Err)
		text += fmt.Sprintf("; the last read failed: %s", cause)
	}
	return text
}

// Unwrap returns Err.
func (e *StillThereError) Unwrap() error { return e.Err }
