package gobuild

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestRoot(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(base, "go.mod"), "// comment\nmodule "+rootModule+"\n")
	deep := filepath.Join(base, "internal", "nested", "deep")
	write(t, filepath.Join(base, "internal", "nested", "go.mod"), "module "+rootModule+"/internal/nested\n")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(deep)
	root, err := Root()
	if err != nil || root != base {
		t.Errorf("root %q, %v; want %q", root, err, base)
	}

	t.Chdir(t.TempDir())
	if _, err := Root(); !errors.Is(err, errNoRoot) {
		t.Errorf("outside a checkout: %v", err)
	}
}
