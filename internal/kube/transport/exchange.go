package transport

import (
	"context"
	"net/http"
	"time"
)

// Exchange is a request and what came of it, for a log: neither headers nor bodies, and of the query nothing that could be a secret.
type Exchange struct {
	Method, Path string
	// DryRun says that the API server was asked only to try it.
	DryRun bool
	// Status is that of the answer, 0 without one.
	Status   int
	Duration time.Duration
	// Bytes are those of the answer, after decompression.
	Bytes int64
	// Err is why there is no answer, or not all of it.
	Err error
}

// observe tells of a request that is over.
func (t *Transport) observe(request *http.Request, began time.Time, status int, bytes int64, err error) {
	if t.options.Observe == nil {
		return
	}
	// Whoever gave up wants to know what it was waiting for.
	t.options.Observe(context.WithoutCancel(request.Context()), Exchange{
		Method: request.Method, Path: request.URL.Path, DryRun: effectOf(request) == triesWrite,
		Status: status, Duration: time.Since(began), Bytes: bytes, Err: err,
	})
}
