package clusters

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Fault is something that goes wrong with requests. Of several that match a
// request the one injected first applies. Delay and Hook go with any of the
// others; without one of those the request is forwarded after them.
type Fault struct {
	// Context restricts the fault to one proxy; empty means all of them.
	Context string
	// Match chooses the requests; nil chooses all. It sees a request before
	// anything happened to it.
	Match func(Request) bool
	// Times is how many requests are met; 0 means no limit.
	Times int

	// Delay holds the request back, or until the client gives up.
	Delay time.Duration
	// Hook is called with the request after the delay, for instance to kill
	// the process that sent it.
	Hook func(Request)
	// Then forwards the request, and is called before the client receives the
	// answer. Not for watches, which have no end.
	Then func(Request)

	// Refuse closes the connection instead of forwarding the request.
	Refuse bool
	// LoseResponse forwards the request and closes the connection instead of
	// answering: the change is made, but the client does not learn of it. Not
	// for watches, which have no end.
	LoseResponse bool
	// Status answers with this status code instead of forwarding the request,
	// with the body that an API server would send.
	Status int
	// RetryAfter is sent along with Status, rounded up to seconds. Clients of
	// Kubernetes repeat a request by themselves only if it is there.
	RetryAfter time.Duration
	// Answer answers instead of forwarding the request, in ways of its own.
	Answer http.HandlerFunc
}

// String says what happens to a request.
func (f *Fault) String() string {
	text := "forwarded"
	switch {
	case f.Refuse:
		text = "refused"
	case f.LoseResponse:
		text = "response lost"
	case f.Status != 0:
		text = fmt.Sprintf("answered %d", f.Status)
	case f.Answer != nil:
		text = "answered by the test"
	}
	if f.Delay > 0 {
		text += fmt.Sprintf(" after %s", f.Delay)
	}
	return text
}

// Writes matches requests that are meant to change something.
func Writes(r Request) bool { return r.Write() }

// reasons are those an API server gives with a status code.
var reasons = map[int]metav1.StatusReason{
	http.StatusUnauthorized:        metav1.StatusReasonUnauthorized,
	http.StatusForbidden:           metav1.StatusReasonForbidden,
	http.StatusNotFound:            metav1.StatusReasonNotFound,
	http.StatusConflict:            metav1.StatusReasonConflict,
	http.StatusGone:                metav1.StatusReasonGone,
	http.StatusUnprocessableEntity: metav1.StatusReasonInvalid,
	http.StatusTooManyRequests:     metav1.StatusReasonTooManyRequests,
	http.StatusInternalServerError: metav1.StatusReasonInternalError,
	http.StatusServiceUnavailable:  metav1.StatusReasonServiceUnavailable,
	http.StatusGatewayTimeout:      metav1.StatusReasonTimeout,
}

// answer writes the fault's status as an API server does.
func (f *Fault) answer(w http.ResponseWriter) {
	seconds := int32(math.Ceil(f.RetryAfter.Seconds()))
	status := metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusFailure,
		Code:     int32(f.Status),
		Reason:   reasons[f.Status],
		Message:  fmt.Sprintf("injected by a test: %s", http.StatusText(f.Status)),
	}
	if seconds > 0 {
		status.Details = &metav1.StatusDetails{RetryAfterSeconds: seconds}
		w.Header().Set("Retry-After", strconv.Itoa(int(seconds)))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.Status)
	_ = json.NewEncoder(w).Encode(status)
}
