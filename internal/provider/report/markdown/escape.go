package markdown

import (
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// code returns a text as a code span, in which nothing is markup: no link, mention, reference or HTML. Every text from a cluster is in a code span.
//
// A pipe ends the cell of a table even in a code span, and renderers differ in how they read a backslash before it. A text with a pipe is therefore
// written as HTML, with every special character as a numeric reference.
func code(text string) string {
	switch {
	case text == "":
		return ""
	case strings.ContainsRune(text, '|'):
		return "<code>" + escapeReferences(text) + "</code>"
	}
	fence := strings.Repeat("`", longestRun(text, '`')+1)
	if strings.HasPrefix(text, "`") || strings.HasSuffix(text, "`") || strings.HasPrefix(text, " ") && strings.HasSuffix(text, " ") {
		text = " " + text + " " // one space on each side is not shown
	}
	return fence + text + fence
}

func escapeReferences(text string) string {
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

const maxCell = 5

func codes(texts []string) string {
	shown := make([]string, len(texts))
	for i, text := range texts {
		shown[i] = code(text)
	}
	return words.First(shown, maxCell)
}
