package report

import (
	"regexp"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/markdown"
)

// TestMarkdownIsBounded checks that a comment has the most important rows, and the number of the others.
func TestMarkdownIsBounded(t *testing.T) {
	text := Markdown(many(), strategy(placement.TakeOverNever), Additions{})
	if len(text) > markdown.MaxSize {
		t.Errorf("%d bytes", len(text))
	}
	for _, want := range []string{
		"1000 conflicts on `member-1` not taken over", "more rows left out", "| `Secret web/password` | `member-2` | **deleted** |",
		"| 1000 not taken over |", "> Objects that are not taken over",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("missing %q", want)
		}
	}
	if opened, closed := strings.Count(text, "<details>"), strings.Count(text, "</details>"); opened != closed || opened == 0 {
		t.Errorf("%d parts are opened and %d closed", opened, closed)
	}
}

var (
	// codeElement is how a text with a pipe is written; nothing in it is markup.
	codeElement = regexp.MustCompile(`<code>([a-zA-Z0-9 .,\-]|&#\d+;|[^\x00-\x7f])*</code>`)
	fence       = regexp.MustCompile("`+")
)

// outsideCode removes the code spans from Markdown, by the rule of CommonMark: a run of backticks ends at the next run of the same length.
func outsideCode(text string) string {
	text = codeElement.ReplaceAllString(text, "")
	for {
		open := fence.FindStringIndex(text)
		if open == nil {
			return text
		}
		length, end := open[1]-open[0], -1
		for _, run := range fence.FindAllStringIndex(text[open[1]:], -1) {
			if run[1]-run[0] == length {
				end = open[1] + run[1]
				break
			}
		}
		if end < 0 {
			return text
		}
		text = text[:open[0]] + text[end:]
	}
}

// No text from a cluster is markup: not the name of an owner, a value, a message, an error or the path of a field.
func TestMarkdownKeepsWhatIsForeignInCode(t *testing.T) {
	report := Markdown(hostile(), strategy(placement.TakeOverAlways), Additions{})
	if !strings.Contains(report, "evil.example") {
		t.Fatal("the report does not have what it is to be tested with")
	}
	for _, line := range strings.Split(report, "\n") {
		if plain := outsideCode(line); regexp.MustCompile("evil|admins|script|Approved|\x1b|\u202e").MatchString(plain) {
			t.Errorf("outside of code: %s\nin the line: %s", plain, line)
		}
		cells := strings.Count(regexp.MustCompile(`\\.`).ReplaceAllString(line, ""), "|")
		if strings.HasPrefix(line, "| `Deployment") && cells != 6 && cells != 7 {
			t.Errorf("%d cells in %s", cells, line)
		}
	}
}

// FuzzMarkdown checks that a text from a cluster stays in one code span of one line and cell.
func FuzzMarkdown(f *testing.F) {
	for _, text := range []string{"a", "`", "``a`", "a|`b", "\\", "\\`", "\\|", "</code>", "<code>", "&#124;", "\n", "ä`|"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, shown, _ := strings.Cut(NoMarkdown("web", text), "\n\n")
		shown = strings.TrimSuffix(shown, "\n")
		if rest := outsideCode(shown); rest != "" {
			t.Errorf("%q is shown as %q, with %q outside of code", text, shown, rest)
		}
		if strings.ContainsAny(shown, "|\n\r") {
			t.Errorf("%q is shown as %q", text, shown)
		}
	})
}

// TestMarkdownRename checks that a report names the former name of a placement, as the plan does.
func TestMarkdownRename(t *testing.T) {
	c := cases()["renamed"]
	if got, want := Markdown(c.preview, c.strategy, Additions{}), (Plan{}).report(c.preview).Renaming; want == "" || !strings.Contains(got, want) {
		t.Errorf("the report lacks %q:\n%s", want, got)
	}
}
