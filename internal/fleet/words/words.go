// Package words writes numbers and lists of names in sentences.
package words

import (
	"fmt"
	"strings"
)

// Count returns a number with its noun: "1 object", "2 objects".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// List joins names as in a sentence: "a, b and c". If the number of names exceeds few, it returns the first two and the number of the others.
func List(names []string, few int) string {
	switch n := len(names); {
	case n > few:
		return First(names, 2)
	case n > 1:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	default:
		return strings.Join(names, "")
	}
}

// First joins the first names with commas, up to the number most, and adds the number of the others: "a, b, c and 4 more".
func First(names []string, most int) string {
	if more := len(names) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), more)
	}
	return strings.Join(names, ", ")
}
