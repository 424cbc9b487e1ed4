// Package documents compares the outputs in README, guides and READMEs of examples with Terraform's output. Its own tests check the links and the fenced blocks
// of all pages.
package documents

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
)

// block is a code block and the line before it, which may be a comment that names the output in the block.
var block = regexp.MustCompile("(?m)^(.*)\n((?:```|~~~)([a-z]*))\n((?s:.*?))\n(?:```|~~~)$")

var marker = regexp.MustCompile(`^<!-- output of ([a-z0-9 -]+) -->$`)

// sources are the languages of blocks that are not outputs.
var sources = []string{"hcl", "terraform", "sh", "yaml"}

// Show compares the outputs with those that the documents show under their names, or writes them there. It ignores outputs in the documents whose names
// mine rejects.
func Show(t *testing.T, outputs map[string]string, mine func(name string) bool, update bool) {
	t.Helper()
	shown := map[string]bool{}
	for _, path := range Paths(t) {
		text := Read(t, path)
		written := block.ReplaceAllStringFunc(text, func(found string) string {
			parts := block.FindStringSubmatch(found)
			before, fence, shows := parts[1], parts[2], parts[4]
			name := marker.FindStringSubmatch(before)
			if name == nil || !mine(name[1]) {
				return found
			}
			shown[name[1]] = true
			want, known := outputs[name[1]]
			if !known {
				t.Errorf("%s: no output is named %q", path, name[1])
				return found
			}
			if diff := cmp.Diff(shows, want); diff != "" && !update {
				t.Errorf("%s shows another output of %q (- shown, + printed); make documented-outputs writes it:\n%s", path, name[1], diff)
			}
			return before + "\n" + fence + "\n" + want + "\n" + fence[:3]
		})
		if update && written != text {
			if err := os.WriteFile(path, []byte(written), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name := range outputs {
		if !shown[name] {
			t.Errorf("no document shows the output of %q", name)
		}
	}
}

// Unmarked reports every block that is not a source and has no comment with the name of its output.
func Unmarked(t *testing.T) {
	t.Helper()
	for _, path := range Paths(t) {
		for _, parts := range block.FindAllStringSubmatch(Read(t, path), -1) {
			if !slices.Contains(sources, parts[3]) && !marker.MatchString(parts[1]) {
				t.Errorf("%s: a block that is not a source has no comment with the name of its output before it:\n%s", path, parts[4])
			}
		}
	}
}

// OnHub reports whether an output comes from the tests with a KubeFleet hub.
func OnHub(name string) bool { return strings.HasPrefix(name, "hub ") }

var color = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Warning returns the one warning that begins with the given text; see [Diagnostic].
func Warning(t *testing.T, out, begin string) string {
	t.Helper()
	return Diagnostic(t, out, "Warning: "+begin)
}

// Diagnostic returns the one warning or error that begins with the given text, such as "Error: Invalid value". It is wrapped as in a terminal, without colors,
// the frame and the paragraph that quotes the configuration.
func Diagnostic(t *testing.T, out, begin string) string {
	t.Helper()
	out = color.ReplaceAllString(out, "")
	var found []string
	for _, framed := range strings.Split(out, "╷\n")[1:] {
		framed, _, _ = strings.Cut(framed, "╵")
		var lines []string
		for line := range strings.Lines(framed) {
			lines = append(lines, strings.TrimRight(strings.TrimPrefix(strings.TrimPrefix(line, "│"), " "), " \n"))
		}
		if strings.HasPrefix(lines[0], begin) {
			found = append(found, strings.TrimSpace(strings.Join(lines, "\n")))
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d diagnostics begin with %q in:\n%s", len(found), begin, out)
	}
	paragraphs := strings.Split(found[0], "\n\n")
	return strings.Join(slices.DeleteFunc(paragraphs, func(paragraph string) bool {
		return strings.HasPrefix(paragraph, "  with ") || strings.HasPrefix(paragraph, "  on ")
	}), "\n\n")
}

// Attribute returns a string attribute of a resource as a plan shows it, without the indentation.
func Attribute(t *testing.T, out, address, name string) string {
	t.Helper()
	_, block, found := strings.Cut(color.ReplaceAllString(out, ""), "\n  # "+address+" ")
	block, _, closed := strings.Cut(block, "\n    }\n")
	var lines []string
	for _, line := range strings.Split(block, "\n") {
		if len(lines) == 0 && !strings.HasPrefix(strings.TrimLeft(line, " +~-"), name+" ") {
			continue
		}
		if len(lines) == 0 {
			line = regexp.MustCompile(` +=`).ReplaceAllString(line, " =")
		}
		lines = append(lines, line)
		if !strings.HasSuffix(lines[0], "<<-EOT") || strings.HasPrefix(strings.TrimSpace(line), "EOT") {
			break
		}
	}
	if !found || !closed || len(lines) == 0 {
		t.Fatalf("the plan shows no %s of %s:\n%s", name, address, out)
	}
	return dedent(lines)
}

// dedent removes the indentation of the first line from all lines, as far as they have it.
func dedent(lines []string) string {
	indentation := len(lines[0]) - len(strings.TrimLeft(lines[0], " "))
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = line[min(indentation, len(line)-len(strings.TrimLeft(line, " "))):]
	}
	return strings.Join(out, "\n")
}

// Paths returns the paths of the documents that can show outputs: README, the templates of docs/, and the READMEs of the examples.
func Paths(t *testing.T) []string {
	t.Helper()
	paths := []string{filepath.Join(Root(t), "README.md")}
	for _, pattern := range []string{
		"templates/*.tmpl", "templates/*/*.md", "templates/*/*.tmpl", "examples/README.md", "examples/*/README.md", "examples/*/*/README.md",
	} {
		more, err := filepath.Glob(filepath.Join(Root(t), filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, more...)
	}
	return paths
}

// Root returns the repository's root.
func Root(t *testing.T) string {
	t.Helper()
	dir, err := gobuild.Root()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Package returns the package of the running test as a pattern for the go command at the root. go test runs a test in its package's folder.
func Package(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	path, err := filepath.Rel(Root(t), dir)
	if err != nil {
		t.Fatal(err)
	}
	return "./" + filepath.ToSlash(path)
}

// Read returns the text of a file.
func Read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Table compares a table with the one that a document shows between <!-- name --> and <!-- /name -->, or writes it there. path is relative to the root.
func Table(t *testing.T, path, name, table string, update bool) {
	t.Helper()
	path = filepath.Join(Root(t), filepath.FromSlash(path))
	begin, end := "<!-- "+name+" -->\n", "<!-- /"+name+" -->"
	before, rest, found := strings.Cut(Read(t, path), begin)
	was, after, ended := strings.Cut(rest, end)
	switch {
	case !found || !ended:
		t.Fatalf("%s has no place for the table %q", path, name)
	case was == table:
	case !update:
		t.Fatalf("the table %q of %s differs (-want +got); `go test %s -run %s -update` rewrites it:\n%s", name, path, Package(t), t.Name(),
			cmp.Diff(strings.Split(was, "\n"), strings.Split(table, "\n")))
	default:
		if err := os.WriteFile(path, []byte(before+begin+table+end+after), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
