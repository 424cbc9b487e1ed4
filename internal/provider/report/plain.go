package report

import (
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
)

// plain makes a text that came from a cluster fit to stand in a line of ours. It is cut after limit characters.
func plain(text string, limit int) string { return printable.Cut(text, limit) }

// How many characters of a text are shown.
const (
	maxName    = 253
	maxValue   = 100
	maxMessage = 400
)

// list joins names as in a sentence: all of a few, the first two of many.
func list(names []string, few int) string {
	switch n := len(names); {
	case n > few:
		return fmt.Sprintf("%s, %s and %d more", names[0], names[1], n-2)
	case n == 0:
		return ""
	case n == 1:
		return names[0]
	default:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
