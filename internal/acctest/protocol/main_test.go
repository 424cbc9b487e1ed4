package protocol

import (
	"os"
	"regexp"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

var fleet harness.Harness

func TestMain(m *testing.M) { os.Exit(fleet.Main(m, true)) }

// configured is a configuration with the hub and all members.
func configured(t *testing.T, blocks string) string {
	t.Helper()
	clusters.Need(t, fleet.Env)
	return fleet.Provider(fleet.Env.Kubeconfig) + blocks
}

// refused makes an apply that fails with an error that matches.
func refused(t *testing.T, configuration, want string) {
	t.Helper()
	rejects(t, New().Apply(t.Context(), configuration), want)
}

// rejects fails the test unless a run has failed with an error that matches.
func rejects(t *testing.T, got Result, want string) {
	t.Helper()
	if !got.Failed || !regexp.MustCompile(want).MatchString(got.String()) {
		t.Errorf("no error that matches %s:\n%s", want, got)
	}
}

// done fails the test if a run has failed.
func done(t *testing.T, got Result) Result {
	t.Helper()
	if got.Failed {
		t.Fatalf("it failed:\n%s", got)
	}
	return got
}

// changes compares what a plan does to one resource.
func changes(t *testing.T, got Result, address string, want Action) Change {
	t.Helper()
	out := done(t, got).Changes[address]
	if out.Action != want {
		t.Errorf("%s: %q is planned, want %q:\n%s", address, out.Action, want, got)
	}
	return out
}

// withoutHub is a configuration with all members and no hub.
func withoutHub(t *testing.T) string {
	t.Helper()
	return regexp.MustCompile(`(?m)^  hub .*$`).ReplaceAllString(configured(t, ""), "")
}
