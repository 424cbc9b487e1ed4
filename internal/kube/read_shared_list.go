package kube

import (
	"bytes"
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// sharedList lists the selected objects, from a cached list if there is one. large reports that the list is too large for the cache, so that
// every caller must read it. With stopIfLarge, sharedList stops reading a large list and returns no objects.
func (c *Cluster) sharedList(
	ctx context.Context, l lister, key readKey, stopIfLarge bool, filter listFilter,
) (objects []*unstructured.Unstructured, large bool, err error) {
	var selected []rawObject // selected objects of a large list
	isLeader := false
	got, err := c.shared.read(ctx, key, func() (*answer, error) {
		isLeader = true
		reading := &sharedListing{filter: filter, stopIfLarge: stopIfLarge, hasUniqueNames: l.hasUniqueNames}
		err := l.pages(ctx, reading.restart, reading.add)
		selected = reading.items
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
		objects, err = filter.pick(got.items)
		return objects, false, err
	case stopIfLarge:
		return nil, true, nil
	case isLeader:
		objects, err = filter.decode(selected)
		return objects, true, err
	default:
		objects, err = l.list(ctx, filter)
		return objects, true, err
	}
}

// sharedListing collects the pages of a list. It keeps all objects of a small list, which is cached, and only the selected objects of a large
// list.
type sharedListing struct {
	filter         listFilter
	stopIfLarge    bool
	hasUniqueNames bool
	items          []rawObject
	bytes          int64
	large          bool
	size           keptSize
	failed         error
}

func (s *sharedListing) restart() { s.items, s.bytes, s.large, s.size = nil, 0, false, keptSize{} }

func (s *sharedListing) add(page *rawPage) bool {
	for _, r := range page.Items {
		s.bytes += int64(len(r.text))
	}
	if s.large {
		return s.addSelected(page.Items)
	}
	s.items = append(s.items, page.Items...)
	if s.large = len(s.items) > maxSharedObjects || s.bytes > maxSharedBytes || s.stopIfLarge && page.Metadata.Continue != ""; !s.large {
		return true
	}
	items := s.items
	s.items = nil
	return s.addSelected(items) && !s.stopIfLarge
}

func (s *sharedListing) addSelected(items []rawObject) bool {
	selected := s.filter.selectFrom(items)
	if s.failed = s.size.add(selected); s.failed != nil {
		return false
	}
	for _, r := range selected {
		r.text = bytes.Clone(r.text) // so that the page can be garbage-collected
		s.items = append(s.items, r)
	}
	return true
}

func (s *sharedListing) answer(decoded bool) (*answer, error) {
	if s.large {
		return &answer{large: true}, nil
	}
	if decoded {
		objects, err := listFilter{}.pick(s.items)
		return &answer{decoded: objects, bytes: s.bytes}, err
	}
	out := &answer{items: s.items, bytes: s.bytes}
	if s.hasUniqueNames {
		out.byName = make(map[string]int, len(s.items))
		for i, r := range s.items {
			out.byName[r.name] = i
		}
	}
	return out, nil
}
