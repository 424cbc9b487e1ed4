package kube

import (
	"errors"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// withoutContent converts the error of a request for a Secret into an error that is safe to show. An API server, a webhook or an admission policy may quote
// the Secret in its message. The result does not wrap err, so that err cannot be printed. If err is not an answer of the API server, withoutContent returns
// err unchanged.
func withoutContent(err error) error {
	var conflict *ConflictError
	if errors.As(err, &conflict) {
		clean := *conflict
		clean.Err = withoutContent(conflict.Err)
		return &clean
	}
	var api apierrors.APIStatus
	if !errors.As(err, &api) {
		return err
	}
	status := api.Status()
	clean := metav1.Status{Status: status.Status, Code: status.Code, Reason: status.Reason, Message: safeMessage(status)}
	if details := status.Details; details != nil {
		clean.Details = &metav1.StatusDetails{
			Name: details.Name, Group: details.Group, Kind: details.Kind, UID: details.UID, RetryAfterSeconds: details.RetryAfterSeconds,
		}
		for _, cause := range details.Causes {
			if cause.Type != metav1.CauseTypeFieldManagerConflict { // conflicts contain the names of managers, but no values
				cause.Message = ""
			}
			clean.Details.Causes = append(clean.Details.Causes, cause)
		}
	}
	return &apierrors.StatusError{ErrStatus: clean}
}

// secretField matches the paths of the fields of a Secret, including the keys of its maps.
var secretField = regexp.MustCompile(`^(data|stringData|metadata|type|immutable)[A-Za-z0-9_.\[\]/-]{0,300}$`)

// safeMessage returns the message of a status if it cannot contain values. Otherwise it returns a message with the reason and the names of the fields.
func safeMessage(status metav1.Status) string {
	switch status.Reason {
	case metav1.StatusReasonNotFound, metav1.StatusReasonAlreadyExists, metav1.StatusReasonUnauthorized, metav1.StatusReasonConflict:
		isDenial := strings.Contains(status.Message, "denied") // an admission webhook or policy can deny with any reason
		if !isDenial && (status.Details == nil || len(status.Details.Causes) == 0) {
			return status.Message
		}
	case metav1.StatusReasonForbidden:
		if strings.Contains(status.Message, "is forbidden: User ") && strings.Contains(status.Message, " cannot ") {
			return status.Message
		}
	}
	var fields []string
	if status.Details != nil {
		for _, cause := range status.Details.Causes {
			if secretField.MatchString(cause.Field) {
				fields = append(fields, cause.Field)
			}
		}
	}
	if len(fields) > 0 {
		return string(status.Reason) + " at " + strings.Join(fields, ", ") + "; the message is withheld, because it may quote the Secret"
	}
	return string(status.Reason) + "; the message is withheld, because it may quote the Secret"
}
