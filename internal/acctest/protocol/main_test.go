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

// configured returns a configuration with the hub and all members.
func configured(t *testing.T, blocks string) string {
	t.Helper()
	clusters.Need(t, fleet.Env)
	return fleet.Provider(fleet.Env.Kubeconfig) + blocks
}

// refused checks that an apply fails with an error that matches.
func refused(t *testing.T, configuration, want string) {
	t.Helper()
	rejects(t, New().Apply(t.Context(), configuration), want)
}

// rejects checks that a run has failed with an error that matches.
func rejects(t *testing.T, got Result, want string) {
	t.Helper()
	if !got.Failed || !regexp.MustCompile(want).MatchString(got.String()) {
		t.Errorf("no error that matches %s:\n%s", want, got)
	}
}

// done checks that a run has succeeded.
func done(t *testing.T, got Result) Result {
	t.Helper()
	if got.Failed {
		t.Fatalf("the run failed:\n%s", got)
	}
	return got
}

// changes checks the planned action for one resource, and returns the change.
func changes(t *testing.T, got Result, address string, want Action) Change {
	t.Helper()
	out := done(t, got).Changes[address]
	if out.Action != want {
		t.Errorf("%s: planned action %q, want %q:\n%s", address, out.Action, want, got)
	}
	return out
}

// withoutHub returns a configuration with all members and no hub.
func withoutHub(t *testing.T) string {
	t.Helper()
	return regexp.MustCompile(`(?m)^  hub .*$`).ReplaceAllString(configured(t, ""), "")
}
