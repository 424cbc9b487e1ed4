package compatibility

import (
	"fmt"
	"testing"
)

func TestVersions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"# Changelog\n\n## 0.2.0 (Unreleased)\n\nnew\n\n## 0.1.0 (2026-12-01)\n\nold\n": `[{0.2.0 false "\n\nnew\n\n"} {0.1.0 true "\n\nold\n"}]`,
		"# Changelog\n\n## 0.1.0 (2026-12-01)\n":                                        `[{0.1.0 true "\n"}]`,
		"# Changelog\n\n## 0.1.0 (2026-12-01)\n\n## 0.0.9 (Unreleased)\n":               "version 0.0.9 is unreleased, and version 0.1.0 is newer",
		"# Changelog\n\n## Unreleased\n\n## 0.1.0 (2026-12-01)\n":                       `a heading of the CHANGELOG is not "## X.Y.Z (YYYY-MM-DD)" or "## X.Y.Z (Unreleased)"`,
		"# Changelog\n": `a heading of the CHANGELOG is not "## X.Y.Z (YYYY-MM-DD)" or "## X.Y.Z (Unreleased)"`,
	} {
		versions, err := Versions(text)
		got := fmt.Sprint(err)
		if err == nil {
			got = ""
			for i, v := range versions {
				if i > 0 {
					got += " "
				}
				got += fmt.Sprintf("{%s %t %q}", v.Name, v.Released, v.Notes)
			}
			got = "[" + got + "]"
		}
		if got != want {
			t.Errorf("%q:\ngot  %s\nwant %s", text, got, want)
		}
	}
}

func TestAllowsBreaks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		version, since string
		want           bool
	}{
		{"0.1.1", "0.1.0", false},
		{"0.2.0", "0.1.3", true},
		{"1.0.0", "0.9.0", true},
		{"1.1.0", "1.0.0", false},
		{"1.0.1", "1.0.0", false},
		{"2.0.0", "1.4.2", true},
	} {
		if got := allowsBreaks(c.version, c.since); got != c.want {
			t.Errorf("%s since %s: %t", c.version, c.since, got)
		}
	}
}
