package kube

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/transport"
)

const (
	// pageSize is the number of objects per page. One page can contain all members of a large fleet. A page that is too large for an answer is
	// requested again with a tenth of the objects.
	pageSize = 1000
	// maxPages and maxListBytes limit a whole list. maxEmptyPages is the maximum number of consecutive empty pages.
	maxPages      = 2000
	maxEmptyPages = 3
	maxListBytes  = 512 << 20
	// maxListMemory is the maximum memory for the objects of a list, in bytes. In this estimate, each JSON value takes valueBytes in addition to its text.
	maxListMemory = 96 << 20
	valueBytes    = 48
)

type pageGuard struct {
	limit               int
	pages, empty, bytes int
}

func (l *pageGuard) check(page *rawPage, asked string, size int) error {
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
		return &listError{"the list never ends: its pages make no progress"}
	case l.pages >= maxPages:
		return &listError{fmt.Sprintf("the list has more than %d pages", l.pages)}
	case l.bytes > maxListBytes:
		return &listError{fmt.Sprintf("the list has more than %d MiB", maxListBytes>>20)}
	}
	return nil
}

// reduceLimit reduces the limit if err is about a page that is too large, and reports whether it did.
func (l *pageGuard) reduceLimit(err error) bool {
	var large *transport.TooLargeError
	if !errors.As(err, &large) || l.limit <= 1 {
		return false
	}
	l.limit = max(1, l.limit/10)
	return true
}

type keptSize struct{ bytes int }

func (k *keptSize) add(raw []rawObject) error {
	for _, r := range raw {
		values := bytes.Count(r.text, []byte{','}) + bytes.Count(r.text, []byte{'{'}) + bytes.Count(r.text, []byte{'['})
		k.bytes += len(r.text) + valueBytes*values
	}
	if k.bytes > maxListMemory {
		return &listError{fmt.Sprintf("the objects of the list take more than %d MiB of memory", maxListMemory>>20)}
	}
	return nil
}
