package published

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// The guide shows the results of all engines, which the acceptance tests of each engine have written.
func TestResults(t *testing.T) {
	t.Parallel()
	results := map[string]map[string]string{}
	for _, engine := range engines {
		results[engine] = read(t, engine)
	}
	var b strings.Builder
	b.WriteString("| example | `" + strings.Join(engines, "` | `") + "` |\n|" + strings.Repeat("---|", 1+len(engines)) + "\n")
	for _, e := range examples {
		for _, s := range e.steps {
			b.WriteString("| " + s.name + " ")
			for _, engine := range engines {
				if results[engine][s.name] == "" {
					t.Fatalf("%s has no result of %q", engine, s.name)
				}
				b.WriteString("| " + results[engine][s.name] + " ")
			}
			b.WriteString("|\n")
		}
	}
	documents.Table(t, "templates/guides/limits.md", "published", b.String(), *harness.Update)
}
