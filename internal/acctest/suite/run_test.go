//go:build unix

package suite

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
)

// TestEnvironments checks that each run of go test has its own environment: the race detector needs cgo, which the other tests disable.
func TestEnvironments(t *testing.T) {
	root, err := gobuild.Root()
	if err != nil {
		t.Fatal(err)
	}
	// Without CGO_ENABLED, which the run of this test sets. With spare capacity: if the runs appended to the same slice, one would overwrite the other's values.
	env := slices.Grow(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "CGO_ENABLED=") }), 10)
	runs, err := plan(t.Context(), root, env, Options{
		Patterns: []string{"./internal/kube/credential", "./internal/acctest/cli"}, Wrapper: []string{"/a b/suite", "exec"}, Flags: []string{"-timeout=5m"},
	})
	if err != nil || len(runs) != 2 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	for _, run := range runs {
		race := slices.Contains(run.args, "-race")
		if slices.Contains(run.env, "CGO_ENABLED=1") != race || slices.Contains(run.env, "CGO_ENABLED=0") == race {
			t.Errorf("race detector: %v, environment: %q", race, run.env[len(env):])
		}
		if at := slices.Index(run.args, "-exec"); at < 0 || run.args[at+1] != "'/a b/suite' exec" {
			t.Errorf("the wrapper is not quoted: %q", run.args)
		}
		if at := slices.Index(run.args, "-timeout=12h0m0s"); at < 0 || slices.Index(run.args, "-timeout=5m") < at {
			t.Errorf("the user's timeout is not the last one: %q", run.args)
		}
	}
}

// TestErrorsOfRuns checks that a run reports why go could not be started, and does not repeat the exit status of go test.
func TestErrorsOfRuns(t *testing.T) {
	exit := exec.CommandContext(t.Context(), "sh", "-c", "exit 1").Run()
	killed := exec.CommandContext(t.Context(), "sh", "-c", "kill -9 $$").Run()
	missing := exec.CommandContext(t.Context(), filepath.Join(t.TempDir(), "go")).Run()
	if err := joinErrors([]error{nil, exit, exit}); !errors.Is(err, ErrFailed) || err.Error() != ErrFailed.Error() {
		t.Errorf("failed tests: %v", err)
	}
	if err := joinErrors([]error{exit, missing}); !errors.Is(err, ErrFailed) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("failed tests, and no go: %v", err)
	}
	if err := joinErrors([]error{killed, nil}); errors.Is(err, ErrFailed) || !errors.Is(err, killed) {
		t.Errorf("a killed go: %v", err)
	}
	if err := joinErrors([]error{nil, nil}); err != nil {
		t.Errorf("tests that passed: %v", err)
	}
}

// TestNothingToRun checks that the error of a run without packages says why there are none.
func TestNothingToRun(t *testing.T) {
	root, err := gobuild.Root()
	if err != nil {
		t.Fatal(err)
	}
	for pattern, want := range map[string]string{
		"./internal/acctest/faults":    "only \"make test-all\" runs the tests in ./internal/acctest/faults",
		"./internal/acctest/suite/cmd": "no package with tests matches ./internal/acctest/suite/cmd",
	} {
		if _, err := plan(t.Context(), root, os.Environ(), Options{Patterns: []string{pattern}}); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", pattern, err, want)
		}
	}
}

// TestTooFewGivenClusters checks that a package fails in a run of the suite if the user has too few clusters for it, unless a set of the suite has too few
// as well. Outside of such a run, its tests that need clusters are skipped.
func TestTooFewGivenClusters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kubeconfig")
	const config = "apiVersion: v1\nkind: Config\nclusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\n" +
		"contexts: [{name: hub, context: {cluster: c}}, {name: member-1, context: {cluster: c}}]\n"
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(clusters.KubeconfigVariable, path)
	t.Setenv(clusters.ControlVariable, "")
	t.Setenv("TF_ACC", "1")
	for name, test := range map[string]struct {
		socket  string
		members int
		runs    bool
	}{
		"in a run":                   {"socket", members, false},
		"in a run, enough":           {"socket", 1, true},
		"in a run, more than it has": {"socket", members + 7, true},
		"go test alone":              {"", members, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(socketVariable, test.socket)
			ran := false
			var env *clusters.Env
			status := clusters.Main(clusters.Func(func() int { ran = true; return 0 }), clusters.Options{Members: test.members}, &env)
			if ran != test.runs || (status == 0) != test.runs {
				t.Errorf("status %d, tests ran: %v", status, ran)
			}
		})
	}
}
