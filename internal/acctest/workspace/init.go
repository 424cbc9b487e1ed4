package workspace

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
)

func (w *Workspace) init(ctx context.Context) error {
	out, err := w.Run(ctx, nil, "init", "-no-color")
	if err != nil {
		return fmt.Errorf("init: %w\n%s", err, out)
	}
	return nil
}

// moduleBlock matches the start of a module block.
var moduleBlock = regexp.MustCompile(`(?m)^module "`)

func hasModules(dir string) bool {
	files, _ := filepath.Glob(filepath.Join(dir, "*.tf"))
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && moduleBlock.Match(text)
	})
}

// initResult is the result of an init in a workspace without modules: the selected provider.
type initResult struct {
	lock []byte
	// links maps symbolic links in the workspace to their targets.
	links map[string]string
}

const (
	lockFile = ".terraform.lock.hcl"
	dataDir  = ".terraform"
)

var (
	initMu sync.Mutex
	// initResults is keyed by program and mirror.
	initResults = map[[2]string]initResult{}
)

// initCached runs terraform init for the first workspace of a program and a mirror, and copies the result to later ones. An init takes as long as a plan.
func (w *Workspace) initCached(ctx context.Context, mirror string) error {
	initMu.Lock()
	defer initMu.Unlock()
	key := [2]string{w.binary.Path, mirror}
	if known, ok := initResults[key]; ok {
		return known.write(w.Dir)
	}
	if err := w.init(ctx); err != nil {
		return err
	}
	found, err := readInitResult(w.Dir)
	if err == nil {
		initResults[key] = found
	}
	return err
}

func readInitResult(dir string) (out initResult, err error) {
	if out.lock, err = os.ReadFile(filepath.Join(dir, lockFile)); err != nil {
		return out, err
	}
	out.links = map[string]string{}
	err = filepath.WalkDir(filepath.Join(dir, dataDir), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Type()&fs.ModeSymlink == 0 {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		out.links[name], err = os.Readlink(path)
		return err
	})
	return out, err
}

func (c initResult) write(dir string) error {
	for name, target := range c.links {
		link := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
			return err
		}
		if err := os.Symlink(target, link); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, lockFile), c.lock, 0o644)
}
