package kube

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestMemoFetchesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memo, calls := newMemo[int](), 0
		var wait sync.WaitGroup
		for range 10 {
			wait.Go(func() {
				value, err := memo.get(t.Context(), func(context.Context) (int, error) {
					time.Sleep(time.Second)
					calls++
					return calls, nil
				})
				if err != nil || *value != 1 {
					t.Errorf("%v, %v", value, err)
				}
			})
		}
		wait.Wait()
		if calls != 1 || *memo.peek() != 1 {
			t.Errorf("%d calls", calls)
		}
	})
}

func TestMemoKeepsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		memo := newMemo[int]()
		hang := func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, ctx.Err() }
		first, cancelFirst := context.WithTimeout(t.Context(), time.Second)
		defer cancelFirst()
		second, cancelSecond := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancelSecond()
		brief, cancelBrief := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancelBrief()

		var wait sync.WaitGroup
		wait.Go(func() {
			if _, err := memo.get(first, hang); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		})
		synctest.Wait()
		wait.Go(func() { // waits for the first, then fetches
			if value, err := memo.get(second, func(context.Context) (int, error) { return 7, nil }); err != nil || *value != 7 {
				t.Errorf("%v, %v", value, err)
			}
		})
		wait.Go(func() { // waits only as long as its own context allows
			if _, err := memo.get(brief, hang); !errors.Is(err, context.DeadlineExceeded) || first.Err() != nil {
				t.Errorf("%v; the first one ended: %v", err, first.Err())
			}
		})
		wait.Wait()
	})
}

func TestMemoIsRenewed(t *testing.T) {
	memo, next := newMemo[int](), 0
	fetch := func(context.Context) (int, error) { next++; return next, nil }
	first, _ := memo.get(t.Context(), fetch)
	second, _ := memo.getNewer(t.Context(), first, fetch)
	if *second != 2 {
		t.Error(*second)
	}
	if third, _ := memo.getNewer(t.Context(), first, fetch); third != second {
		t.Error("a value that had been renewed was fetched again")
	}
	if kept, err := memo.getNewer(t.Context(), second, func(context.Context) (int, error) { return 0, errors.New("no") }); err == nil || kept != nil || memo.peek() != second {
		t.Error("a failure did not keep the old value")
	}
	memo.reset()
	if memo.peek() != nil {
		t.Error("reset kept the value")
	}
	_, _ = memo.get(t.Context(), func(context.Context) (int, error) { memo.reset(); return 5, nil })
	if memo.peek() != nil {
		t.Error("a value fetched before a reset was stored after it")
	}
}

func TestMemoTakesAnOffer(t *testing.T) {
	memo := newMemo[int]()
	for _, value := range []int{1, 2} {
		memo.setIfEmpty(value)
	}
	value, err := memo.get(t.Context(), func(context.Context) (int, error) { return 3, nil })
	if err != nil || *value != 1 {
		t.Errorf("%v, %v; want the first value", value, err)
	}
}
