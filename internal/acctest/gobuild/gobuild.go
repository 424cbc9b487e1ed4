package gobuild

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"
)

// Target is one program to build.
type Target struct {
	// Name is the name of the program, without the operating system's suffix for programs. The name of the cache entry begins with it.
	Name string
	// ModuleDir is the folder of the module to build in: absolute, or relative
	// to the root of the repository.
	ModuleDir string
	// Package is the main package, as an import path or relative to ModuleDir
	// ("."). It may belong to a dependency of the module.
	Package string
	// LDFlags are passed to the linker.
	LDFlags string
	// CGO enables cgo. Without it the program is static.
	CGO bool
	// Env is added to the environment of the go command, as "KEY=value".
	Env []string
}

// Build returns the absolute path of the built program. It builds only if the cache does not have the program, and writes progress lines to progress (which may
// be nil). If several processes need the same program at the same time, one of them builds it and the others wait. Canceling ctx stops the build and leaves no
// incomplete program.
func Build(ctx context.Context, target Target, progress io.Writer) (string, error) {
	if progress == nil {
		progress = io.Discard
	}
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	return buildIn(ctx, cache, target, progress)
}

func buildIn(ctx context.Context, cache string, target Target, progress io.Writer) (string, error) {
	target, err := target.resolve()
	if err != nil {
		return "", err
	}
	key, err := target.key(ctx)
	if err != nil {
		return "", fmt.Errorf("gobuild: %s: %w", target.Name, err)
	}
	entry := filepath.Join(cache, target.Name+"-"+key)
	program := filepath.Join(entry, target.Name+exeSuffix())
	if use(entry, program) {
		return program, nil
	}

	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", fmt.Errorf("gobuild: %w", err)
	}
	unlock, err := lock(ctx, filepath.Join(cache, target.Name+".lock"), func() {
		_, _ = fmt.Fprintf(progress, "%s: waiting for another process that builds it\n", target.Name)
	})
	if err != nil {
		return "", fmt.Errorf("gobuild: %s: %w", target.Name, err)
	}
	defer unlock()
	if use(entry, program) { // another process built it in the meantime
		return program, nil
	}

	if err := compileInto(ctx, cache, entry, target, progress); err != nil {
		return "", fmt.Errorf("gobuild: %s: %w", target.Name, err)
	}
	prune(cache, target.Name, entry, time.Now())
	return program, nil
}

// compileInto builds next to the entry and renames the result, so that an entry is either complete or absent.
func compileInto(ctx context.Context, cache, entry string, target Target, progress io.Writer) error {
	tmp, err := os.MkdirTemp(cache, tempPrefix(target.Name))
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	if err := os.Chmod(tmp, 0o755); err != nil {
		return err
	}
	if err := compile(ctx, target, filepath.Join(tmp, target.Name+exeSuffix()), progress); err != nil {
		return err
	}
	return os.Rename(tmp, entry)
}

func (t Target) resolve() (Target, error) {
	if t.Name == "" || t.Name != filepath.Base(t.Name) || t.Package == "" {
		return t, fmt.Errorf("gobuild: target needs a plain name and a package: %+v", t)
	}
	if filepath.IsAbs(t.ModuleDir) {
		return t, nil
	}
	root, err := Root()
	if err != nil {
		return t, err
	}
	t.ModuleDir = filepath.Join(root, filepath.FromSlash(t.ModuleDir))
	return t, nil
}

// use reports whether the cache has the program, and updates the time of its last use.
func use(entry, program string) bool {
	info, err := os.Stat(program)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	now := time.Now()
	_ = os.Chtimes(entry, now, now)
	return true
}

func cacheDir() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("gobuild: no place to keep built programs: %w", err)
	}
	return filepath.Join(base, "terraform-provider-fleet"), nil
}

func exeSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}
