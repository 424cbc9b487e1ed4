package convert

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
)

var update = flag.Bool("update", false, "rewrite the table of the guide")

// TestDocumented checks that the guide contains the current table of mappings.
func TestDocumented(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("| argument | on the host cluster | mapping | difference, or why there is no equivalent |\n|---|---|---|---|\n")
	for _, m := range Mappings() {
		argument := "`" + strings.ReplaceAll(m.Resource, ", ", "`, `") + "`"
		if m.Argument != "" {
			argument += " " + quoted(m.Argument)
		}
		if m.Value != "" {
			argument += ": " + m.Value
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", argument, m.Becomes, m.Fidelity, m.Note)
	}
	documents.Table(t, "templates/guides/kubeadmiral.md", "mappings", b.String(), *update)
}

// quoted formats the name of an argument as code, and returns other text unchanged.
func quoted(argument string) string {
	if strings.Contains(argument, " ") {
		return argument
	}
	return "`" + argument + "`"
}
