package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"
)

const (
	// MaxAnswer is the maximum size of one answer in bytes, after decompression. An API server stores objects of at most 1.5 MiB, and lists are
	// read in pages.
	MaxAnswer = 16 << 20
	// maxDecoded is the maximum memory of a decoded answer, in bytes. The estimate is the size of the answer plus decodedValue for every value.
	maxDecoded   = 64 << 20
	decodedValue = 48
	// Any number of answers of at most smallAnswer bytes are read in parallel, but at most largeAtOnce larger answers.
	smallAnswer = 1 << 20
	largeAtOnce = 2
)

// TooLargeError is returned when an answer exceeds a limit. The rest of the answer is not read.
type TooLargeError struct {
	// Limit is the exceeded limit, in bytes. Decoded reports that it is the limit for the decoded answer.
	Limit   int64
	Decoded bool
}

func (e *TooLargeError) Error() string {
	if e.Decoded {
		return fmt.Sprintf("an answer that would take more than %d MiB of memory was not read", e.Limit>>20)
	}
	return fmt.Sprintf("an answer of more than %d MiB was not read to its end", e.Limit>>20)
}

// RedirectError is returned for a redirect. The transport never follows redirects, because the credentials are for this server only.
type RedirectError struct {
	Status int
	// To is the target without path, query and user information. It is empty if the response has no target.
	To string
}

func (e *RedirectError) Error() string {
	text := fmt.Sprintf("the server redirects (%d)", e.Status)
	if e.To != "" {
		text += fmt.Sprintf(" to %q", e.To)
	}
	return text + ", which is not followed, so that no credentials go to another server"
}

// WebPageError is returned when the server answers a request with success, but with an HTML page.
type WebPageError struct{}

func (*WebPageError) Error() string { return "the server answers with a web page (text/html)" }

// IsNoAPIServer reports whether an error shows that the answer does not come from an API server.
func IsNoAPIServer(err error) bool {
	var redirect *RedirectError
	var page *WebPageError
	return errors.As(err, &redirect) || errors.As(err, &page)
}

func checkAnswer(response *http.Response) error {
	if response.StatusCode >= 300 && response.StatusCode < 400 && response.StatusCode != http.StatusNotModified {
		to, err := response.Location()
		if err != nil {
			return &RedirectError{Status: response.StatusCode}
		}
		return &RedirectError{Status: response.StatusCode, To: (&url.URL{Scheme: to.Scheme, Host: to.Host}).String()}
	}
	kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err == nil && kind == "text/html" && response.StatusCode < 300 {
		return &WebPageError{}
	}
	return nil
}

// boundRetry limits the Retry-After of a response, so that a plan does not wait long. It charges the wait to the wait budget, and removes
// Retry-After if the budget is used up.
func (t *Transport) boundRetry(response *http.Response) {
	seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if err != nil {
		return
	}
	wait := min(time.Duration(max(seconds, 0))*time.Second, maxRetryAfter)
	if t.budget.charge(wait); t.budget.left() <= 0 {
		response.Header.Del("Retry-After") // without it, client-go does not retry
		return
	}
	response.Header.Set("Retry-After", strconv.Itoa(int(wait/time.Second)))
}

// A body is the body of a response. Read returns an error if the response exceeds a limit. Close ends the request, even if the body was not read.
type body struct {
	io.ReadCloser
	ctx           context.Context //nolint:containedctx // the request's context; net/http stores it too
	bytes, values int64
	large         chan struct{} // holds one token for every large answer
	hasToken      bool
	err           error
	once          sync.Once
	done          func(*body)
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = timedOut(b.ctx, err)
		b.err = err
	}
	limit := b.count(p[:n])
	if limit == nil && b.bytes > smallAnswer && !b.hasToken {
		limit = b.queue()
	}
	if limit != nil {
		b.err = limit
		return 0, limit
	}
	return n, err
}

// queue waits for a token, because callers read a whole answer into memory.
func (b *body) queue() error {
	select {
	case b.large <- struct{}{}:
		b.hasToken = true
		return nil
	case <-b.ctx.Done():
		return timedOut(b.ctx, b.ctx.Err())
	}
}

func (b *body) count(read []byte) error {
	b.bytes += int64(len(read))
	for _, mark := range []byte{',', '{', '['} {
		b.values += int64(bytes.Count(read, []byte{mark}))
	}
	switch {
	case b.bytes > MaxAnswer:
		return &TooLargeError{Limit: MaxAnswer}
	case b.bytes+b.values*decodedValue > maxDecoded:
		return &TooLargeError{Limit: maxDecoded, Decoded: true}
	}
	return nil
}

func (b *body) Close() error {
	err := b.ReadCloser.Close()
	b.once.Do(func() {
		if b.hasToken {
			<-b.large
		}
		b.done(b)
	})
	return err
}
