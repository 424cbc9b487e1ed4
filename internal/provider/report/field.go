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

// sentence tells a difference in one line.
func sentence(d diff.Difference) string {
	var b strings.Builder
	b.WriteString(field(d) + ": ")
	by := author(d)
	switch {
	case d.HasHub && d.HasMember && d.InHub == diff.Redacted && d.InMember == diff.Redacted:
		b.WriteString("another value " + diff.Redacted)
		if by != "" {
			b.WriteString(", written by " + by)
		}
		return b.String()
	case by != "":
		by = " (written by " + by + ")"
	}
	b.WriteString(value(d.InMember, d.HasMember, maxValue) + " on the cluster" + by + ", ")
	b.WriteString(value(d.InHub, d.HasHub, maxValue) + " to be placed")
	if d.Immutable {
		b.WriteString("; the field is immutable")
	}
	return b.String()
}
