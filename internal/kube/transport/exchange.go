package transport

import (
	"context"
	"net/http"
	"time"
)

// An Exchange is a request and its result, for a log. It has no headers, no bodies and no part of the query that could be secret.
type Exchange struct {
	Method, Path string
	// DryRun means that the request was a dry run.
	DryRun bool
	// Status is the status code of the answer; 0 without an answer.
	Status   int
	Duration time.Duration
	// Bytes is the size of the answer after decompression.
	Bytes int64
	// Err is the reason why there is no answer, or only a part of it.
	Err error
}

// observe reports a finished request.
func (t *Transport) observe(request *http.Request, began time.Time, status int, bytes int64, err error) {
	if t.options.Observe == nil {
		return
	}
	// Without the cancellation: a cancelled caller needs to know what it was waiting for.
	t.options.Observe(context.WithoutCancel(request.Context()), Exchange{
		Method: request.Method, Path: request.URL.Path, DryRun: effectOf(request) == effectDryRun,
		Status: status, Duration: time.Since(began), Bytes: bytes, Err: err,
	})
}
