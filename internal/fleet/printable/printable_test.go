package printable

import (
	"testing"
	"unicode"
)

func TestCut(t *testing.T) {
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"", 3, ""}, {"grün", 4, "grün"}, {"grüner", 4, "grün…"}, {"a\nb\r\tc", -1, "a b  c"},
		{"\x1b]0;title\a", -1, `\u001b]0;title\u0007`}, {"right\u202eleft", -1, `right\u202eleft`}, {"\u009b2J", -1, `\u009b2J`},
		{"\xff", -1, "\ufffd"}, {"a\U000e0001", -1, `a\udb40\udc01`},
	} {
		if got := Cut(c.text, c.limit); got != c.want {
			t.Errorf("%q: %q instead of %q", c.text, got, c.want)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add("an object\x1b[2J")
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range Line(text) {
			if !unicode.IsPrint(r) {
				t.Fatalf("%q has %U left", Line(text), r)
			}
		}
	})
}
