package kube

import (
	"bytes"
	"context"
	"maps"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
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

// ShareReads returns a context whose reads (Get, List, GetMany) may be answered from what such reads of the same cluster have fetched up to
// Options.ShareFor ago; equal ones at the same time are one request. It is for a plan, where many resources look at the same objects within
// seconds. Every caller gets objects of its own, which it may change.
//
// Each write of this process to a cluster, dry runs aside, drops what was kept of that cluster. A read without such a context always goes
// to the server: what is about to be written must be decided on what is there.
func ShareReads(ctx context.Context) context.Context {
	return context.WithValue(ctx, shareKey{}, true)
}

func (c *Cluster) shares(ctx context.Context) bool {
	return c.shared.keepFor > 0 && ctx.Value(shareKey{}) != nil
}

// readKey is what a read asks for: an object, or a list if there is no name.
type readKey struct {
	Ref
	selector string
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

	bytes int64
	asked time.Time
}

// flight is a read under way that others wait for.
type flight struct {
	done chan struct{}
	// abandoned says that whoever made the request has given up: that is no answer to the others.
	abandoned bool
	answer    *answer
	err       error
}

// sharedReads keeps the answers of one cluster for a short time.
type sharedReads struct {
	keepFor time.Duration
	budget  *semaphore.Weighted

	mu      sync.Mutex
	epoch   int // counts writes, so that what was read before one is not kept after it
	kept    map[readKey]*answer
	flights map[readKey]*flight
	names   map[groupKey]map[string]bool // the objects asked for one by one
	purging bool
}

func newSharedReads(keepFor time.Duration, budget *semaphore.Weighted) *sharedReads {
	s := &sharedReads{keepFor: keepFor, budget: budget, kept: map[readKey]*answer{}}
	s.forget()
	return s
}

// read answers from what is kept, from a read that is under way, or by fetch. Failures are not kept; those who waited for one share it,
// unless it came of the other caller's giving up.
func (s *sharedReads) read(ctx context.Context, key readKey, fetch func() (*answer, error)) (*answer, error) {
	for {
		found, other, own, epoch := s.enter(key)
		switch {
		case found != nil:
			return found, nil
		case own != nil:
			defer s.leave(key, own, epoch)
			asked := time.Now()
			own.answer, own.err = fetch()
			own.abandoned = own.err != nil && ctx.Err() != nil
			if own.answer != nil {
				own.answer.asked = asked
			}
			return own.answer, own.err
		}
		select {
		case <-other.done:
			if !other.abandoned {
				return other.answer, other.err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// enter returns a kept answer, or the flight of another caller, or one of the caller's own.
func (s *sharedReads) enter(key readKey) (found *answer, other, own *flight, epoch int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found = s.fresh(key); found != nil {
		return found, nil, nil, 0
	}
	if other = s.flights[key]; other != nil {
		return nil, other, nil, 0
	}
	// Until it is told otherwise, a flight has been abandoned: its caller may panic.
	own = &flight{done: make(chan struct{}), abandoned: true}
	s.flights[key] = own
	return nil, nil, own, s.epoch
}

// leave ends the caller's own flight.
func (s *sharedReads) leave(key readKey, own *flight, epoch int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.flights[key] == own {
		delete(s.flights, key)
	}
	if own.err == nil && own.answer != nil && s.epoch == epoch {
		s.keep(key, own.answer)
	}
	close(own.done)
}

// peek returns a kept answer, or nil.
func (s *sharedReads) peek(key readKey) *answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fresh(key)
}

func (s *sharedReads) fresh(key readKey) *answer {
	if found := s.kept[key]; found != nil && time.Since(found.asked) < s.keepFor {
		return found
	}
	return nil
}

func (s *sharedReads) keep(key readKey, a *answer) {
	a.bytes += sharedOverhead * int64(len(a.items)+len(a.decoded)+1)
	if old := s.kept[key]; old != nil {
		s.budget.Release(old.bytes)
		delete(s.kept, key)
	}
	if !s.budget.TryAcquire(a.bytes) {
		return
	}
	s.kept[key] = a
	if !s.purging {
		s.purging = true
		time.AfterFunc(s.keepFor, s.purge)
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
	s.epoch++
	s.kept, s.flights, s.names = map[readKey]*answer{}, map[readKey]*flight{}, map[groupKey]map[string]bool{}
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

// sharedGet is Get from a kept list or a kept answer.
func (c *Cluster) sharedGet(ctx context.Context, clients *clients, ref Ref) (*unstructured.Unstructured, error) {
	mapping, err := c.resolve(ctx, clients, ref.GVK)
	if err != nil {
		return nil, err
	}
	if list := c.shared.peek(readKey{Ref: Ref{GVK: ref.GVK, Namespace: ref.Namespace}}); list != nil && list.byName != nil && ref.Name != "" {
		at, found := list.byName[ref.Name]
		if !found {
			return nil, apierrors.NewNotFound(schema.GroupResource{Group: mapping.GVR.Group, Resource: mapping.GVR.Resource}, ref.Name)
		}
		return list.items[at].decode()
	}
	got, err := c.shared.read(ctx, readKey{Ref: ref}, func() (*answer, error) {
		object, err := c.get(ctx, clients, ref)
		if IsNotFound(err) {
			return &answer{missing: err}, nil
		}
		if err != nil {
			return nil, err
		}
		text, err := object.MarshalJSON()
		return &answer{items: []rawObject{{text: text}}, bytes: int64(len(text))}, err
	})
	switch {
	case err != nil:
		return nil, err
	case got.missing != nil:
		return nil, got.missing
	default:
		return got.items[0].decode()
	}
}

// sharedList lists the wanted objects, from a kept list if there is one. A list of more than is kept is read by every
// caller for itself; with few set it is not read to its end, and the result says that it is large.
func (c *Cluster) sharedList(
	ctx context.Context, l lister, key readKey, few bool, wanted wish,
) (objects []*unstructured.Unstructured, large bool, err error) {
	var own []rawObject // what is wanted of a large list
	led := false
	got, err := c.shared.read(ctx, key, func() (*answer, error) {
		led = true
		reading := &sharedListing{wanted: wanted, few: few, unique: l.unique}
		err := l.pages(ctx, reading.restart, reading.add)
		own = reading.items
		if err != nil {
			return nil, err
		}
		return reading.answer(l.selector != "")
	})
	switch {
	case err != nil:
		return nil, false, err
	case got.decoded != nil:
		for _, object := range got.decoded {
			objects = append(objects, object.DeepCopy())
		}
		return objects, false, nil
	case !got.large:
		objects, err = wanted.pick(got.items)
		return objects, false, err
	case few:
		return nil, true, nil
	case led:
		objects, err = wanted.decode(own)
		return objects, true, err
	default:
		objects, err = l.list(ctx, wanted)
		return objects, true, err
	}
}

// sharedListing reads a list that is to be kept if it is small.
type sharedListing struct {
	wanted wish
	few    bool
	unique bool
	items  []rawObject
	bytes  int64
	large  bool
}

func (s *sharedListing) restart() { s.items, s.bytes, s.large = nil, 0, false }

func (s *sharedListing) add(page *rawPage) bool {
	for _, r := range page.Items {
		s.bytes += int64(len(r.text))
	}
	s.items = append(s.items, page.Items...)
	if s.large = s.large || len(s.items) > maxSharedObjects || s.bytes > maxSharedBytes || s.few && page.Metadata.Continue != ""; !s.large {
		return true
	}
	s.items = s.wanted.selected(s.items)
	for i := range s.items {
		s.items[i].text = bytes.Clone(s.items[i].text) // the page need not be kept for the few
	}
	return !s.few
}

func (s *sharedListing) answer(decoded bool) (*answer, error) {
	if s.large {
		return &answer{large: true}, nil
	}
	if decoded {
		objects, err := wish{}.pick(s.items)
		return &answer{decoded: objects, bytes: s.bytes}, err
	}
	out := &answer{items: s.items, bytes: s.bytes}
	if s.unique {
		out.byName = make(map[string]int, len(s.items))
		for i, r := range s.items {
			out.byName[r.name] = i
		}
	}
	return out, nil
}
