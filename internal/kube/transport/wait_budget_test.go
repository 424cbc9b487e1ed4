package transport

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

type answers func(*http.Request) (*http.Response, error)

func (a answers) RoundTrip(request *http.Request) (*http.Response, error) { return a(request) }

// drip is a body of which every byte takes a second.
type drip struct{ ctx context.Context } //nolint:containedctx // as net/http does

func (d drip) Read(p []byte) (int, error) {
	select {
	case <-time.After(time.Second):
		p[0] = ' '
		return 1, nil
	case <-d.ctx.Done():
		return 0, d.ctx.Err()
	}
}

func (drip) Close() error { return nil }

func ask(ctx context.Context, over http.RoundTripper, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := over.RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	_, err = io.ReadAll(response.Body)
	return err
}

// Whatever a server does with its time, all looks together wait for it a bounded time, on after and beside another.
func TestPatienceIsBounded(t *testing.T) {
	for name, base := range map[string]answers{
		"a byte a second": func(r *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusOK, Body: drip{r.Context()}, Header: http.Header{}}, nil
		},
		"no answer": func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		},
		"further pages": func(*http.Request) (*http.Response, error) {
			time.Sleep(100 * time.Millisecond)
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("{}")), Header: http.Header{}}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport := New(Options{Timeout: 30 * time.Second, Wrote: func() {}})
				over, began := transport.Wrap(base), time.Now()
				var wait sync.WaitGroup
				for range 8 {
					wait.Go(func() {
						for time.Since(began) < time.Hour && transport.Down(Hurry(t.Context())) == nil {
							_ = ask(Hurry(t.Context()), over, "https://c/api?continue=x")
						}
					})
				}
				wait.Wait()
				// A server that answers nothing counts as down for a while, in which nobody waits for it.
				if took := time.Since(began); took > 26*time.Second && name != "no answer" || took > time.Minute {
					t.Errorf("%s", took)
				}
				if name == "no answer" {
					return
				}
				var down *DownError
				if err := ask(Hurry(t.Context()), over, "https://c/api"); !errors.As(err, &down) {
					t.Errorf("%v", err)
				}
				if err := transport.Down(t.Context()); err != nil {
					t.Errorf("what is no look: %v", err)
				}
				if _, _, err := transport.Wait(Hurry(t.Context())); err == nil {
					t.Error("it is waited for")
				}
				time.Sleep(patienceLostFor + time.Second)
				if err := transport.Down(Hurry(t.Context())); err != nil {
					t.Errorf("for ever: %v", err)
				}
			})
		})
	}
}

// A placement may have any number of objects on a server that answers in reasonable time.
func TestPatienceIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := New(Options{Timeout: 30 * time.Second, Wrote: func() {}})
		over := transport.Wrap(answers(func(*http.Request) (*http.Response, error) {
			time.Sleep(200 * time.Millisecond)
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("{}")), Header: http.Header{}}, nil
		}))
		for range 5000 {
			if err := ask(Hurry(t.Context()), over, "https://c/api"); err != nil {
				t.Fatal(err)
			}
		}
	})
}
