package suite

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
)

// maxControlPlanes limits the control planes that one run of make test starts. Raise it only together with the memory of the CI runner.
const maxControlPlanes = 11

func TestListedPackages(t *testing.T) {
	root, err := gobuild.Root()
	if err != nil {
		t.Fatal(err)
	}
	planes, sets := 0, map[set]bool{}
	for _, w := range packagesInOrder {
		if info, err := os.Stat(filepath.Join(root, "internal", filepath.FromSlash(w.path))); err != nil || !info.IsDir() {
			t.Errorf("%s is not a folder: %v", w.path, err)
		}
		if w.onlyTestAll {
			continue
		}
		planes += w.ownControlPlanes
		sets[w.clusters] = true
	}
	delete(sets, none)
	delete(sets, either) // which is one of the others
	if planes += len(sets) * (1 + members); planes > maxControlPlanes {
		t.Errorf("make test starts %d control planes, at most %d are allowed", planes, maxControlPlanes)
	}
}

// The packages of an engine for hubs use only the set of clusters of that engine.
func TestHubsAreNotShared(t *testing.T) {
	for _, w := range packagesInOrder {
		for _, engine := range []set{kubefleet, kubeadmiral} {
			if strings.Contains(w.path, string(engine)) && w.clusters != engine {
				t.Errorf("%s uses the set %q", w.path, w.clusters)
			}
		}
	}
}

func TestOrder(t *testing.T) {
	got := order([]string{"fleet/diff", "kube", "app", "acctest"})
	if want := []string{"acctest", "kube", "fleet/diff", "app"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRaceDetector(t *testing.T) {
	for path, want := range map[string]bool{
		"acctest": false, "acctest/kubefleet": false, "acctest/protocol": true, "engine/direct": true, "engine/direct/record": false,
		"fleet/diff": false, "kube": true, "provider": true, "provider/consequences": true, "provider/report": false, "provider/session": true,
	} {
		if got := usesRaceDetector(path, true); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
		if got, want := usesRaceDetector(path, false), want && path != "engine/direct"; got != want {
			t.Errorf("%s in make test-all: %v, want %v", path, got, want)
		}
	}
}

// Outside acctest, a package without the race detector starts no goroutine.
func TestNoGoroutineWithoutRaceDetector(t *testing.T) {
	root, err := gobuild.Root()
	if err != nil {
		t.Fatal(err)
	}
	files := token.NewFileSet()
	checked := 0
	for _, layer := range []string{"fleet", "kube", "engine", "provider"} {
		err := filepath.WalkDir(filepath.Join(root, "internal", layer), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
				return err
			}
			folder, err := filepath.Rel(filepath.Join(root, "internal"), filepath.Dir(path))
			if err != nil || usesRaceDetector(filepath.ToSlash(folder), true) {
				return err
			}
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			checked++
			ast.Inspect(file, func(node ast.Node) bool {
				if node != nil && startsGoroutine(node) {
					t.Errorf("%s: %s needs the race detector: add it to withGoroutines in packages.go", files.Position(node.Pos()), folder)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	if checked == 0 {
		t.Error("found no such file: this test reads the wrong files")
	}
}

// startsGoroutine reports whether a node is a go statement, or a call of the method Go of a group.
func startsGoroutine(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.GoStmt:
		return true
	case *ast.CallExpr:
		method, is := n.Fun.(*ast.SelectorExpr)
		return is && method.Sel.Name == "Go"
	default:
		return false
	}
}
