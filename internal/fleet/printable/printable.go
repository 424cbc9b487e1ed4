// Package printable makes texts that came from a cluster fit to be shown: names, messages and values are other people's, and a line break or
// a control sequence in them must not pass for something that the provider says.
package printable

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Line is a text without line breaks, which become spaces, and with every other character that cannot be printed written as its number.
func Line(text string) string { return Cut(text, -1) }

// Cut is the same, cut after limit characters; a negative limit is none.
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
			for _, unit := range utf16.Encode([]rune{r}) { // as JSON writes it
				fmt.Fprintf(&b, "\\u%04x", unit)
			}
		}
	}
	return b.String()
}
