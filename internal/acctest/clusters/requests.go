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

// Request is what a Recorder saw of one request.
type Request struct {
	// Context is the kubeconfig context whose proxy was asked.
	Context   string
	Method    string
	Path      string
	Query     url.Values
	UserAgent string
	// DryRun says that the request asked to change nothing, in its query or, as
	// deletions do, in its body.
	DryRun bool

	Time time.Time
	// Fault tells what was done to the request, empty if it was left alone.
	Fault string
	// Status is the status code that the client was sent, 0 for none.
	Status int

	// Done says that the request is over, which a client can know a moment
	// earlier. The fields below are set then.
	Done          bool
	Duration      time.Duration
	RequestBytes  int64
	ResponseBytes int64
}

// Write reports whether the request was meant to change a stored object,
// whatever came of it. Dry runs are not, nor are reviews: those are posted but
// only ask who somebody is or what they may do.
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

// String is one line for the message of a failed test.
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

// review reports whether the path belongs to a group all of whose kinds are
// questions that the server answers and forgets.
func review(path string) bool {
	return strings.HasPrefix(path, "/apis/authorization.k8s.io/") ||
		strings.HasPrefix(path, "/apis/authentication.k8s.io/")
}

// dryRun reads the request for a dry run from the query and from the body of a
// deletion. A body in another encoding than JSON is taken for none.
func dryRun(query url.Values, body []byte) bool {
	var options struct {
		DryRun []string `json:"dryRun"`
	}
	_ = json.Unmarshal(body, &options)
	return slices.Contains(query["dryRun"], "All") || slices.Contains(options.DryRun, "All")
}
