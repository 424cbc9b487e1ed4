//go:build unix

package suite

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
)

// TestEnvironments checks that each run of go test has an environment of its own: the race detector needs cgo, which the other tests disable.
func TestEnvironments(t *testing.T) {
	root, err := gobuild.Root()
	if err != nil {
		t.Fatal(err)
	}
	// Without the setting of the run that this test is part of, and with space for an append by mistake.
	env := slices.Grow(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "CGO_ENABLED=") }), 10)
	runs, err := plan(t.Context(), root, env, Options{Patterns: []string{"./internal/kube/credential", "./internal/acctest/cli"}})
	if err != nil || len(runs) != 2 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	for _, run := range runs {
		race := slices.Contains(run.args, "-race")
		if !race == slices.Contains(run.env, "CGO_ENABLED=1") || race == slices.Contains(run.env, "CGO_ENABLED=0") {
			t.Errorf("race detector: %v, environment: %q", race, run.env[len(env):])
		}
	}
}
