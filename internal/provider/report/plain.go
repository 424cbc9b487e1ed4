package report

import "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"

// plain makes a text that came from a cluster fit to stand in a line of ours. It is cut after limit characters.
func plain(text string, limit int) string { return printable.Cut(text, limit) }

// How many characters of a text are shown.
const (
	maxName    = 253
	maxValue   = 100
	maxMessage = 400
)
