// Package workspace runs a real Terraform with this repository's provider, as a user would: in a folder with a configuration, with the provider installed in a
// mirror. It downloads nothing.
package workspace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/cli"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
)

// providerVersion is the version of the installed provider.
const providerVersion = "0.1.0"

// registries are the default registries of Terraform and OpenTofu for a provider without a host name.
var registries = []string{"registry.terraform.io", "registry.opentofu.org"}

// MirrorVariable is the environment variable with the folder of an installed provider, for tests that share one.
const MirrorVariable = "FLEET_TEST_PROVIDER"

// Mirror returns the folder in which Terraform looks for the provider: that of MirrorVariable, or else a new one, which this process creates once.
var Mirror = sync.OnceValues(func() (string, error) {
	if mirror := os.Getenv(MirrorVariable); mirror != "" {
		return mirror, nil
	}
	dir, err := os.MkdirTemp("", "fleet-acctest-")
	if err != nil {
		return "", err
	}
	return Install(context.Background(), dir)
})

// Install builds the provider and installs it in dir. It returns the mirror folder for Terraform.
func Install(ctx context.Context, dir string) (mirror string, err error) {
	root, err := gobuild.Root()
	if err != nil {
		return "", err
	}
	mirror = filepath.Join(dir, "mirror")
	var built string
	for _, registry := range registries {
		folder := filepath.Join(mirror, registry, "terraform-fleet", "fleet", providerVersion, runtime.GOOS+"_"+runtime.GOARCH)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return "", err
		}
		program := filepath.Join(folder, "terraform-provider-fleet_v"+providerVersion)
		if built != "" {
			if err := os.Remove(program); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return "", err
			}
			if err := os.Link(built, program); err != nil {
				return "", err
			}
			continue
		}
		args := slices.Concat([]string{"build"}, gobuild.Flags, []string{"-ldflags", "-s -w -X main.version=" + providerVersion, "-o", program, "."})
		build := exec.CommandContext(ctx, "go", args...)
		build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return "", fmt.Errorf("building the provider: %w\n%s", err, out)
		}
		built = program
	}
	return mirror, nil
}

// Workspace is a folder in which Terraform runs.
type Workspace struct {
	// Dir has the configuration and the state.
	Dir string
	// Env is added to the environment of every run, as KEY=value.
	Env    []string
	binary cli.Binary
}

// New copies the configuration files and the subfolders of source into dir, and initializes dir with the provider from mirror. Modules next to source are used
// in place.
func New(ctx context.Context, binary cli.Binary, mirror, source, dir string) (*Workspace, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	files, err := filepath.Glob(filepath.Join(source, "*.tf"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		text = bytes.ReplaceAll(text, []byte(`"../modules/`), []byte(`"`+filepath.Join(filepath.Dir(source), "modules")+"/"))
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(file)), text, 0o644); err != nil {
			return nil, err
		}
	}
	if err := copyFolders(source, dir); err != nil {
		return nil, err
	}
	settings := fmt.Sprintf("provider_installation {\n  filesystem_mirror {\n    path = %q\n  }\n}\ndisable_checkpoint = true\n", mirror)
	rc := filepath.Join(dir, ".cli.tfrc")
	if err := os.WriteFile(rc, []byte(settings), 0o644); err != nil {
		return nil, err
	}
	w := &Workspace{Dir: dir, binary: binary, Env: []string{
		"TF_CLI_CONFIG_FILE=" + rc, "TF_IN_AUTOMATION=1", "TF_INPUT=0", "CHECKPOINT_DISABLE=1",
		// By default, Terraform and each provider process create TLS keys for their connection. This takes a sixth of the provider's CPU time.
		"TF_DISABLE_PLUGIN_TLS=1",
	}}
	if hasModules(dir) {
		err = w.init(ctx)
	} else {
		err = w.initCached(ctx, mirror)
	}
	if err != nil {
		return nil, err
	}
	return w, nil
}

// copyFolders copies the subfolders of source, which contain files that a configuration reads. Hidden folders are Terraform's own.
func copyFolders(source, dir string) error {
	if source == dir {
		return nil
	}
	entries, err := os.ReadDir(source)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !entry.IsDir() || strings.HasPrefix(entry.Name(), ".") {
			continue
		}
		if err := os.CopyFS(filepath.Join(dir, entry.Name()), os.DirFS(filepath.Join(source, entry.Name()))); err != nil {
			return err
		}
	}
	return nil
}

// Apply opens a workspace in a new temporary folder and applies its configuration. If the apply fails, Apply destroys the created resources and removes the
// folder.
func Apply(ctx context.Context, open func(dir string) (*Workspace, error)) (*Workspace, error) {
	dir, err := os.MkdirTemp("", "fleet-workspace-")
	if err != nil {
		return nil, err
	}
	w, err := open(dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	if out, err := w.Run(ctx, nil, "apply", "-auto-approve", "-no-color"); err != nil {
		return nil, errors.Join(fmt.Errorf("%w\n%s", err, out), w.Destroy(ctx), os.RemoveAll(dir))
	}
	return w, nil
}

// Destroy destroys the configuration's resources. The error contains Terraform's output.
func (w *Workspace) Destroy(ctx context.Context) error {
	out, err := w.Run(ctx, nil, "destroy", "-auto-approve", "-no-color")
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// Command returns a command that has not started.
func (w *Workspace) Command(ctx context.Context, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, w.binary.Path, args...)
	cmd.Dir = w.Dir
	cmd.Env = append(cli.Environ(), w.Env...)
	return cmd
}

// Run runs Terraform and returns its whole output, which also goes to out if out is not nil.
func (w *Workspace) Run(ctx context.Context, out io.Writer, args ...string) (string, error) {
	var all bytes.Buffer
	cmd := w.Command(ctx, args...)
	cmd.Stdout = &all
	if out != nil {
		cmd.Stdout = io.MultiWriter(&all, out)
	}
	cmd.Stderr = cmd.Stdout
	err := cmd.Run()
	if err != nil {
		err = fmt.Errorf("%s %s: %w", w.binary.Name, strings.Join(args, " "), err)
	}
	return all.String(), err
}
