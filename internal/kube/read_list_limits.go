package kube

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/transport"
)

const (
	// pageSize is the number of objects asked for in one request of a list: all members of a large fleet are in one. A page that is larger
	// than an answer may be is asked for again with a tenth of it.
	pageSize = 1000
	// maxPages and maxListBytes bound a list over all its pages, maxEmptyPages how many of them in a row may hold nothing.
	maxPages      = 2000
	maxEmptyPages = 3
	maxListBytes  = 512 << 20
	// maxKept bounds what is kept of a list, as memory is taken for it: valueBytes for every value besides its text, roughly.
	maxKept    = 96 << 20
	valueBytes = 48
)

// listError is a list that was given up because of what the server makes of it.
type listError struct{ text string }

func (e *listError) Error() string { return e.text }

// listing watches over the pages of one list.
type listing struct {
	limit               int
	pages, empty, bytes int
}

// check returns an error once a list goes on without getting anywhere, or for too long.
func (l *listing) check(page *rawPage, asked string, size int) error {
	l.pages++
	l.empty++
	if len(page.Items) > 0 {
		l.empty = 0
	}
	l.bytes += size
	next := page.Metadata.Continue
	switch {
	case next == "":
		return nil
	case next == asked, l.empty > maxEmptyPages:
		return &listError{"the list goes on for ever: its pages get nowhere"}
	case l.pages >= maxPages:
		return &listError{fmt.Sprintf("the list goes on after %d pages", l.pages)}
	case l.bytes > maxListBytes:
		return &listError{fmt.Sprintf("the list has more than %d MiB", maxListBytes>>20)}
	}
	return nil
}

// smaller reports whether a page that is too large can be asked for in smaller ones.
func (l *listing) smaller(err error) bool {
	var large *transport.TooLargeError
	if !errors.As(err, &large) || l.limit <= 1 {
		return false
	}
	l.limit = max(1, l.limit/10)
	return true
}

// kept adds up what is kept of a list.
type kept struct{ bytes int }

func (k *kept) add(raw []rawObject) error {
	for _, r := range raw {
		values := bytes.Count(r.text, []byte{','}) + bytes.Count(r.text, []byte{'{'}) + bytes.Count(r.text, []byte{'['})
		k.bytes += len(r.text) + valueBytes*values
	}
	if k.bytes > maxKept {
		return &listError{fmt.Sprintf("the objects of the list take more than %d MiB of memory", maxKept>>20)}
	}
	return nil
}
