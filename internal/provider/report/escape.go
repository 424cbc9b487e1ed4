package report

import (
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// code shows a text in Markdown as it is. What comes from a cluster stands nowhere else: in a code span nothing is markup, no link, no
// mention, no reference and no HTML.
//
// A pipe would end the cell of a table even there, and how one is escaped behind a backslash differs from renderer to renderer. A text with
// one is therefore written as HTML with every character that could mean anything as a numeric reference.
func code(text string) string {
	switch {
	case text == "":
		return ""
	case strings.ContainsRune(text, '|'):
		return "<code>" + references(text) + "</code>"
	}
	fence := strings.Repeat("`", longestRun(text, '`')+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") || strings.HasPrefix(text, " ") && strings.HasSuffix(text, " ") {
		text = " " + text + " " // one space on each side is not shown
	}
	return fence + text + fence
}

func references(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == ' ', r == '.', r == '-', r == ',', r > 127:
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "&#%d;", r)
		}
	}
	return b.String()
}

func longestRun(text string, of rune) int {
	longest, run := 0, 0
	for _, r := range text {
		if r == of {
			run++
			longest = max(longest, run)
			continue
		}
		run = 0
	}
	return longest
}

// maxCell is how many texts stand in a cell.
const maxCell = 5

// codes shows texts one after the other, the first of many.
func codes(texts []string) string {
	shown := make([]string, len(texts))
	for i, text := range texts {
		shown[i] = code(text)
	}
	return words.First(shown, maxCell)
}
