package membership

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
)

// checkPlan compares a plan with a golden file and checks its number of lines, without the refresh.
func checkPlan(t *testing.T, name string, budget int, plan string) {
	t.Helper()
	_, plan, planned := strings.Cut(plan, "Terraform used the selected providers")
	plan = "Terraform used the selected providers" + strings.TrimRight(plan, "\n") + "\n"
	harness.Golden(t, name, inOneOrder(plan))
	if lines := strings.Count(plan, "\n"); lines > budget || !planned {
		t.Errorf("the plan has %d lines, and may have %d:\n%s", lines, budget, plan)
	}
}

// summaryWarning matches the summary warning of a run. The placement that is planned last has it.
var summaryWarning = regexp.MustCompile(`(?s)Warning: (Run so far [^\n]*\n\n)  with [^\n]*\n  on [^\n]*\n[^\n]*\n`)

// inOneOrder returns a plan with its warnings sorted and the summary warning last, without the placement that has the summary. Terraform plans placements in an
// order that varies.
func inOneOrder(plan string) string {
	head, rest, found := strings.Cut(plan, "\nWarning: ")
	if !found {
		return plan
	}
	summed := ""
	rest = "Warning: " + rest
	if at := summaryWarning.FindStringSubmatchIndex(rest); at != nil {
		end := strings.Index(rest[at[1]:], "\n\nWarning: ")
		if end < 0 {
			end = len(rest) - at[1]
		}
		summed = "\nWarning: " + rest[at[2]:at[3]] + "  (where the last one was planned)\n" + strings.TrimRight(rest[at[1]:at[1]+end], "\n") + "\n"
		rest = strings.Trim(rest[:at[0]]+rest[at[1]+end:], "\n")
	}
	var warnings []string
	if rest != "" {
		warnings = strings.Split(strings.TrimPrefix(strings.TrimRight(rest, "\n"), "Warning: "), "\n\nWarning: ")
	}
	slices.Sort(warnings)
	for i, warning := range warnings {
		warnings[i] = "\nWarning: " + warning + "\n"
	}
	return head + strings.Join(warnings, "") + summed
}

// TestPlansOfAProject checks that the plans of a project fit on a screen. Without a budget, the first apply took 1,354 lines, an image upgrade 85, a leaving
// member 240, and the destroy 1,596.
func TestPlansOfAProject(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	clusters.Need(t, fleet.Env)
	w := fleet.Open(t, fleet.Newest(t), "internal/acctest/membership/testdata/project", "")
	fleet.MustDestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve", "-target=fleet_member_cluster.member")
	checkPlan(t, "project-first-apply", 200, must(t, w, "plan"))
	must(t, w, "apply", "-auto-approve")
	contains(t, must(t, w, "plan"), "No changes.")
	contains(t, must(t, w, "plan", "-refresh-only"), "No changes.")

	checkPlan(t, "project-image", 45, must(t, w, "plan", "-var=image=registry.example.com/shop:1.1"))
	checkPlan(t, "project-settings", 30, must(t, w, "plan", "-var=color=green"))
	placements := filepath.Join(w.Dir, "placements.tf")
	if err := os.Rename(placements, placements+".away"); err != nil {
		t.Fatal(err)
	}
	checkPlan(t, "project-destroy", 250, must(t, w, "plan"))
	if err := os.Rename(placements+".away", placements); err != nil {
		t.Fatal(err)
	}

	const fewer = `-var=members=["member-1", "member-2"]`
	checkPlan(t, "project-member-leaves", 40, must(t, w, "plan", fewer))
	must(t, w, "apply", "-auto-approve", fewer)
	contains(t, must(t, w, "plan", fewer), "No changes.")
	// member-3 joins the fleet again, after its registration is deleted. The records of the placements on it still list the objects.
	if err := fleet.On(t, "member-3").Delete(t.Context(), "v1", "ConfigMap", "fleet-system", "member-cluster"); err != nil {
		t.Fatal(err)
	}
	must(t, w, "apply", "-auto-approve")
	contains(t, must(t, w, "plan"), "No changes.")
	must(t, w, "destroy", "-auto-approve")
	fleet.Absent(t, "member-3", "v1", "Namespace", "", "shop")
}

// TestPlansOfTheDemo checks that an update in the demo fits on a screen.
func TestPlansOfTheDemo(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	fleet.PutExample(t, "takeover")
	w := fleet.Open(t, fleet.Newest(t), "examples/takeover", "")
	fleet.LeaveAtEnd(t, w)
	must(t, w, "apply", "-auto-approve", "-var=when_to_take_over=Never")
	for _, mode := range []string{"IfNoDiff", "Always"} {
		plan := must(t, w, "plan", "-var=when_to_take_over="+mode)
		checkPlan(t, "demo-"+strings.ToLower(mode), 45, plan)
		_, resources, _ := strings.Cut(plan, "following actions:\n\n")
		if resources, _, _ = strings.Cut(resources, "\nPlan: "); strings.Count(resources, "\n") > 25 {
			t.Errorf("the resource has %d lines:\n%s", strings.Count(resources, "\n"), resources)
		}
		must(t, w, "apply", "-auto-approve", "-var=when_to_take_over="+mode)
	}
	must(t, w, "destroy", "-auto-approve", "-var=when_to_take_over=Always")
}
