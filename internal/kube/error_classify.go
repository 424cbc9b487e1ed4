package kube

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/transport"
)

// IsNotFound reports whether the API server has said that the object does not exist. An answer of 404 for a path that it does not know
// (the kind is not served, the address is another server's) is not that proof. For a create it is the namespace that does not exist.
func IsNotFound(err error) bool {
	return apierrors.IsNotFound(err) && !isMissingPath(err)
}

// IsNamespaceNotFound reports whether a create met no Namespace for the object.
func IsNamespaceNotFound(err error) bool {
	var status apierrors.APIStatus
	if !apierrors.IsNotFound(err) || !errors.As(err, &status) {
		return false
	}
	details := status.Status().Details
	return details != nil && details.Kind == "namespaces"
}

// IsAlreadyExists reports whether a create met an object of that name.
func IsAlreadyExists(err error) bool { return apierrors.IsAlreadyExists(err) }

// IsUnreachable reports whether the cluster could not be spoken to: address, connection, TLS or no answer in time. The caller's own
// cancellation is not that.
func IsUnreachable(err error) bool {
	return err != nil && !errors.Is(err, context.Canceled) && isNetworkFailure(err)
}

// IsUnauthorized reports whether the cluster did not accept the credentials, or none could be had from the credential plugin.
func IsUnauthorized(err error) bool {
	return apierrors.IsUnauthorized(err) || isCredentialFailure(err)
}

// IsForbidden reports whether the account lacks the right, or an admission rule refused the request.
func IsForbidden(err error) bool { return apierrors.IsForbidden(err) }

// IsNotAllowed reports whether the kind does not have the verb (405).
func IsNotAllowed(err error) bool { return apierrors.IsMethodNotSupported(err) }

// IsConflict reports whether the object changed meanwhile, was replaced by another of the same name, or has fields of other managers (then
// errors.As finds a *ConflictError).
func IsConflict(err error) bool {
	var conflict *ConflictError
	return errors.As(err, &conflict) || apierrors.IsConflict(err)
}

// IsInvalid reports whether the object or the request is not acceptable as it is: trying again does not help.
func IsInvalid(err error) bool {
	var request *requestError
	return errors.As(err, &request) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err)
}

// IsMalformed reports whether the API server itself finds the object unacceptable, in whichever namespace it is: it cannot be decoded, or a
// field has a value that its kind does not allow. What webhooks, policies and quotas refuse is not that.
func IsMalformed(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || strings.HasPrefix(status.Status().Message, "admission webhook ") {
		return false
	}
	details := status.Status().Details
	switch {
	case apierrors.IsBadRequest(err):
		return true
	case !apierrors.IsInvalid(err) || details == nil || len(details.Causes) == 0:
		return false
	}
	return !slices.ContainsFunc(details.Causes, func(cause metav1.StatusCause) bool { return cause.Field == "" })
}

// IsUnknownKind reports whether the cluster does not serve the kind.
func IsUnknownKind(err error) bool {
	var unknown *UnknownKindError
	return errors.As(err, &unknown)
}

// IsServerFailure reports whether the API server answered, but could not serve the request just then (429 and 5xx): trying again later
// may help.
func IsServerFailure(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return false
	}
	code := status.Status().Code
	return code == 429 || code >= 500
}

// IsTransient reports whether the same request may be served later: the cluster could not be spoken to, or could not serve it just then or before the
// caller's time was over.
func IsTransient(err error) bool {
	return IsUnreachable(err) || IsServerFailure(err) || errors.Is(err, context.DeadlineExceeded)
}

// isMissingPath reports whether a 404 is about the URL rather than an object. The API server's answer is then not a Status of its own:
// client-go makes one up and keeps the text as a cause.
func isMissingPath(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Reason != metav1.StatusReasonNotFound {
		return false
	}
	details := status.Status().Details
	if details == nil {
		return true
	}
	for _, cause := range details.Causes {
		if cause.Type == metav1.CauseTypeUnexpectedServerResponse {
			return true
		}
	}
	return details.Name == ""
}

// isNetworkFailure reports whether an error comes from below HTTP. An answer of the API server may tell of a network failure of its own,
// of a webhook for instance; that is not it.
func isNetworkFailure(err error) bool {
	var down *transport.DownError
	var network net.Error
	var sent *url.Error
	var large *transport.TooLargeError
	var list *listError
	var replaced *replacedError
	var answer *answerError
	switch {
	case err == nil, isAnswer(err), isCredentialFailure(err):
		return false
	case errors.As(err, &down), errors.Is(err, errNoKubernetes), transport.IsConnectFailure(err):
		return true
	case errors.As(err, &large), errors.As(err, &list), errors.As(err, &replaced), errors.As(err, &answer):
		return true
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return true
	case errors.As(err, &sent):
		return !errors.Is(err, context.Canceled)
	default:
		return errors.As(err, &network) && !errors.Is(err, context.DeadlineExceeded)
	}
}

// isAnswer reports whether the API server has answered.
func isAnswer(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status)
}
