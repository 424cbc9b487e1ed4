// Package printable prepares texts from a cluster for display. Names, messages and values come from third parties: a line break or control
// sequence in them must not look like output of the provider.
package printable

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Line returns a text with line breaks and tabs as spaces, and with every other character that is not printable as its code.
func Line(text string) string { return Cut(text, -1) }

// Cut is like [Line], but replaces the characters of the text after the first limit characters with an ellipsis. A negative limit means no limit.
func Cut(text string, limit int) string {
	var b strings.Builder
	count := 0
	for _, r := range text {
		if count == limit {
			return b.String() + "…"
		}
		count++
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			b.WriteByte(' ')
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			for _, unit := range utf16.Encode([]rune{r}) { // the notation of JSON
				fmt.Fprintf(&b, "\\u%04x", unit)
			}
		}
	}
	return b.String()
}
