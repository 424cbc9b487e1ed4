package clusters

import (
	"bytes"
	"io"
	"log"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"time"

	"k8s.io/client-go/rest"
)

// discardLog discards messages about connections that a test cuts on purpose.
var discardLog = log.New(io.Discard, "", 0)

// proxy is in front of one API server.
type proxy struct {
	recorder *Recorder
	context  string
	forward  *httputil.ReverseProxy
}

func newProxy(recorder *Recorder, context string, upstream *rest.Config, passCredentials bool) (*proxy, error) {
	if passCredentials {
		upstream = rest.AnonymousClientConfig(upstream)
	}
	transport, err := rest.TransportFor(upstream)
	if err != nil {
		return nil, err
	}
	target, err := url.Parse(upstream.Host)
	if err != nil {
		return nil, err
	}
	return &proxy{recorder: recorder, context: context, forward: &httputil.ReverseProxy{
		Transport: transport,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			if !passCredentials {
				// The transport adds its own credentials only if there are none.
				r.Out.Header.Del("Authorization")
			}
		},
		// Forward events of a watch without buffering.
		FlushInterval: -1,
		ErrorLog:      discardLog,
		// Close the connection instead of responding with status 502, because an unreachable API server does not respond.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}}, nil
}

// ServeHTTP records a request, applies its fault, and forwards it.
func (p *proxy) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	counted := &countingBody{ReadCloser: request.Body}
	request.Body = counted
	begin := time.Now()
	entry, fault := p.recorder.recordRequest(p.describe(request, counted, begin))
	response := &countingWriter{ResponseWriter: w, onStatus: func(status int) {
		// Update the record before the client can see the response and then read the record.
		p.recorder.update(entry, func(r *Request) { r.Status = status })
	}}
	// This also runs if a handler panics with http.ErrAbortHandler to close the connection.
	defer func() {
		p.recorder.update(entry, func(r *Request) {
			r.Done, r.Duration = true, time.Since(begin)
			r.RequestBytes, r.ResponseBytes = counted.bytes.Load(), response.bytes
		})
	}()
	if fault == nil {
		p.forward.ServeHTTP(response, request)
		return
	}
	p.applyFault(fault, p.recorder.copyOf(entry), response, request)
}

// applyFault applies a fault to a request.
func (p *proxy) applyFault(fault *Fault, entry Request, w *countingWriter, request *http.Request) {
	if fault.Delay > 0 {
		// The server notices that the client has closed the connection only once the body has been read.
		body, err := io.ReadAll(request.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		request.Body = io.NopCloser(bytes.NewReader(body))
		select {
		case <-time.After(fault.Delay):
		case <-request.Context().Done():
			panic(http.ErrAbortHandler)
		}
	}
	if fault.Hook != nil {
		fault.Hook(entry)
	}
	switch {
	case fault.Refuse:
		panic(http.ErrAbortHandler)
	case fault.LoseResponse:
		p.forward.ServeHTTP(discardResponse{}, request)
		panic(http.ErrAbortHandler)
	case fault.Status != 0:
		fault.answer(w)
	case fault.Answer != nil:
		fault.Answer(w, request)
	case fault.Then != nil:
		answer := httptest.NewRecorder()
		p.forward.ServeHTTP(answer, request)
		fault.Then(entry)
		maps.Copy(w.Header(), answer.Header())
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes())
	default:
		p.forward.ServeHTTP(w, request)
	}
}

// describe returns the record of a request. It reads a deletion's body in advance, because the body may ask for a dry run.
func (p *proxy) describe(request *http.Request, body *countingBody, now time.Time) Request {
	var options []byte
	if request.Method == http.MethodDelete {
		options, _ = io.ReadAll(body.ReadCloser)
		body.ReadCloser = io.NopCloser(bytes.NewReader(options))
	}
	query := request.URL.Query()
	return Request{
		Context: p.context, Method: request.Method, Path: request.URL.Path, Query: query,
		UserAgent: request.UserAgent(), DryRun: dryRun(query, options), Time: now,
	}
}

// countingBody counts the bytes of a request's body as they are read.
type countingBody struct {
	io.ReadCloser
	bytes atomic.Int64
}

func (b *countingBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.bytes.Add(int64(n))
	return n, err
}

// countingWriter reports the status and counts the bytes of a response.
type countingWriter struct {
	http.ResponseWriter
	onStatus func(status int)
	bytes    int64
}

func (w *countingWriter) WriteHeader(status int) {
	// A status 1xx precedes the final one.
	if status >= http.StatusOK {
		w.onStatus(status)
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *countingWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets the reverse proxy flush the writer underneath.
func (w *countingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// discardResponse discards a response.
type discardResponse struct{}

func (discardResponse) Header() http.Header         { return http.Header{} }
func (discardResponse) Write(p []byte) (int, error) { return len(p), nil }
func (discardResponse) WriteHeader(int)             {}
