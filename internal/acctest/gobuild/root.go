package gobuild

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strings"
)

const rootModule = "github.com/terraform-fleet/terraform-provider-fleet"

// errNoRoot is returned outside a checkout of this repository.
var errNoRoot = errors.New("gobuild: the working directory is not inside a checkout of terraform-provider-fleet")

// Root returns the absolute path of the repository's root: the nearest folder, at or above the working directory, whose go.mod is the provider's. It skips
// nested modules.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if moduleOf(filepath.Join(dir, "go.mod")) == rootModule {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errNoRoot
		}
		dir = parent
	}
}

// moduleOf returns the module path in a go.mod, empty if there is none.
func moduleOf(path string) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if module, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), "module "); ok {
			return strings.Trim(strings.TrimSpace(module), `"`)
		}
	}
	return ""
}
