package supervisor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/testcluster/process"
)

const (
	stateFile      = "state.json"
	kubeconfigFile = "kubeconfig"
	logFile        = "supervisor.log"
)

// state is the record of a run for later commands.
type state struct {
	Supervisor process.Ref   `json:"supervisor"`
	Children   []process.Ref `json:"children"`
	// Control is the URL of the control server and Token its password.
	Control string `json:"control"`
	Token   string `json:"token"`
}

// errNotRunning is returned when no supervisor runs in a directory.
var errNotRunning = errors.New("no test clusters run")

// DefaultDir returns the default directory of a run.
func DefaultDir() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache directory (%w): give one with -dir", err)
	}
	return filepath.Join(cache, "terraform-provider-fleet", "clusters"), nil
}

func readState(dir string) (state, error) {
	var s state
	data, err := os.ReadFile(filepath.Join(dir, stateFile))
	if errors.Is(err, fs.ErrNotExist) {
		return s, fmt.Errorf("%w in %s: run the command \"up\" to start them", errNotRunning, dir)
	}
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("%s is damaged (%w): remove it once you are sure that nothing runs there",
			filepath.Join(dir, stateFile), err)
	}
	return s, nil
}

// write replaces the record atomically.
func (s state) write(dir string) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	temporary := filepath.Join(dir, "."+stateFile)
	if err := os.WriteFile(temporary, data, 0o600); err != nil {
		return err
	}
	return os.Rename(temporary, filepath.Join(dir, stateFile))
}

// claim makes dir the directory of a new run. It accepts only an empty or missing directory, or one of a killed run, because the directory is removed with its
// contents at the end.
func claim(dir string, s state) error {
	if old, err := readState(dir); err == nil {
		if old.Supervisor.Alive() {
			return fmt.Errorf("test clusters run already in %s (pid %d): run the command \"down\" to stop them", dir, old.Supervisor.PID)
		}
		if err := clearRun(dir, old); err != nil {
			return err
		}
	} else if !errors.Is(err, errNotRunning) {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s is not empty: give an empty or a new directory with -dir", dir)
	}
	// If two runs get here at the same time, one of them fails.
	file, err := os.OpenFile(filepath.Join(dir, stateFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("another run took %s: %w", dir, err)
	}
	if err := file.Close(); err != nil {
		return err
	}
	return s.write(dir)
}

// clearRun removes the remaining processes and files of a killed run.
func clearRun(dir string, s state) error {
	var errs []error
	for _, child := range s.Children {
		errs = append(errs, child.Signal(syscall.SIGKILL))
	}
	return errors.Join(append(errs, os.RemoveAll(dir))...)
}
