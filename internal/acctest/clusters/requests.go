package clusters

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Request is the record of one request.
type Request struct {
	// Context is the kubeconfig context of the proxy.
	Context   string
	Method    string
	Path      string
	Query     url.Values
	UserAgent string
	// DryRun: the request asks for a dry run, in its query or, for deletions, in its body.
	DryRun bool

	Time time.Time
	// Fault describes the fault that was applied, empty for none.
	Fault string
	// Status is the status code that the client was sent, 0 for none.
	Status int

	// Done reports that the request has ended and the fields below are set. A client can receive the response shortly before that.
	Done          bool
	Duration      time.Duration
	RequestBytes  int64
	ResponseBytes int64
}

// Write reports whether the request would change a stored object, regardless of its result. Dry runs and reviews would not. Reviews are POST requests that only
// query identities or permissions.
func (r Request) Write() bool {
	switch r.Method {
	case http.MethodPut, http.MethodPatch, http.MethodDelete:
		return !r.DryRun
	case http.MethodPost:
		return !r.DryRun && !review(r.Path)
	default:
		return false
	}
}

// String returns one line for the message of a failed test.
func (r Request) String() string {
	target := r.Path
	if len(r.Query) > 0 {
		target += "?" + r.Query.Encode()
	}
	text := fmt.Sprintf("%s %s %s -> %d", r.Context, r.Method, target, r.Status)
	if r.Fault != "" {
		text += " (" + r.Fault + ")"
	}
	return text
}

// review reports whether the path belongs to an API group whose kinds are all queries that the server does not store.
func review(path string) bool {
	return strings.HasPrefix(path, "/apis/authorization.k8s.io/") ||
		strings.HasPrefix(path, "/apis/authentication.k8s.io/")
}

// dryRun reports whether the query, or the body of a deletion, asks for a dry run. A body that is not JSON does not.
func dryRun(query url.Values, body []byte) bool {
	var options struct {
		DryRun []string `json:"dryRun"`
	}
	_ = json.Unmarshal(body, &options)
	return slices.Contains(query["dryRun"], "All") || slices.Contains(options.DryRun, "All")
}
