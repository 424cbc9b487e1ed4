package compatibility

import (
	"slices"
	"strings"
	"testing"
)

// schemaOf parses the attributes of the resource fleet_x. A line with ", version " starts another block.
func schemaOf(t *testing.T, lines ...string) Schemas {
	t.Helper()
	text := "resource fleet_x, version 1"
	for _, line := range lines {
		if !strings.Contains(line, versionPrefix) {
			line = "  " + line
		}
		text += "\n" + line
	}
	out, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Every rule has changes that it reports and a similar change that is compatible.
func TestBreaks(t *testing.T) {
	t.Parallel()
	type lines = []string
	for name, c := range map[string]struct {
		before, after lines
		want          []string
	}{
		"a removed block":                {before: lines{"function f, version 0"}, want: lines{"function f was removed."}},
		"a new block":                    {after: lines{"function f, version 0", "result: string; computed"}},
		"a renamed attribute":            {before: lines{"a: string; optional"}, after: lines{"b: string; optional"}, want: lines{"resource fleet_x: a was removed."}},
		"a new optional argument":        {after: lines{"b: string; optional"}},
		"a removed nested attribute":     {before: lines{"a: object; optional", "a.b: string; optional"}, want: lines{"resource fleet_x: a was removed."}},
		"a removed field":                {before: lines{"a: object; optional", "a.b: string; computed"}, after: lines{"a: object; optional"}, want: lines{"resource fleet_x: a.b was removed."}},
		"another type":                   {before: lines{"a: string; optional"}, after: lines{"a: number; optional"}, want: lines{"resource fleet_x: a changed its type from string to number."}},
		"the same type":                  {before: lines{"a: list(string); optional"}, after: lines{"a: list(string); optional"}},
		"optional to required":           {before: lines{"a: string; optional"}, after: lines{"a: string; required"}, want: lines{"resource fleet_x: a became required."}},
		"required to optional":           {before: lines{"a: string; required"}, after: lines{"a: string; optional"}},
		"no longer an argument":          {before: lines{"a: string; optional; computed"}, after: lines{"a: string; computed"}, want: lines{"resource fleet_x: a can no longer be set."}},
		"now an argument":                {before: lines{"a: string; computed"}, after: lines{"a: string; optional; computed"}},
		"no longer computed":             {before: lines{"a: string; optional; computed"}, after: lines{"a: string; optional"}, want: lines{"resource fleet_x: a is no longer computed: references to it become null."}},
		"now computed":                   {before: lines{"a: string; optional"}, after: lines{"a: string; optional; computed"}},
		"computed to required":           {before: lines{"a: string; computed"}, after: lines{"a: string; required"}, want: lines{"resource fleet_x: a became required."}},
		"a new required argument":        {after: lines{"a: string; required"}, want: lines{"resource fleet_x: a is a new required argument."}},
		"a new required field":           {before: lines{"a: object; optional"}, after: lines{"a: object; optional", "a.b: string; required"}, want: lines{"resource fleet_x: a.b is a new required argument."}},
		"a required field of a new one":  {after: lines{"a: object; optional", "a.b: string; required"}},
		"a required field of a computed": {before: lines{"a: object; computed"}, after: lines{"a: object; optional; computed", "a.b: string; required"}},
		"now sensitive":                  {before: lines{"a: string; optional"}, after: lines{"a: string; optional; sensitive"}, want: lines{"resource fleet_x: a became sensitive: outputs with it need sensitive = true."}},
		"no longer sensitive":            {before: lines{"a: string; optional; sensitive"}, after: lines{"a: string; optional"}, want: lines{"resource fleet_x: a is no longer sensitive: plans and outputs show it."}},
		"still sensitive":                {before: lines{"a: string; required; sensitive"}, after: lines{"a: string; optional; sensitive"}},
		"now write-only":                 {before: lines{"a: string; optional"}, after: lines{"a: string; optional; write-only"}, want: lines{"resource fleet_x: a became write-only: references to it become null."}},
		"no longer write-only":           {before: lines{"a: string; optional; write-only"}, after: lines{"a: string; optional"}, want: lines{"resource fleet_x: a is no longer write-only: states contain it."}},
		"now replaces":                   {before: lines{"a: string; optional"}, after: lines{"a: string; optional; replaces"}, want: lines{"resource fleet_x: a replaces the resource when it changes."}},
		"now may replace":                {before: lines{"a: string; optional"}, after: lines{"a: string; optional; may replace"}, want: lines{"resource fleet_x: a can replace the resource when it changes."}},
		"now always replaces":            {before: lines{"a: string; optional; may replace"}, after: lines{"a: string; optional; replaces"}, want: lines{"resource fleet_x: a replaces the resource when it changes."}},
		"no longer always replaces":      {before: lines{"a: string; optional; replaces"}, after: lines{"a: string; optional; may replace"}},
		"no longer replaces":             {before: lines{"a: string; optional; replaces"}, after: lines{"a: string; optional"}},
		"a removed value":                {before: lines{"a: string; optional; one of A|B"}, after: lines{"a: string; optional; one of A"}, want: lines{`resource fleet_x: a no longer accepts "B".`}},
		"a new value":                    {before: lines{"a: string; optional; one of A"}, after: lines{"a: string; optional; one of A|B"}},
		"values limited":                 {before: lines{"a: string; optional"}, after: lines{"a: string; optional; one of A|B"}, want: lines{"resource fleet_x: a accepts only these values now: A, B."}},
		"values no longer limited":       {before: lines{"a: string; optional; one of A|B"}, after: lines{"a: string; optional"}},
		"a lower version": {
			before: lines{"resource fleet_y, version 2"}, after: lines{"resource fleet_y, version 1"},
			want: lines{"resource fleet_y has a lower version of the state's format: 1, and it was 2."},
		},
		"a higher version": {before: lines{"resource fleet_y, version 1"}, after: lines{"resource fleet_y, version 2"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, one := range Breaks(schemaOf(t, c.before...), schemaOf(t, c.after...)) {
				got = append(got, one.String())
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"resource fleet_x":                                  "line 1: no version",
		"  a: string":                                       "line 1: not an attribute",
		"resource fleet_x, version 0\n  a":                  "line 2: not an attribute",
		"resource fleet_x, version 0\n  a: string; wrong":   `line 2: unknown property "wrong"`,
		"resource fleet_x, version 0\n  a: string; one of ": "",
	} {
		if _, err := Parse(text); (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
}
