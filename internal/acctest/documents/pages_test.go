package documents

import (
	"bytes"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// outputs are the languages of blocks that other tests compare with outputs; the language of most of them is empty.
var outputs = []string{"", "text", "markdown"}

// invalid returns why a block is invalid, and "" if it is valid. Package configurations runs terraform validate for the configurations.
func invalid(t *testing.T, b Block) string {
	t.Helper()
	switch b.Language {
	case "hcl", "terraform":
		if _, diags := hclsyntax.ParseConfig([]byte(b.Text), "block.tf", hcl.InitialPos); diags.HasErrors() {
			return diags.Error()
		}
		if !bytes.Equal(hclwrite.Format([]byte(b.Text)), []byte(b.Text)) {
			return "terraform fmt would change it"
		}
	case "yaml":
		if objects, err := manifest.Parse("block", b.Text); err != nil {
			return err.Error()
		} else if len(objects) == 0 {
			return "no object"
		}
	case "sh", "shell":
		check := exec.CommandContext(t.Context(), "sh", "-n")
		check.Stdin = strings.NewReader(b.Text)
		if out, err := check.CombinedOutput(); err != nil {
			return err.Error() + ": " + string(out)
		}
	default:
		if !slices.Contains(outputs, b.Language) {
			return "an unknown language"
		}
	}
	return ""
}

// TestBlocks checks the syntax of every fenced block: configurations and their format, Kubernetes objects, and commands.
func TestBlocks(t *testing.T) {
	t.Parallel()
	languages := map[string]int{}
	for _, page := range Pages(t) {
		for _, b := range Blocks(t, page) {
			languages[b.Language]++
			if reason := invalid(t, b); reason != "" {
				t.Errorf("%s:%d: %s block: %s\n%s", b.Page, b.Line, b.Language, reason, b.Text)
			}
		}
	}
	for _, language := range []string{"hcl", "terraform", "yaml", "sh"} {
		if languages[language] == 0 {
			t.Errorf("no block with %s", language)
		}
	}
}

// TestInvalidBlocks checks that TestBlocks reports invalid blocks of each language.
func TestInvalidBlocks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ language, text, want string }{
		{"hcl", "a = 1\n", ""},
		{"hcl", "a = \n", "Invalid expression"},
		{"terraform", "a   = 1\n", "terraform fmt would change it"},
		{"yaml", "{apiVersion: v1, kind: Namespace, metadata: {name: web}}\n", ""},
		{"yaml", "{apiVersion: v1, kind: Namespace}\n", "metadata is missing"},
		{"yaml", "a: [\n", "document 1"},
		{"yaml", "---\n", "no object"},
		{"sh", "for f in *; do ls \"$f\"; done\n", ""},
		{"sh", "for f in *; do ls\n", "exit status"},
		{"rust", "", "an unknown language"},
	} {
		got := invalid(t, Block{Language: c.language, Text: c.text})
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s %q: got %q, want %q", c.language, c.text, got, c.want)
		}
	}
}

// TestSplit checks the blocks of a page, and the text around them.
func TestSplit(t *testing.T) {
	t.Parallel()
	prose, blocks := split("a.md", "one\n```sh\nls\n~~~\n```\ntwo\n~~~\n```\n~~~\nthree\n")
	if prose != "one\ntwo\nthree\n" {
		t.Errorf("prose: %q", prose)
	}
	want := []Block{{Page: "a.md", Line: 3, Language: "sh", Text: "ls\n~~~\n"}, {Page: "a.md", Line: 8, Text: "```\n"}}
	if len(blocks) != 2 || blocks[0] != want[0] || blocks[1] != want[1] {
		t.Errorf("got %+v, want %+v", blocks, want)
	}
}

// TestExamplesAreShown checks that docs/ shows the examples of each type and function, so that the tests of blocks check them. TestExamples of package examples
// applies folders with a main.tf.
func TestExamplesAreShown(t *testing.T) {
	t.Parallel()
	shown := map[string]bool{}
	for _, page := range Pages(t) {
		for _, b := range Blocks(t, page) {
			shown[b.Text] = true
		}
	}
	root := filepath.Join(Root(t), "examples")
	files := 0
	for _, folder := range []string{"actions", "data-sources", "ephemeral-resources", "functions", "list-resources", "provider", "resources"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || entry.Name() == "main.tf" {
				return err
			}
			files++
			if !shown[Read(t, path)] {
				t.Errorf("docs/ does not show %s", path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files == 0 {
		t.Error("no examples")
	}
}
