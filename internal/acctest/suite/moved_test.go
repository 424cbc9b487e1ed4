package suite

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
)

// skips is how a test that only `make test-all` runs begins.
const skips = "if testing.Short() {\n\tt.Skip(\"make test-all runs it\")\n}"

// movedTests returns the tests that only `make test-all` runs, by package.
func movedTests(t *testing.T, internal string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	err := filepath.WalkDir(internal, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(internal, filepath.Dir(path))
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			f, isFunc := decl.(*ast.FuncDecl)
			if !isFunc || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Test") {
				continue
			}
			// Nothing but a call may stand before it, such as t.Parallel().
			for _, statement := range f.Body.List[:min(2, len(f.Body.List))] {
				var text bytes.Buffer
				if err := printer.Fprint(&text, files, statement); err != nil {
					return err
				}
				if text.String() == skips {
					out[filepath.ToSlash(folder)] = append(out[filepath.ToSlash(folder)], f.Name.Name)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var movedRow = regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\| (Test.*) \\|$")

// The map of the code lists the tests that only `make test-all` runs.
func TestMovedTestsAreListed(t *testing.T) {
	root, err := gobuild.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "internal", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	listed := map[string][]string{}
	for _, row := range movedRow.FindAllStringSubmatch(string(text), -1) {
		listed[row[1]] = strings.Split(row[2], ", ")
	}
	moved := movedTests(t, filepath.Join(root, "internal"))
	if len(moved) == 0 {
		t.Fatal("no such test was found: this test reads the wrong files")
	}
	for folder, names := range moved {
		slices.Sort(names)
		if want := strings.Join(names, ", "); strings.Join(listed[folder], ", ") != want {
			t.Errorf("internal/README.md needs the row\n| `%s` | %s |", folder, want)
		}
		delete(listed, folder)
	}
	for folder := range listed {
		t.Errorf("internal/README.md lists %s, of which make test runs all tests", folder)
	}
}
