//go:build unix

package suite

import (
	"os"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// TestJobsOutlastPrograms checks that CI does not cancel a job before a test program in it ends after its timeout, and that builds have half an hour.
func TestJobsOutlastPrograms(t *testing.T) {
	data, err := os.ReadFile("../../../.github/workflows/test.yml")
	if err != nil {
		t.Fatal(err)
	}
	var workflow struct {
		Jobs map[string]struct {
			Minutes int `yaml:"timeout-minutes"`
			Steps   []struct{ Run string }
		}
	}
	if err := yaml.Unmarshal(data, &workflow); err != nil {
		t.Fatal(err)
	}
	limits := map[string]time.Duration{".ci/run": programTimeout, "make test-all": longTimeout, "make test-race": longTimeout, "make testacc-kind": longTimeout, "make testacc-kubefleet-kind": longTimeout}
	for name, job := range workflow.Jobs {
		for _, step := range job.Steps {
			command := strings.TrimSpace(step.Run)
			limit, found := limits[command]
			delete(limits, command)
			if want := limit + 30*time.Minute; found && time.Duration(job.Minutes)*time.Minute < want {
				t.Errorf("the timeout of the job %s is %d minutes, want at least %s", name, job.Minutes, want)
			}
		}
	}
	for command := range limits {
		t.Errorf("no job runs %q", command)
	}
}
