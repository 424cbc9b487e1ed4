package transport

import (
	"context"
	"net/http"
	"time"
)

// An Exchange is a request and its result, for a log. It contains no headers, no bodies and no query.
type Exchange struct {
	Method, Path string
	DryRun       bool
	// Status is the status code of the answer, or 0 if there is no answer.
	Status   int
	Duration time.Duration
	// Bytes is the size of the answer after decompression.
	Bytes int64
	// Err is the reason why there is no answer, no complete answer, or no usable one.
	Err error
}

func (t *Transport) observe(request *http.Request, began time.Time, status int, bytes int64, err error) {
	if t.options.Observe == nil {
		return
	}
	// The context is passed without its cancellation, so that a log also shows the request of a cancelled caller.
	t.options.Observe(context.WithoutCancel(request.Context()), Exchange{
		Method: request.Method, Path: request.URL.Path, DryRun: effectOf(request) == effectDryRun,
		Status: status, Duration: time.Since(began), Bytes: bytes, Err: err,
	})
}
