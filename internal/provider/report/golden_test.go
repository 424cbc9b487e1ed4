package report

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares a text with the file of that name below testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("the text differs from %s (-want +got); `go test ./internal/provider/report -update` rewrites it:\n%s", file, diff)
	}
}

// TestPreview compares each case as a plan and as a comment on a pull request.
func TestPreview(t *testing.T) {
	all := cases()
	maps.Copy(all, handOverCases())
	maps.Copy(all, kindCases())
	for name, c := range all {
		t.Run(name, func(t *testing.T) {
			var diags diag.Diagnostics
			changes := Preview(&diags, c.preview, Plan{Strategy: c.strategy, Unfinished: c.unfinished, Refuse: c.refuse, Shown: true})
			if len(diags) > 1 {
				t.Fatalf("%d diagnostics", len(diags))
			}
			text := "planned_changes:\n" + changes + "\n"
			for _, d := range diags {
				text += "\n" + d.Severity().String() + ": " + d.Summary() + "\n\n" + d.Detail() + "\n"
				if lines := strings.Count(d.Detail(), "\n"); lines > plain.MaxLines+10 {
					t.Errorf("the warning has %d lines", lines)
				}
			}
			golden(t, name, text)
			if lines := strings.Count(changes, "\n"); lines > plain.MaxChanges {
				t.Errorf("the changes have %d lines", lines)
			}
			if name != "many-conflicts" { // it is large; TestMarkdownIsBounded checks it
				golden(t, name+".md", Markdown(c.preview, c.strategy, Additions{}))
			}
		})
	}
}
