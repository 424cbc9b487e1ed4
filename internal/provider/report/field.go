package report

import (
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
)

// field names the field of a difference for people.
func field(d diff.Difference) string {
	if d.Field != "" {
		return plain(d.Field, maxName)
	}
	return plain(d.Path, maxName)
}

// value shows one side of a difference.
func value(v any, there bool, limit int) string {
	if !there {
		return "absent"
	}
	return plain(diff.Render(v), limit)
}

// author says who wrote the value on the cluster, empty if that is not known.
func author(d diff.Difference) string {
	if !d.HasMember {
		return ""
	}
	text := unbracketed(d.Manager.String())
	if d.Autoscaled() && !strings.HasSuffix(text, "an autoscaler") {
		text += ", an autoscaler"
	}
	return plain(text, maxName)
}

// unbracketed is a text that stands in brackets itself.
func unbracketed(text string) string { return strings.NewReplacer(" (", ", ", ")", "").Replace(text) }

// sentence is a difference in one line: from the value on the cluster to the placed one. It names who has set the value on the cluster, unless the manager did.
func sentence(d diff.Difference, manager string) string {
	text := field(d) + ": " + value(d.InMember, d.HasMember, maxValue) + " -> " + value(d.InHub, d.HasHub, maxValue)
	if d.HasHub && d.HasMember && d.InHub == diff.Redacted && d.InMember == diff.Redacted {
		text = field(d) + ": another value " + diff.Redacted
	}
	if by := author(d); by != "" && d.Manager.Name != manager {
		text += " (current value set by " + by + ")"
	}
	if d.Immutable {
		text += "; the field is immutable"
	}
	return text
}
