package gobuild

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// goSettings are the settings of the go command that affect the program.
var goSettings = []string{"GOVERSION", "GOOS", "GOARCH", "GOFLAGS", "GOEXPERIMENT", "GOAMD64", "GOARM64"}

// key returns 16 hexadecimal digits of a hash of all inputs of the program, for the name of the cache entry. go.mod and go.sum cover the dependencies.
func (t Target) key(ctx context.Context) (string, error) {
	sum := sha256.New()
	settings, err := t.goOutput(ctx, append([]string{"env", "-json"}, goSettings...)...)
	if err != nil {
		return "", err
	}
	parts := slices.Concat([]string{string(settings), t.Package, t.LDFlags, fmt.Sprint(t.CGO)}, Flags, t.Env)
	for _, part := range parts {
		_, _ = fmt.Fprintf(sum, "%d %s\n", len(part), part)
	}
	folders, err := t.localFolders(ctx)
	if err != nil {
		return "", err
	}
	for _, folder := range folders {
		if err := hashFolder(sum, t.ModuleDir, folder); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil))[:16], nil
}

// localFolders returns the module's own folder and those in its replace directives, which go.sum does not cover.
func (t Target) localFolders(ctx context.Context) ([]string, error) {
	out, err := t.goOutput(ctx, "mod", "edit", "-json")
	if err != nil {
		return nil, err
	}
	var mod struct {
		Replace []struct {
			New struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		return nil, fmt.Errorf("go mod edit -json: %w", err)
	}
	folders := []string{t.ModuleDir}
	for _, replace := range mod.Replace {
		if replace.New.Version != "" {
			continue
		}
		folder := filepath.FromSlash(replace.New.Path)
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(t.ModuleDir, folder)
		}
		folders = append(folders, folder)
	}
	slices.Sort(folders[1:])
	return folders, nil
}

// hashFolder adds the files of one module to the hash: names relative to base, and contents. Nested modules, tests, test data and hidden files are not inputs
// of a program.
func hashFolder(sum hash.Hash, base, folder string) error {
	return filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == folder {
			return nil
		}
		name := entry.Name()
		if entry.IsDir() {
			if strings.HasPrefix(name, ".") || name == "testdata" || isModule(path) {
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasPrefix(name, ".") || strings.HasSuffix(name, "_test.go") || !entry.Type().IsRegular() {
			return nil
		}
		relative, err := filepath.Rel(base, path)
		if err != nil {
			return err
		}
		return hashFile(sum, filepath.ToSlash(relative), path)
	})
}

func hashFile(sum hash.Hash, name, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(sum, "%s %d\n", name, info.Size())
	_, err = io.Copy(sum, file)
	return err
}

func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// goOutput runs a read-only go command in the module's folder.
func (t Target) goOutput(ctx context.Context, args ...string) ([]byte, error) {
	cmd := t.goCommand(ctx, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return out, nil
}

// goCommand returns a go command with the build's settings. It builds for the current machine, whatever the caller's environment says.
func (t Target) goCommand(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = t.ModuleDir
	cgo := "CGO_ENABLED=0"
	if t.CGO {
		cgo = "CGO_ENABLED=1"
	}
	cmd.Env = append(cmd.Environ(), "GOWORK=off", "GOOS=", "GOARCH=", cgo)
	cmd.Env = append(cmd.Env, t.Env...)
	if os.Getenv("GOGC") == "" {
		cmd.Env = append(cmd.Env, "GOGC=200") // a tenth less processor time for more memory
	}
	cmd.Cancel = func() error { return interrupt(cmd.Process) }
	cmd.WaitDelay = waitDelay
	return cmd
}
