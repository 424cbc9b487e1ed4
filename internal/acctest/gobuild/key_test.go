package gobuild

import (
	"path/filepath"
	"testing"
)

func TestKey(t *testing.T) {
	target := program(t, "one")
	side := filepath.Join(t.TempDir(), "side")
	write(t, filepath.Join(side, "go.mod"), "module example.org/side\n\ngo 1.26.0\n")
	write(t, filepath.Join(target.ModuleDir, "go.mod"), "module example.org/hello\n\ngo 1.26.0\n\nreplace example.org/side => "+side+"\n")
	write(t, filepath.Join(target.ModuleDir, "nested", "go.mod"), "module example.org/nested\n")

	last := keyOf(t, target)
	steps := []struct {
		file    string
		changes bool
	}{
		{"main.go", true},
		{"go.sum", true},
		{"sub/data.yaml", true},
		{"main_test.go", false},
		{"testdata/x.txt", false},
		{".hidden", false},
		{"nested/main.go", false},
	}
	for _, step := range steps {
		write(t, filepath.Join(target.ModuleDir, step.file), "package main // "+step.file+"\n")
		key := keyOf(t, target)
		if (key != last) != step.changes {
			t.Errorf("writing %s: key changed %v, want %v", step.file, key != last, step.changes)
		}
		last = key
	}

	write(t, filepath.Join(side, "side.go"), "package side\n")
	if key := keyOf(t, target); key == last {
		t.Error("a change in a replaced module's folder kept the key")
	}
}

func TestKeyOfSettings(t *testing.T) {
	plain := program(t, "one")
	seen := map[string]string{keyOf(t, plain): "plain"}
	for name, change := range map[string]func(*Target){
		"package": func(t *Target) { t.Package = "./sub" },
		"ldflags": func(t *Target) { t.LDFlags = "-s" },
		"cgo":     func(t *Target) { t.CGO = true },
		"env":     func(t *Target) { t.Env = []string{"ANYTHING=1"} },
	} {
		target := plain
		change(&target)
		key := keyOf(t, target)
		if other, dup := seen[key]; dup {
			t.Errorf("%s has the key of %s", name, other)
		}
		seen[key] = name
	}
}

func keyOf(t *testing.T, target Target) string {
	t.Helper()
	key, err := target.key(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !keyPattern.MatchString(key) {
		t.Fatalf("key %q", key)
	}
	return key
}
