package plain

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
)

const maxValue = 100

// Fields returns a line for each of the first fields, and the number of the others.
func Fields(fields []model.Field) []string {
	var out []string
	for _, field := range fields[:min(len(fields), model.MaxFields)] {
		out = append(out, Field(field))
	}
	if more := len(fields) - model.MaxFields; more > 0 {
		out = append(out, "and "+words.Count(more, "more field"))
	}
	return out
}

// Field returns a field in one line: from the current value to the desired one. It names who set the current value, unless the placement did.
func Field(f model.Field) string {
	text := f.Name + ": " + formatValue(f.Current) + " -> " + formatValue(f.Desired)
	if f.IsRedacted() {
		text = f.Name + ": another value " + diff.Redacted
	}
	if f.SetBy != "" && !f.Own {
		text += " (current value set by " + f.SetBy + ")"
	}
	if f.Immutable {
		text += "; the field is immutable"
	}
	return text
}

func formatValue(v model.Value) string {
	if v.Absent != "" {
		return v.Absent
	}
	return printable.Cut(v.Text, maxValue)
}
