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

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/transport"
)

const (
	// A list is kept up to so many objects and bytes of JSON: a placement's namespaces hold hundreds of objects, and one that holds ten
	// thousand costs more memory than the requests that it saves are worth.
	maxSharedObjects = 1000
	maxSharedBytes   = 2 << 20
	// sharedBudget is what all clusters of a Limiter keep together, in bytes of JSON and of what goes with it.
	sharedBudget = 64 << 20
	// sharedOverhead is what an object or an answer takes besides its JSON, roughly.
	sharedOverhead = 256
)

type shareKey struct{}

// sharing is what the reads of a context have to do with what others have read.
type sharing int

const (
	// readsApart go to the server, and nobody else is given what they find.
	readsApart sharing = iota
	// readsShared may be answered from what others have found.
	readsShared
	// readsPublished go to the server, and others may be given what they find.
	readsPublished
)

// Look returns a context for reads of which one cluster may not hold up the others: once the cluster was waited for long enough in this
// process, they fail at once. ShareReads does the same.
func Look(ctx context.Context) context.Context { return transport.Hurry(ctx) }

// ShareReads returns a context whose reads (Get, List, GetMany) may be answered from what such reads of the same cluster have fetched up to
// Options.ShareFor ago; equal ones at the same time are one request. It is for a plan, where many resources look at the same objects within
// seconds. Every caller gets objects of its own, which it may change.
//
// Each write of this process to a cluster, dry runs aside, drops what was kept of that cluster. A read without such a context always goes
// to the server: what is about to be written must be decided on what is there.
func ShareReads(ctx context.Context) context.Context {
	return context.WithValue(Look(ctx), shareKey{}, readsShared)
}

// PublishReads returns a context whose reads go to the server, and of which reads that share are given the answers. It is for a refresh, which
// has to know how things are now, and which a plan of the same things comes right after.
func PublishReads(ctx context.Context) context.Context {
	return context.WithValue(Look(ctx), shareKey{}, readsPublished)
}

// ReadAnew returns a context whose reads go to the server, whatever those of the context may share.
func ReadAnew(ctx context.Context) context.Context {
	return context.WithValue(ctx, shareKey{}, readsApart)
}

func sharingOf(ctx context.Context) sharing {
	how, _ := ctx.Value(shareKey{}).(sharing)
	return how
}

func (c *Cluster) shares(ctx context.Context) bool {
	return c.shared.keepFor > 0 && sharingOf(ctx) != readsApart
}

// readKey is what a read asks for: an object, or a list if there is no name.
type readKey struct {
	Ref
	selector string
}

// text tells keys apart, as the key does.
func (k readKey) text() string {
	return fmt.Sprintf("%q", []string{k.GVK.Group, k.GVK.Version, k.GVK.Kind, k.Namespace, k.Name, k.selector})
}

// answer is what the server said to a read. It is not changed once it is kept.
type answer struct {
	items  []rawObject
	byName map[string]int // of the items, for lists whose names are unique and that leave none out
	// decoded takes the place of items for a list with a selector, whose readers all want all of it: a copy shares its texts.
	decoded []*unstructured.Unstructured
	// missing is the 404 of a GET.
	missing error
	// large is a list of more than is kept; items is empty then.
	large bool
	// abandoned says that whoever made the request has given up: that is no answer to the others.
	abandoned bool

	bytes int64
	asked time.Time
}

// sharedReads keeps the answers of one cluster for a short time.
type sharedReads struct {
	keepFor time.Duration
	budget  *semaphore.Weighted

	mu sync.Mutex
	// reading is another group after each write, so that what was read before one is neither kept nor shared after it.
	reading *singleflight.Group
	kept    map[readKey]*answer
	names   map[groupKey]map[string]bool // the objects asked for one by one
	purging bool
}

