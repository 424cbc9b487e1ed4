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

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/credential"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/transport"
)

// IsNotFound reports whether the API server answered that the object does not exist or, for a create, that its Namespace does not exist. A
// 404 for an unknown path, because the kind is not served or the server is not an API server, does not count.
func IsNotFound(err error) bool {
	return apierrors.IsNotFound(err) && !isMissingPath(err)
}

// IsNamespaceNotFound reports whether the API server answered that a Namespace does not exist. After the create of a namespaced object, this is the object's
// Namespace.
func IsNamespaceNotFound(err error) bool {
	return apierrors.IsNotFound(err) && detailsOf(err).Kind == "namespaces"
}

// IsObjectNotFound reports whether the API server answered that the object itself does not exist. resource is the plural name of its kind. A 404 about its
// Namespace, its kind or another object does not count.
func IsObjectNotFound(err error, resource, name string) bool {
	details := detailsOf(err)
	return IsNotFound(err) && details.Kind == resource && details.Name == name
}

// detailsOf returns the details of an answer of the API server, or their zero value if there are none.
func detailsOf(err error) metav1.StatusDetails {
	var status apierrors.APIStatus
	if !errors.As(err, &status) || status.Status().Details == nil {
		return metav1.StatusDetails{}
	}
	return *status.Status().Details
}

// IsAlreadyExists reports whether a create failed because an object of that name exists.
func IsAlreadyExists(err error) bool { return apierrors.IsAlreadyExists(err) }

// IsUnreachable reports whether a request got no usable answer. This includes a request that failed at the address, the connection, TLS or the response
// timeout. It also includes an answer that was too large, did not match the request, or came from another cluster or from a server that is not an API
// server. The caller's own cancellation does not count.
func IsUnreachable(err error) bool {
	return err != nil && !errors.Is(err, context.Canceled) && isNetworkFailure(err)
}

// IsUnauthorized reports whether the cluster rejected the credentials, or the credential plugin returned none.
func IsUnauthorized(err error) bool {
	return apierrors.IsUnauthorized(err) || isCredentialFailure(err)
}

// IsForbidden reports whether the account lacks the right, or an admission rule denied the request.
func IsForbidden(err error) bool { return apierrors.IsForbidden(err) }

// IsNotAllowed reports whether the API server does not support the verb for the kind (405).
func IsNotAllowed(err error) bool { return apierrors.IsMethodNotSupported(err) }

// IsConflict reports whether a write was rejected because the object has changed since it was read, was recreated, or has fields that other
// managers own (then errors.As finds a *ConflictError).
func IsConflict(err error) bool {
	var conflict *ConflictError
	return errors.As(err, &conflict) || apierrors.IsConflict(err)
}

// IsInvalid reports whether the object or the request is invalid, so that a retry does not help.
func IsInvalid(err error) bool {
	var request *requestError
	return errors.As(err, &request) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err)
}

// IsMalformed reports whether the API server itself rejects the object, because the object cannot be decoded, or because a field has a value
// that the kind does not allow in any namespace. A rejection by a webhook, a policy or a quota does not count.
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

// IsServerFailure reports whether the API server answered 429 or 5xx: a retry may succeed.
func IsServerFailure(err error) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return false
	}
	code := status.Status().Code
	return code == 429 || code >= 500
}

// IsTransient reports whether the same request may succeed later: the cluster was unreachable, or did not serve the request (429, 5xx, or the
// caller's deadline passed).
func IsTransient(err error) bool {
	return IsUnreachable(err) || IsServerFailure(err) || errors.Is(err, context.DeadlineExceeded)
}

// isMissingPath reports whether a 404 is about the URL and not about an object. The body of such an answer is a Status without a name, or no Status. Without
// a Status, client-go creates one and keeps the body as a cause.
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

// isNetworkFailure reports whether a request got no usable answer from the API server. A network failure that an API server reports, for example of its
// request to a webhook, does not count.
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

func isAnswer(err error) bool {
	var status apierrors.APIStatus
	return errors.As(err, &status)
}

// IsOutdated reports whether a write was rejected because the object has changed or was recreated since it was read. Conflicts with field
// managers do not count.
func IsOutdated(err error) bool {
	_, fields := errors.AsType[*ConflictError](err)
	return IsConflict(err) && !fields
}

func isCredentialFailure(err error) bool {
	var failed *credential.Error
	return errors.As(err, &failed)
}
