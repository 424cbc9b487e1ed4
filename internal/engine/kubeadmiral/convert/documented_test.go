package convert

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
)

var update = flag.Bool("update", false, "write the table of the guide anew")

// The guide has the table as it is here.
func TestDocumented(t *testing.T) {
	t.Parallel()
	root, err := gobuild.Root()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root, "templates", "guides", "kubeadmiral.md")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| argument | on the host | | what differs, or why there is none |\n|---|---|---|---|\n")
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
	const begin, end = "<!-- mappings -->\n", "<!-- /mappings -->"
	before, rest, found := strings.Cut(string(text), begin)
	was, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatal("the guide has no place for the table")
	}
	if was == b.String() {
		return
	}
	if !*update {
		t.Fatalf("the guide has another table; go test ./internal/engine/kubeadmiral/convert -update writes it. It is to be:\n%s", b.String())
	}
	if err := os.WriteFile(file, []byte(before+begin+b.String()+end+after), 0o600); err != nil {
		t.Fatal(err)
	}
}

// quoted is the name of an argument in code, or a few words as they are.
func quoted(argument string) string {
	if strings.Contains(argument, " ") {
		return argument
	}
	return "`" + argument + "`"
}
