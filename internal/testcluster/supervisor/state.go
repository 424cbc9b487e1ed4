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

// state is what a run leaves on record for the commands that come after it.
type state struct {
	Supervisor process.Ref   `json:"supervisor"`
	Children   []process.Ref `json:"children"`
	// Control is the URL of the control server and Token its password.
	Control string `json:"control"`
	Token   string `json:"token"`
}

// errNotRunning says that no supervisor works in a directory.
var errNotRunning = errors.New("no test clusters run")

// DefaultDir is the directory of clusters that are started without one.
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
		return s, fmt.Errorf("%w in %s: start them with up", errNotRunning, dir)
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

// write replaces the record as a whole, so that no reader sees half of it.
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

// claim makes dir the directory of a new run. It takes an empty or missing
// directory, or one whose run was killed, and no other: the directory is
// removed in the end, with all that is in it.
func claim(dir string, s state) error {
	if old, err := readState(dir); err == nil {
		if old.Supervisor.Alive() {
			return fmt.Errorf("test clusters run already in %s (pid %d): stop them with down", dir, old.Supervisor.PID)
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
	// Of two runs that come this far at once, one fails here.
	file, err := os.OpenFile(filepath.Join(dir, stateFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("another run took %s: %w", dir, err)
	}
	if err := file.Close(); err != nil {
		return err
	}
	return s.write(dir)
}

// clearRun takes away what a killed run left: processes, if any, and files.
func clearRun(dir string, s state) error {
	var errs []error
	for _, child := range s.Children {
		errs = append(errs, child.Signal(syscall.SIGKILL))
	}
	return errors.Join(append(errs, os.RemoveAll(dir))...)
}
