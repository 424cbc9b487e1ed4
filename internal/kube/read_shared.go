package kube

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/sync/singleflight"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/transport"
)

const (
	// These are the maximum numbers of objects and of bytes of JSON in a cached list. The namespaces of a placement have hundreds of objects.
	// For ten thousand objects, the memory would cost more than the saved requests.
	maxSharedObjects = 1000
	maxSharedBytes   = 2 << 20
	// sharedBudget is the maximum size of the caches of all clusters of a Limiter, in bytes of JSON and overhead.
	sharedBudget = 64 << 20
	// sharedOverhead is the approximate memory of an object or an answer in addition to its JSON.
	sharedOverhead = 256
)

type shareKey struct{}

type sharing int

const (
	// readsUnshared are sent to the server, and their answers are not cached.
	readsUnshared sharing = iota
	// readsShared may be answered from the cache.
	readsShared
	// readsPublished are sent to the server, and their answers are cached for shared reads.
	readsPublished
)

// FailFast returns a context for reads in which one slow cluster must not delay the others. When the wait budget of the cluster is used up,
// such reads fail immediately; see [transport.FailFast]. The contexts of ShareReads and PublishReads include this.
func FailFast(ctx context.Context) context.Context { return transport.FailFast(ctx) }

// ShareReads returns a context whose reads (Get, List, GetMany) may use the answers of earlier shared reads of the same cluster, up to the
// age of Options.ShareFor. Equal reads at the same time send only one request. ShareReads is for a plan, where many resources read the same
// objects within seconds. Every caller gets its own copy of an object and may change it.
//
// Each write of this process to a cluster, except dry runs, drops the cached answers of that cluster. Reads in other contexts are always sent
// to the server, because a write must be based on the current state.
func ShareReads(ctx context.Context) context.Context {
	return context.WithValue(FailFast(ctx), shareKey{}, readsShared)
}

// PublishReads returns a context whose reads are sent to the server, and whose answers are cached for shared reads. It is for a refresh, which needs the
// current state. The plan after the refresh reads the same objects.
func PublishReads(ctx context.Context) context.Context {
	return context.WithValue(FailFast(ctx), shareKey{}, readsPublished)
}

// ReadUnshared returns a context whose reads are sent to the server, even if those of ctx are shared.
func ReadUnshared(ctx context.Context) context.Context {
	return context.WithValue(ctx, shareKey{}, readsUnshared)
}

func sharingOf(ctx context.Context) sharing {
	how, _ := ctx.Value(shareKey{}).(sharing)
	return how
}

// readKey identifies the read of an object, or of a list if Name is empty.
type readKey struct {
	Ref
	selector string
}

func (k readKey) text() string {
	return fmt.Sprintf("%q", []string{k.GVK.Group, k.GVK.Version, k.GVK.Kind, k.Namespace, k.Name, k.selector})
}

// An answer is immutable once it is cached.
type answer struct {
	items  []rawObject
	byName map[string]int // indices of items; only for complete lists with unique names
	// decoded replaces items for a list with a selector. All callers need all objects of this list, and copies of decoded objects share their strings, which
	// saves memory.
	decoded []*unstructured.Unstructured
	missing error // the error for an object that does not exist
	// large means that the list is too large for the cache. items is then empty.
	large bool
	// isAbandoned means that the context of the request ended, so the failure does not count for other callers.
	isAbandoned bool

	bytes int64
	asked time.Time
}

type sharedReads struct {
	shareFor time.Duration
	budget   *semaphore.Weighted

	mu sync.Mutex
	// reading is replaced at each write, so that an answer from before the write is neither cached nor shared after it.
	reading *singleflight.Group
	answers map[readKey]*answer
	names   map[groupKey]map[string]bool // the names that countSingly has counted
	purging bool
}

func newSharedReads(shareFor time.Duration, budget *semaphore.Weighted) *sharedReads {
	s := &sharedReads{shareFor: shareFor, budget: budget, answers: map[readKey]*answer{}}
	s.dropAll()
	return s
}

