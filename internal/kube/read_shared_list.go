package kube

import (
	"bytes"
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

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
		if err == nil {
			err = reading.failed
		}
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
	held   kept
	failed error
}

func (s *sharedListing) restart() { s.items, s.bytes, s.large, s.held = nil, 0, false, kept{} }

func (s *sharedListing) add(page *rawPage) bool {
	for _, r := range page.Items {
		s.bytes += int64(len(r.text))
	}
	if s.large {
		return s.addWanted(page.Items)
	}
	s.items = append(s.items, page.Items...)
	if s.large = len(s.items) > maxSharedObjects || s.bytes > maxSharedBytes || s.few && page.Metadata.Continue != ""; !s.large {
		return true
	}
	items := s.items
	s.items = nil
	return s.addWanted(items) && !s.few
}

// addWanted adds what is wanted of a large list.
func (s *sharedListing) addWanted(items []rawObject) bool {
	wanted := s.wanted.selected(items)
	if s.failed = s.held.add(wanted); s.failed != nil {
		return false
	}
	for _, r := range wanted {
		r.text = bytes.Clone(r.text) // the page need not be kept for the few
		s.items = append(s.items, r)
	}
	return true
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
