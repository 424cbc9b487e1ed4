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

// skips is the statement that skips a test which only `make test-all` runs.
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
			for i, statement := range f.Body.List {
				var text bytes.Buffer
				if err := printer.Fprint(&text, files, statement); err != nil {
					return err
				}
				// The skip is the first or the second statement: t.Parallel() may precede it.
				if text.String() == skips && (i == 0 || i == 1 && isParallel(f.Body.List[0])) {
					out[filepath.ToSlash(folder)] = append(out[filepath.ToSlash(folder)], f.Name.Name)
				} else if skipsTest(statement) {
					t.Errorf("%s: %s must be skipped by its first statement, or by the second after t.Parallel()",
						files.Position(statement.Pos()), f.Name.Name)
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

// internal/README.md lists the tests that only `make test-all` runs.
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
		t.Fatal("found no such test: this test reads the wrong files")
	}
	for folder, names := range moved {
		slices.Sort(names)
		if want := strings.Join(names, ", "); strings.Join(listed[folder], ", ") != want {
			t.Errorf("internal/README.md needs the row\n| `%s` | %s |", folder, want)
		}
		delete(listed, folder)
	}
	for folder := range listed {
		t.Errorf("internal/README.md lists %s, but make test runs all tests of this folder", folder)
	}
}

// isParallel reports whether a statement is t.Parallel().
func isParallel(statement ast.Stmt) bool {
	expr, is := statement.(*ast.ExprStmt)
	return is && isCall(expr.X, "Parallel")
}

// skipsTest reports whether a statement skips the test for `make test`, and not only a subtest.
func skipsTest(statement ast.Stmt) (found bool) {
	ast.Inspect(statement, func(node ast.Node) bool {
		if _, is := node.(*ast.FuncLit); is {
			return false
		}
		if expr, is := node.(ast.Expr); is && isCall(expr, "Skip", `"make test-all runs it"`) {
			found = true
		}
		return !found
	})
	return found
}

// isCall reports whether an expression calls a method with literal arguments.
func isCall(expr ast.Expr, method string, args ...string) bool {
	call, is := expr.(*ast.CallExpr)
	if !is {
		return false
	}
	selector, is := call.Fun.(*ast.SelectorExpr)
	return is && selector.Sel.Name == method && slices.EqualFunc(call.Args, args, func(arg ast.Expr, want string) bool {
		literal, is := arg.(*ast.BasicLit)
		return is && literal.Value == want
	})
}

// TestSkipsInTheBody checks which statements count as the skip of a whole test.
func TestSkipsInTheBody(t *testing.T) {
	const skip = "if testing.Short() { t.Skip(\"make test-all runs it\") }"
	for text, want := range map[string]bool{
		skip: true, "for range 2 { " + skip + " }": true, "t.Run(\"a\", func(t *testing.T) { " + skip + " })": false,
		"t.Skip(\"not here\")": false, "t.Parallel()": false,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "a_test.go", "package a\nfunc TestA(t *testing.T) {\n"+text+"\n}\n", 0)
		if err != nil {
			t.Fatal(err)
		}
		if statement := file.Decls[0].(*ast.FuncDecl).Body.List[0]; skipsTest(statement) != want || isParallel(statement) != (text == "t.Parallel()") {
			t.Errorf("%s: not %v", text, want)
		}
	}
}
