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
	// MaxAnswer bounds one answer in bytes, after decompression. An API server stores no object of more than 1.5 MiB, and lists are asked
	// for in pages.
	MaxAnswer = 16 << 20
	// maxDecoded bounds what an answer takes once it is decoded, roughly: decodedValue for every value, besides its bytes.
	maxDecoded   = 64 << 20
	decodedValue = 48
	// smallAnswer is what any number of answers may have; of larger ones largeAtOnce are read at the same time.
	smallAnswer = 1 << 20
	largeAtOnce = 2
)

// TooLargeError is an answer that was not read to its end.
type TooLargeError struct {
	// Limit is the number of bytes that were exceeded; Decoded says that they are those of the answer once it is decoded.
	Limit   int64
	Decoded bool
}

func (e *TooLargeError) Error() string {
	if e.Decoded {
		return fmt.Sprintf("an answer that would take more than %d MiB of memory was not read", e.Limit>>20)
	}
	return fmt.Sprintf("an answer of more than %d MiB was not read to its end", e.Limit>>20)
}

// RedirectError is an answer that points to another address. None is followed: the credentials are for this one.
type RedirectError struct {
	Status int
	// To is the address without path, query and user information; empty if there was none.
	To string
}

func (e *RedirectError) Error() string {
	text := fmt.Sprintf("the server redirects (%d)", e.Status)
	if e.To != "" {
		text += fmt.Sprintf(" to %q", e.To)
	}
	return text + ", which is not followed, so that no credentials go to another server"
}

// WebPageError is a page for people in the place of an API server's answer.
type WebPageError struct{}

func (*WebPageError) Error() string { return "the server answers with a web page (text/html)" }

// IsNoAPIServer reports whether what answers is not an API server.
func IsNoAPIServer(err error) bool {
	var redirect *RedirectError
	var page *WebPageError
	return errors.As(err, &redirect) || errors.As(err, &page)
}

// checkAnswer refuses what no API server answers, before client-go follows it or makes something of it.
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

// boundRetry keeps a server from making a plan wait long before it asks again.
func (t *Transport) boundRetry(response *http.Response) {
	seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if err != nil {
		return
	}
	wait := min(time.Duration(max(seconds, 0))*time.Second, maxRetryAfter)
	if t.patience.charge(wait); t.patience.left() <= 0 {
		response.Header.Del("Retry-After") // client-go does not ask again then
		return
	}
	response.Header.Set("Retry-After", strconv.Itoa(int(wait/time.Second)))
}

// body reads an answer within its bounds. It ends the request when it is closed, whether it was read or not.
type body struct {
	io.ReadCloser
	ctx           context.Context //nolint:containedctx // it is the request's own, which net/http keeps in the same way
	bytes, values int64
	large         chan struct{} // holds a token for every answer that is large
	holds         bool          // one of them is ours
	err           error         // why it was not read to its end
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
	if limit == nil && b.bytes > smallAnswer && !b.holds {
		limit = b.queue()
	}
	if limit != nil {
		b.err = limit
		return 0, limit
	}
	return n, err
}

// queue waits until few other answers of the cluster are large. They are read into memory as a whole.
func (b *body) queue() error {
	select {
	case b.large <- struct{}{}:
		b.holds = true
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
		if b.holds {
			<-b.large
		}
		b.done(b)
	})
	return err
}
