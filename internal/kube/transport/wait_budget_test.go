package transport

import (
	"context"
	"errors"
	"fmt"
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

// drip is a body that returns one byte a second.
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

func get(ctx context.Context, over http.RoundTripper, url string) error {
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

// All fail-fast reads together wait for a server for a limited time, regardless of its answers, in sequence and in parallel.
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
						for time.Since(began) < time.Hour && transport.Down(FailFast(t.Context())) == nil {
							_ = get(FailFast(t.Context()), over, "https://c/api?continue=x")
						}
					})
				}
				wait.Wait()
				// A server that does not answer counts as unreachable for some time. Reads then do not wait for it.
				if took := time.Since(began); took > 26*time.Second && name != "no answer" || took > time.Minute {
					t.Errorf("%s", took)
				}
				if name == "no answer" {
					return
				}
				var down *DownError
				if err := get(FailFast(t.Context()), over, "https://c/api"); !errors.As(err, &down) {
					t.Errorf("%v", err)
				}
				if err := transport.Down(t.Context()); err != nil {
					t.Errorf("without fail-fast: %v", err)
				}
				if _, _, err := transport.Wait(FailFast(t.Context())); err == nil {
					t.Error("Wait did not fail")
				}
				time.Sleep(waitResetAfter + time.Second)
				if err := transport.Down(FailFast(t.Context())); err != nil {
					t.Errorf("the limit was not reset: %v", err)
				}
			})
		})
	}
}

// The number of objects in a placement is not limited on a server that answers in reasonable time.
func TestPatienceIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := New(Options{Timeout: 30 * time.Second, Wrote: func() {}})
		over := transport.Wrap(answers(func(*http.Request) (*http.Response, error) {
			time.Sleep(200 * time.Millisecond)
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("{}")), Header: http.Header{}}, nil
		}))
		for range 5000 {
			if err := get(FailFast(t.Context()), over, "https://c/api"); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A slow request is not cancelled while parallel answers leave time, also if little time was left at its start.
func TestPatienceGrowsDuringRequest(t *testing.T) {
	const slow, used = 3 * time.Second, waitLimit - time.Second
	work := map[string]func(*Transport, http.RoundTripper, context.Context) error{
		"request": func(_ *Transport, over http.RoundTripper, ctx context.Context) error {
			return get(ctx, over, "https://c/slow")
		},
		"wait": func(transport *Transport, _ http.RoundTripper, ctx context.Context) error {
			bounded, done, err := transport.Wait(ctx)
			if err != nil {
				return err
			}
			defer done()
			select {
			case <-bounded.Done():
				return context.Cause(bounded)
			case <-time.After(slow):
				return nil
			}
		},
	}
	for name, do := range work {
		for _, parallel := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, answers in parallel: %v", name, parallel), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					transport := New(Options{Timeout: 30 * time.Second, Wrote: func() {}})
					over := transport.Wrap(answers(func(r *http.Request) (*http.Response, error) {
						pause := 50 * time.Millisecond
						if r.URL.Path == "/slow" {
							pause = slow
						}
						select {
						case <-time.After(pause):
						case <-r.Context().Done():
							return nil, r.Context().Err()
						}
						return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader("{}")), Header: http.Header{}}, nil
					}))
					ctx := FailFast(t.Context())
					if err := get(ctx, over, "https://c/api"); err != nil { // all other requests wait for the first answer
						t.Fatal(err)
					}
					transport.budget.charge(used)
					began := time.Now()
					var wait sync.WaitGroup
					if parallel {
						wait.Go(func() {
							for time.Since(began) < slow {
								if err := get(ctx, over, "https://c/api"); err != nil {
									t.Error(err)
									return
								}
							}
						})
					}
					err := do(transport, over, ctx)
					wait.Wait()
					var budget *WaitBudgetError
					if errors.As(err, &budget) == parallel || parallel && err != nil {
						t.Errorf("%v after %s", err, time.Since(began))
					}
				})
			})
		}
	}
}
