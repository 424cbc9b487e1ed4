package report

import (
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// sameError stands for an error that the run shows elsewhere.
const sameError = "The error is shown elsewhere in this run."

// clusterText is the text of a line about a cluster.
type clusterText struct {
	text string
	// message is the error of a cluster that could not be checked, "" for others. cause is the part of the message that is the same whatever has failed.
	message, cause string
}

// unreachedText adds the error of a cluster to a text.
func unreachedText(text string, cluster engine.ClusterPreview) clusterText {
	return clusterText{text: text, message: plain(impersonal(cluster.Err.Error(), cluster.Name), maxMessage), cause: rootCause(cluster.Err)}
}

// withMessage returns the text with the error. If the run has shown the error for these clusters, the text says so instead.
func (t clusterText) withMessage(names []string, first func(text string) bool) string {
	if t.message == "" {
		return t.text
	}
	if isFirstError(names, t.cause, first) {
		return t.text + " " + t.message
	}
	return t.text + " " + sameError
}

// rootCause returns the part of an error that is the same for all operations that fail because of it.
func rootCause(err error) string {
	if failed, is := errors.AsType[interface {
		error
		Cause() string
	}](err); is {
		return "because of " + failed.Cause()
	}
	return err.Error()
}

// isFirstError reports whether the run shows an error for the first time for one of some clusters.
func isFirstError(clusters []string, cause string, first func(text string) bool) bool {
	isNew := false
	for _, cluster := range clusters {
		isNew = first("the error of "+cluster+": "+cause) || isNew
	}
	return isNew || len(clusters) == 0
}

// MemberUnread warns of a member that a refresh could not read.
func MemberUnread(diags *diag.Diagnostics, name string, err error, first func(text string) bool) {
	text := sameError
	if isFirstError([]string{name}, rootCause(err), first) {
		text = explain(err)
	}
	diags.AddAttributeWarning(path.Root("name"), "The member cluster \""+plain(name, maxName)+"\" could not be read", text)
}
