package release

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
)

// notUpdated are modules that Dependabot does not update: one stays at its version, and the others only replace modules of Terraform and require none.
var notUpdated = []string{"/internal/tools/terraform-1.11", "/internal/tools/terraform/stubs/*"}

// TestDependabotUpdatesModules checks that Dependabot updates every Go module of the repository.
func TestDependabotUpdatesModules(t *testing.T) {
	t.Parallel()
	var settings struct {
		Updates []struct {
			Ecosystem   string `yaml:"package-ecosystem"`
			Directories []string
		}
	}
	if err := yaml.Unmarshal(readFile(t, filepath.Join(".github", "dependabot.yml")), &settings); err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, one := range settings.Updates {
		if one.Ecosystem == "gomod" {
			listed = append(listed, one.Directories...)
		}
	}
	slices.Sort(listed)
	if modules := modulesToUpdate(t); !slices.Equal(listed, modules) {
		t.Errorf("Dependabot updates %q, the repository has %q", listed, modules)
	}
}

// modulesToUpdate returns the folders of the modules, as Dependabot names them.
func modulesToUpdate(t *testing.T) (out []string) {
	t.Helper()
	root := documents.Root(t)
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && name != root && strings.HasPrefix(entry.Name(), ".") {
			return fs.SkipDir
		}
		if entry.Name() != "go.mod" {
			return nil
		}
		dir, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		folder := "/" + strings.TrimPrefix(filepath.ToSlash(dir), ".")
		if !slices.ContainsFunc(notUpdated, func(pattern string) bool { matches, _ := filepath.Match(pattern, folder); return matches }) {
			out = append(out, folder)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}
