package gobuild

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// program writes a module that prints text, and returns its target.
func program(t *testing.T, text string) Target {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.org/hello\n\ngo 1.26.0\n")
	write(t, filepath.Join(dir, "main.go"), "package main\n\nvar suffix string\n\nfunc main() { println(\""+text+"\" + suffix) }\n")
	return Target{Name: "hello", ModuleDir: dir, Package: "."}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func says(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), path).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return strings.TrimSpace(string(out))
}

func TestBuildsOnce(t *testing.T) {
	cache, target := t.TempDir(), program(t, "one")
	var first, second bytes.Buffer
	path, err := buildIn(t.Context(), cache, target, &first)
	if err != nil {
		t.Fatal(err)
	}
	if got := says(t, path); got != "one" {
		t.Errorf("program says %q", got)
	}
	if !strings.Contains(first.String(), "hello: built in ") {
		t.Errorf("progress of a cold build:\n%s", first.String())
	}
	again, err := buildIn(t.Context(), cache, target, &second)
	if err != nil {
		t.Fatal(err)
	}
	if again != path || second.Len() != 0 {
		t.Errorf("warm build: %s, want %s and no progress, got:\n%s", again, path, second.String())
	}
}

func TestBuildsAgainWhenSomethingChanged(t *testing.T) {
	cache, target := t.TempDir(), program(t, "one")
	first, err := buildIn(t.Context(), cache, target, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	target.LDFlags = "-X main.suffix=two"
	second, err := buildIn(t.Context(), cache, target, t.Output())
	if err != nil {
		t.Fatal(err)
	}
	if first == second || says(t, first) != "one" || says(t, second) != "onetwo" {
		t.Errorf("%s says %q, %s says %q", first, says(t, first), second, says(t, second))
	}
}

func TestManyAtOnceBuildOne(t *testing.T) {
	cache, target := t.TempDir(), program(t, "one")
	var mu sync.Mutex
	var progress bytes.Buffer
	out := writerFunc(func(p []byte) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		return progress.Write(p)
	})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if _, err := buildIn(t.Context(), cache, target, out); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if builds := strings.Count(progress.String(), "built in"); builds != 1 {
		t.Errorf("%d builds:\n%s", builds, progress.String())
	}
}

func TestCompileErrorIsQuoted(t *testing.T) {
	cache, target := t.TempDir(), program(t, "one")
	write(t, filepath.Join(target.ModuleDir, "main.go"), "package main\n\nfunc main() { undefinedThing() }\n")
	_, err := buildIn(t.Context(), cache, target, t.Output())
	if err == nil || !strings.Contains(err.Error(), "undefinedThing") || !strings.Contains(err.Error(), "hello") {
		t.Fatalf("error: %v", err)
	}
	onlyLock(t, cache)
}

func TestCancelLeavesNothing(t *testing.T) {
	cache, target := t.TempDir(), program(t, "one")
	ctx, cancel := context.WithCancel(t.Context())
	started := writerFunc(func(p []byte) (int, error) {
		cancel()
		return len(p), nil
	})
	if _, err := buildIn(ctx, cache, target, started); !errors.Is(err, context.Canceled) {
		t.Fatalf("error: %v", err)
	}
	onlyLock(t, cache)
}

func TestRefusesATargetWithoutAName(t *testing.T) {
	for _, name := range []string{"", "a/b", ".."} {
		if _, err := buildIn(t.Context(), t.TempDir(), Target{Name: name, ModuleDir: t.TempDir(), Package: "."}, t.Output()); err == nil {
			t.Errorf("name %q was accepted", name)
		}
	}
}

func onlyLock(t *testing.T, cache string) {
	t.Helper()
	entries, err := os.ReadDir(cache)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.Name() != "hello.lock" {
			t.Errorf("unexpected file: %s", entry.Name())
		}
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
