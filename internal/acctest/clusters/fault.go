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

// Fault is a failure of requests. If several faults match a request, the one that was injected first applies. A fault has at most one of the effects Then,
// Refuse, LoseResponse, Status and Answer. It can also have Delay and Hook, which come first. Without one of the other effects, the request is then forwarded.
type Fault struct {
	// Context restricts the fault to one proxy; empty means all of them.
	Context string
	// Match selects the requests; nil selects all. It is called before any effect of the fault.
	Match func(Request) bool
	// Times is the number of requests that the fault applies to, 0 for no limit.
	Times int

	// Delay delays the request, at most until the client cancels it.
	Delay time.Duration
	// Hook is called with the request after the delay, for example to kill the process that sent it.
	Hook func(Request)
	// Then forwards the request, and is called before the client receives the response. It must not be used for watches, which do not end.
	Then func(Request)

	// Refuse closes the connection instead of forwarding the request.
	Refuse bool
	// LoseResponse forwards the request and closes the connection instead of sending the response: the change is made, but the client does not learn of it. It
	// must not be used for watches, which do not end.
	LoseResponse bool
	// Status responds with this status code instead of forwarding the request, with the body that an API server would send.
	Status int
	// RetryAfter is sent with Status, rounded up to seconds. Kubernetes clients repeat a request automatically only with it.
	RetryAfter time.Duration
	// Answer responds instead of forwarding the request.
	Answer http.HandlerFunc
}

// String describes the effect on a request.
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

// Writes matches requests that would change something.
func Writes(r Request) bool { return r.Write() }

// reasons are an API server's reasons for status codes.
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
