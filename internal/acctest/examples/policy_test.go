package examples

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/cli"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

const (
	settingsDeleted = "The apply deletes ConfigMap default/policy-settings on member-%s, in production."
	podsRestarted   = "The apply restarts Pods of Deployment default/policy-shop on member-%s, in production and between 11:00 and 14:00 UTC."
	bannerTakenOver = "The apply takes over ConfigMap default/policy-banner on member-3 from Helm release default/marketing."
)

// policyCase is a change of the example, and the policies that it violates.
type policyCase struct {
	name string
	args []string
	// at is the time of the change.
	at string
	// checks are the check blocks that warn.
	checks []string
	// denied are the violations, which the precondition and the Rego policy both report.
	denied []string
}

const (
	night = "2026-01-31T03:00:00Z"
	noon  = "2026-01-31T12:30:00Z"
)

var policyCases = []policyCase{
	{name: "no change", at: noon},
	{name: "a deletion", at: night, args: []string{"-var=settings=false"}, checks: []string{"no_deletion_in_production"}, denied: each(settingsDeleted, "2", "3")},
	{name: "a restart at noon", at: noon, args: []string{"-var=image=nginx:1.30"}, checks: []string{"no_restart_at_noon"}, denied: each(podsRestarted, "2", "3")},
	{name: "a restart at night", at: night, args: []string{"-var=image=nginx:1.30"}},
	{name: "a takeover", at: night, args: []string{"-var=when_to_take_over=Always"}, checks: []string{"no_takeover_from_others"}, denied: []string{bannerTakenOver}},
	{
		name: "all violations", at: noon, args: []string{"-var=settings=false", "-var=image=nginx:1.30", "-var=when_to_take_over=Always"},
		checks: []string{"no_deletion_in_production", "no_restart_at_noon", "no_takeover_from_others"},
		denied: slices.Concat(each(settingsDeleted, "2", "3"), each(podsRestarted, "2", "3"), []string{bannerTakenOver}),
	},
}

func each(text string, members ...string) (out []string) {
	for _, member := range members {
		out = append(out, strings.Replace(text, "%s", member, 1))
	}
	return out
}

// Each policy of the example warns, fails the plan and denies the plan as JSON exactly when a change violates it.
func TestPolicy(t *testing.T) {
	clusters.Need(t, fleet.Env)
	fleet.PutExample(t, "policy")
	w := fleet.Open(t, fleet.Newest(t), "examples/policy", "")
	fleet.MustDestroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve")
	for _, c := range policyCases {
		t.Run(c.name, func(t *testing.T) {
			args := append([]string{"plan", "-no-color", "-out=tfplan", "-var=at=" + c.at}, c.args...)
			out := must(t, w, append(args, "-var=enforce=false")...)
			var checks []string
			for _, name := range policyCases[len(policyCases)-1].checks {
				if strings.Contains(out, "check \""+name+"\"") {
					checks = append(checks, name)
				}
			}
			if diff := gocmp.Diff(c.checks, checks); diff != "" {
				t.Errorf("checks that warn (-want +got):\n%s\n%s", diff, out)
			}
			contains(t, out, c.denied...)
			plan := planAt(t, w, c.at)
			if diff := gocmp.Diff(slices.Sorted(slices.Values(c.denied)), denials(t, plan)); diff != "" {
				t.Errorf("violations of the Rego policy (-want +got):\n%s", diff)
			}
			out, err := w.Run(t.Context(), nil, args...)
			if failed := err != nil; failed != (len(c.denied) > 0) {
				t.Errorf("the enforced plan failed: %t\n%s", failed, out)
			}
			if len(c.denied) > 0 {
				contains(t, out, append([]string{"Error: Module output value precondition failed"}, c.denied...)...)
			}
		})
	}
	t.Run("destroy", func(t *testing.T) {
		must(t, w, "plan", "-destroy", "-out=tfplan", "-var=when_to_take_over=Always") // Terraform evaluates no precondition
		if got := denials(t, planAt(t, w, night)); !slices.Contains(got, "fleet_crp.shop is destroyed.") {
			t.Errorf("the Rego policy denies only %q", got)
		}
	})
	t.Run("incomplete previews", func(t *testing.T) { incompletePreviews(t, w) })
}

// incompletePreviews checks that the Rego policy denies plans whose previews do not show everything, and hand-overs from placements of others.
func incompletePreviews(t *testing.T, w *workspace.Workspace) {
	must(t, w, "plan", "-out=tfplan", "-var=image=nginx:1.30", "-var=enforce=false")
	for _, c := range []struct {
		name, at string
		// replaced are pairs of texts of the plan.
		replaced []string
		want     []string
	}{
		{name: "no preview", replaced: []string{`"type":"fleet_placement_preview"`, `"type":"other"`},
			want: []string{"fleet_crp.shop changes and the plan has no fleet_placement_preview of it."}},
		{name: "a member could not be checked", replaced: []string{`"error":""`, `"error":"timeout"`},
			want: each("member-%s could not be checked: timeout", "1", "2", "3")},
		{name: "unknown environments", at: noon, replaced: []string{`"type":"fleet_member_cluster"`, `"type":"other"`}, want: each(podsRestarted, "1", "2", "3")},
		{name: "read during the apply",
			replaced: []string{`"resource_changes":[`, `"resource_changes":[{"address":"data.fleet_placement_preview.shop",` +
				`"type":"fleet_placement_preview","change":{"actions":["read"]}},`},
			want: []string{"data.fleet_placement_preview.shop is read only during the apply."}},
		{name: "a hand-over", replaced: []string{`"action":"update"`, `"action":"take_over_from"`, `"from":""`, `"from":"billing"`},
			want: each("The apply takes over Deployment default/policy-shop on member-%s from the placement billing.", "1", "2", "3")},
		{name: "a hand-over within the team", replaced: []string{`"action":"update"`, `"action":"take_over_from"`, `"from":""`, `"from":"policy-shop"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := gocmp.Diff(c.want, denials(t, strings.NewReplacer(c.replaced...).Replace(planAt(t, w, cmp.Or(c.at, night))))); diff != "" {
				t.Errorf("violations (-want +got):\n%s", diff)
			}
		})
	}
}

// planAt returns the saved plan as JSON, with the given time as that of the plan.
func planAt(t *testing.T, w *workspace.Workspace, at string) string {
	t.Helper()
	var plan map[string]any
	if err := json.Unmarshal([]byte(must(t, w, "show", "-json", "tfplan")), &plan); err != nil {
		t.Fatal(err)
	}
	plan["timestamp"] = at
	text, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// denials returns the sorted violations that the Rego policy finds in a plan, with the command of the example. opa fails if there are any.
func denials(t *testing.T, plan string) []string {
	t.Helper()
	opa, err := cli.Build(t.Context(), cli.OPAName, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), opa, "eval", "--strict", "--format=raw", "--fail-defined", "--stdin-input",
		"--data="+filepath.Join(documents.Root(t), "examples", "policy", "policy.rego"), "data.fleet.deny[_]")
	cmd.Stdin = strings.NewReader(plan)
	text, err := cmd.CombinedOutput()
	out := strings.Split(strings.TrimSpace(string(text)), "\n")
	if out[0] == "" {
		out = nil
	}
	if failed := err != nil; failed != (len(out) > 0) {
		t.Fatalf("opa: %v\n%s", err, text)
	}
	slices.Sort(out)
	return out
}