func newSharedReads(keepFor time.Duration, budget *semaphore.Weighted) *sharedReads {
	s := &sharedReads{keepFor: keepFor, budget: budget, kept: map[readKey]*answer{}}
	s.forget()
	return s
}

// read answers from what is kept, from a read that is under way, or by fetch. Failures are not kept; those who waited for one share it,
// unless it came of the other caller's giving up: then one of them reads instead.
func (s *sharedReads) read(ctx context.Context, key readKey, fetch func() (*answer, error)) (*answer, error) {
	if sharingOf(ctx) == readsPublished {
		s.drop(key)
	}
	for {
		found, group := s.current(key)
		if found != nil {
			return found, nil
		}
		var own atomic.Bool // it is our fetch that runs
		flight := group.DoChan(key.text(), func() (any, error) {
			own.Store(true)
			return s.lead(ctx, group, key, fetch)
		})
		var result singleflight.Result
		select {
		case result = <-flight:
		case <-ctx.Done():
			if !own.Load() {
				return nil, ctx.Err()
			}
			result = <-flight // it ends with the context, and its error tells more
		}
		got, _ := result.Val.(*answer)
		if own.Load() || !got.abandoned {
			return got, result.Err
		}
	}
}

// lead fetches for all who ask meanwhile. With an error the answer says only whether it is one for the others.
func (s *sharedReads) lead(ctx context.Context, group *singleflight.Group, key readKey, fetch func() (*answer, error)) (*answer, error) {
	if found := s.peek(key); found != nil { // another read has just ended
		return found, nil
	}
	asked := time.Now()
	got, err := fetch()
	if err != nil {
		return &answer{abandoned: ctx.Err() != nil}, err
	}
	got.asked = asked
	s.keep(group, key, got)
	return got, nil
}

// current returns a kept answer, or nil, and the reads that are under way.
func (s *sharedReads) current(key readKey) (*answer, *singleflight.Group) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fresh(key), s.reading
}

// peek returns a kept answer, or nil.
func (s *sharedReads) peek(key readKey) *answer {
	found, _ := s.current(key)
	return found
}

func (s *sharedReads) fresh(key readKey) *answer {
	if found := s.kept[key]; found != nil && time.Since(found.asked) < s.keepFor {
		return found
	}
	return nil
}

func (s *sharedReads) keep(group *singleflight.Group, key readKey, a *answer) {
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
	s.kept[key] = a
	if !s.purging {
		s.purging = true
		time.AfterFunc(s.keepFor, s.purge)
	}
}

// drop forgets one answer.
func (s *sharedReads) drop(key readKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release(key)
}

// release drops an answer, if it is kept; s.mu is to be locked.
func (s *sharedReads) release(key readKey) {
	if old := s.kept[key]; old != nil {
		s.budget.Release(old.bytes)
		delete(s.kept, key)
	}
}

// purge drops what is too old to be used, so that memory is not held by a cluster that is not asked again.
func (s *sharedReads) purge() {
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.kept, func(_ readKey, a *answer) bool {
		old := time.Since(a.asked) >= s.keepFor
		if old {
			s.budget.Release(a.bytes)
		}
		return old
	})
	if s.purging = len(s.kept) > 0; s.purging {
		time.AfterFunc(s.keepFor, s.purge)
		return
	}
	s.names = map[groupKey]map[string]bool{}
}

// forget drops everything, before a write is sent and once more when it has ended: a read between the two may have seen either.
func (s *sharedReads) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.kept {
		s.budget.Release(a.bytes)
	}
	s.reading = &singleflight.Group{}
	s.kept, s.names = map[readKey]*answer{}, map[groupKey]map[string]bool{}
}

// singly notes that objects are about to be asked for one by one, and reports whether that is few enough: ten callers with two objects
// each are better served with one LIST.
func (s *sharedReads) singly(key groupKey, refs []Ref) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := s.fresh(readKey{Ref: Ref{GVK: key.gvk, Namespace: key.namespace}})
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
