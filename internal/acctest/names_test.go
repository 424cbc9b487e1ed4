package acctest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
)

// isTestSupport reports whether a folder of the repository contains no product code. Fakes of a hub write KubeFleet's names out, like KubeFleet itself.
func isTestSupport(folder string) bool {
	below := strings.Split(folder, string(filepath.Separator))
	return len(below) > 1 && slices.Contains([]string{"acctest", "testcluster", "tools"}, below[1]) || slices.Contains(below, "enginetest")
}

// visitProduct parses the product's Go files in a folder of the repository, and calls visit for each with its path in the repository.
func visitProduct(t *testing.T, folder string, visit func(path string, files *token.FileSet, file *ast.File)) {
	t.Helper()
	root, err := gobuild.Root()
	if err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(filepath.Join(root, folder), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && isTestSupport(below):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err == nil {
			visit(below, files, file)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// codeSpan matches a name in a schema description.
var codeSpan = regexp.MustCompile("`[^`]*`")

// TestKubeFleetNames checks that product code takes KubeFleet's group names and prefixes from package kubefleetapi. Comments, and descriptions with a
// name in backquotes, may contain the names.
func TestKubeFleetNames(t *testing.T) {
	t.Parallel()
	found := 0
	visitProduct(t, "internal", func(below string, files *token.FileSet, file *ast.File) {
		ast.Inspect(file, func(node ast.Node) bool {
			literal, is := node.(*ast.BasicLit)
			if !is || literal.Kind != token.STRING {
				return true
			}
			text, err := strconv.Unquote(literal.Value)
			switch {
			case err != nil:
				t.Errorf("%s: %v", files.Position(literal.Pos()), err)
			case !strings.Contains(codeSpan.ReplaceAllString(text, ""), kubefleetapi.Domain):
			case filepath.Dir(below) == filepath.Join("internal", "fleet", "kubefleetapi"):
				found++
			default:
				t.Errorf("%s: the name %q is written out: use internal/fleet/kubefleetapi", files.Position(literal.Pos()), text)
			}
			return true
		})
	})
	if found == 0 {
		t.Error("found no name in internal/fleet/kubefleetapi")
	}
}