// read returns a cached answer, waits for an equal read in flight, or calls fetch. With a context of PublishReads, it drops the cached answer first. Callers
// that wait for a failing read share its error. However, if that read fails because its own context ended, one of the waiting callers fetches again.
func (s *sharedReads) read(ctx context.Context, key readKey, fetch func() (*answer, error)) (*answer, error) {
	if sharingOf(ctx) == readsPublished {
		s.drop(key)
	}
	for {
		found, group := s.current(key)
		if found != nil {
			return found, nil
		}
		var isLeader atomic.Bool // this caller's fetch runs
		flight := group.DoChan(key.text(), func() (any, error) {
			isLeader.Store(true)
			return s.fetchForAll(ctx, group, key, fetch)
		})
		var result singleflight.Result
		select {
		case result = <-flight:
		case <-ctx.Done():
			if !isLeader.Load() {
				return nil, ctx.Err()
			}
			result = <-flight // the fetch ends with the context, and its error is more specific
		}
		got, _ := result.Val.(*answer)
		if isLeader.Load() || !got.isAbandoned {
			return got, result.Err
		}
	}
}

// fetchForAll fetches for all waiting callers. If fetch fails, the answer has only the field isAbandoned.
func (s *sharedReads) fetchForAll(ctx context.Context, group *singleflight.Group, key readKey, fetch func() (*answer, error)) (*answer, error) {
	if found := s.peek(key); found != nil { // another read has finished in the meantime
		return found, nil
	}
	asked := time.Now()
	got, err := fetch()
	if err != nil {
		return &answer{isAbandoned: ctx.Err() != nil}, err
	}
	got.asked = asked
	s.store(group, key, got)
	return got, nil
}

func (s *sharedReads) current(key readKey) (*answer, *singleflight.Group) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.unexpired(key), s.reading
}

func (s *sharedReads) peek(key readKey) *answer {
	found, _ := s.current(key)
	return found
}

func (s *sharedReads) unexpired(key readKey) *answer {
	if found := s.answers[key]; found != nil && time.Since(found.asked) < s.shareFor {
		return found
	}
	return nil
}

func (s *sharedReads) store(group *singleflight.Group, key readKey, a *answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reading != group {
		return
	}
	a.bytes += sharedOverhead * int64(len(a.items)+len(a.decoded)+1)
	s.release(key)
	if !s.budget.TryAcquire(a.bytes) {
		return
	}
	s.answers[key] = a
	if !s.purging {
		s.purging = true
		time.AfterFunc(s.shareFor, s.purge)
	}
}

func (s *sharedReads) drop(key readKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release(key)
}

// The caller of release holds s.mu.
func (s *sharedReads) release(key readKey) {
	if old := s.answers[key]; old != nil {
		s.budget.Release(old.bytes)
		delete(s.answers, key)
	}
}

// purge drops expired answers, so that a cluster without further reads uses no memory.
func (s *sharedReads) purge() {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.answers, func(_ readKey, a *answer) bool {
		isExpired := time.Since(a.asked) >= s.shareFor
		if isExpired {
			s.budget.Release(a.bytes)
		}
		return isExpired
	})
	if s.purging = len(s.answers) > 0; s.purging {
		time.AfterFunc(s.shareFor, s.purge)
		return
	}
	s.names = map[groupKey]map[string]bool{}
}

// dropAll drops all answers. It is called before a write and again after it, because a read between the two calls may have read either state.
func (s *sharedReads) dropAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.answers {
		s.budget.Release(a.bytes)
	}
	s.reading = &singleflight.Group{}
	s.answers, s.names = map[readKey]*answer{}, map[groupKey]map[string]bool{}
}

// countSingly reports whether the objects are read by GET. It counts the objects of all callers: for ten callers with two objects each, one LIST is cheaper.
// If the list is cached, it returns false. If an earlier read found that the list is too large for the cache, it returns true for up to listAbove objects.
func (s *sharedReads) countSingly(key groupKey, refs []Ref) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.unexpired(readKey{Ref: Ref{GVK: key.gvk, Namespace: key.namespace}})
	switch {
	case len(refs) > listAbove:
		return false
	case list != nil:
		return list.large
	}
	names := s.names[key]
	if names == nil {
		names = map[string]bool{}
		s.names[key] = names
	}
	for _, ref := range refs {
		names[ref.Name] = true
	}
	return len(names) <= listAbove
}

// listAbove is the number of objects of one kind and namespace above which one LIST replaces the GETs.
const listAbove = 3

type groupKey struct {
	gvk       schema.GroupVersionKind
	namespace string
}
