package model

import (
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Field is a field that differs.
type Field struct {
	Name string
	// Current is the value on the cluster, Desired the placed one.
	Current, Desired Value
	// SetBy is who set the current value, or "" if unknown. Own reports that the placement set it.
	SetBy     string
	Own       bool
	Immutable bool
}

// Value is one side of a field. Its text can be long, and can contain characters that are not printable.
type Value struct {
	Text string
	// Absent is what to show instead of a value that does not exist.
	Absent string
}

// IsRedacted reports whether both values are secret.
func (f Field) IsRedacted() bool {
	return f.Current.Absent == "" && f.Desired.Absent == "" && f.Current.Text == diff.Redacted && f.Desired.Text == diff.Redacted
}

// Fields converts differences. manager is the field manager of the placement's objects.
func Fields(differences []diff.Difference, manager string) []Field {
	out := make([]Field, len(differences))
	for i, d := range differences {
		out[i] = Field{
			Name: fieldName(d), Current: newValue(d.InMember, d.HasMember), Desired: newValue(d.InHub, d.HasHub), SetBy: describeManager(d), Own: d.Manager.Name == manager, Immutable: d.Immutable,
		}
	}
	return out
}

// objectFields returns the fields of an object that differ. For some drifted objects, only the differences in the hub's status are known.
func objectFields(o engine.ObjectPreview, manager string) []Field {
	if len(o.Differences) > 0 || o.Action != takeover.ActionLeaveDrifted && !o.RemainsDrifted() {
		return Fields(o.Differences, manager)
	}
	patched := func(text string) Value {
		if text == "" {
			return Value{Absent: "absent or empty"}
		}
		return Value{Text: text}
	}
	out := make([]Field, len(o.ObservedDrifts))
	for i, detail := range o.ObservedDrifts {
		out[i] = Field{Name: Name(detail.Path), Current: patched(detail.ValueInMember), Desired: patched(detail.ValueInHub)}
	}
	return out
}

func fieldName(d diff.Difference) string {
	if d.Field != "" {
		return Name(d.Field)
	}
	return Name(d.Path)
}

func newValue(v any, exists bool) Value {
	if !exists {
		return Value{Absent: "absent"}
	}
	return Value{Text: diff.Render(v)}
}

func describeManager(d diff.Difference) string {
	if !d.HasMember {
		return ""
	}
	text := Unbracketed(d.Manager.String())
	if d.Autoscaled() && !strings.HasSuffix(text, "an autoscaler") {
		text += ", an autoscaler"
	}
	return Name(text)
}

// Unbracketed removes brackets from a text that will be shown in brackets.
func Unbracketed(text string) string { return strings.NewReplacer(" (", ", ", ")", "").Replace(text) }
