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

// isTestSupport reports whether a folder below internal contains no product code. Fakes of a hub write KubeFleet's names out, like KubeFleet itself.
func isTestSupport(folder string) bool {
	below := strings.Split(folder, string(filepath.Separator))
	return slices.Contains([]string{"acctest", "testcluster", "tools"}, below[0]) || slices.Contains(below, "enginetest") || slices.Contains(below, "standin")
}

// codeSpan matches a name in a schema description.
var codeSpan = regexp.MustCompile("`[^`]*`")

// TestKubeFleetNames checks that product code takes KubeFleet's group names and prefixes from package kubefleetapi. Comments, and descriptions with a
// name in backquotes, may contain the names.
func TestKubeFleetNames(t *testing.T) {
	t.Parallel()
	root, err := gobuild.Root()
	if err != nil {
		t.Fatal(err)
	}
	root = filepath.Join(root, "internal")
	found := 0
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if isTestSupport(below) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
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
			case filepath.Dir(below) == filepath.Join("fleet", "kubefleetapi"):
				found++
			default:
				t.Errorf("%s: the name %q is written out: use internal/fleet/kubefleetapi", files.Position(literal.Pos()), text)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found == 0 {
		t.Error("found no name in internal/fleet/kubefleetapi")
	}
}
