package report

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestChangesThatAreNotShown checks that a warning has the changes if the plan does not show them.
func TestChangesThatAreNotShown(t *testing.T) {
	for _, name := range []string{"no-conflict", "if-no-diff-differs", "update", "read-only"} {
		c := cases()[name]
		var diags diag.Diagnostics
		changes := Preview(&diags, c.preview, Plan{Strategy: c.strategy})
		if len(diags) != 1 {
			t.Fatalf("%s: %d diagnostics", name, len(diags))
		}
		golden(t, "unshown-"+name, diags[0].Severity().String()+": "+diags[0].Summary()+"\n\n"+diags[0].Detail()+"\n")
		for line := range strings.Lines(changes) {
			if !strings.Contains(diags[0].Detail(), strings.TrimSpace(line)) {
				t.Errorf("%s: the warning lacks %q", name, line)
			}
		}
	}
	var diags diag.Diagnostics
	c := cases()["nothing-to-do"]
	if changes := Preview(&diags, c.preview, Plan{Strategy: c.strategy}); changes != "" || len(diags) > 0 {
		t.Errorf("a placement that changes no object has the changes %q and %v", changes, diags)
	}
}

// TestCreatedAreNamed checks that a first apply names each created object that the plan does not list elsewhere.
func TestCreatedAreNamed(t *testing.T) {
	c := cases()["no-conflict"]
	var diags diag.Diagnostics
	const all = "6 to create on member-1 and member-2 (when_to_take_over: Always)"
	for want, listed := range map[string]func(manifest.Identifier) bool{
		all: func(manifest.Identifier) bool { return true },
		all + "\ncreate: Namespace web, Service web/web": func(id manifest.Identifier) bool { return id == deployment },
	} {
		if changes := Preview(&diags, c.preview, Plan{Strategy: c.strategy, Shown: true, Listed: listed}); changes != want {
			t.Errorf("the changes are %q, want %q", changes, want)
		}
	}
}

// TestAdviceOnce checks that a run gives each piece of advice once, and everything else each time.
func TestAdviceOnce(t *testing.T) {
	reported := map[string]bool{}
	first := func(text string) bool {
		defer func() { reported[text] = true }()
		return !reported[text]
	}
	c := cases()["mixed-never"]
	var details []string
	for range 2 {
		var diags diag.Diagnostics
		Preview(&diags, c.preview, Plan{Strategy: c.strategy, Shown: true, First: first})
		details = append(details, diags[0].Detail())
	}
	_, advice, found := strings.Cut(details[0], "\n\n")
	if !found || details[0] != details[1]+"\n\n"+advice || !strings.Contains(advice, "takes_over_from") {
		t.Errorf("%s\n\nand then\n\n%s", details[0], details[1])
	}
}

// TestUpdatesThatOverwrite checks that an update is in the warning if it overwrites the value of another field manager, and only then.
func TestUpdatesThatOverwrite(t *testing.T) {
	for manager, warns := range map[string]bool{"terraform-provider-fleet": false, "": false, "kubectl-edit": true} {
		color := diff.Difference{
			Field: "data.color", Path: "/data/color", InHub: "green", HasHub: true, InMember: "blue", HasMember: true, Manager: diff.Manager{Name: manager},
		}
		preview := of(on("member-1", engine.ObjectPreview{
			Identifier: service, Action: takeover.ActionUpdate, Exists: true, Owned: true, Differences: []diff.Difference{color},
		}))
		preview.Manager = "terraform-provider-fleet"
		var diags diag.Diagnostics
		changes := Preview(&diags, preview, Plan{Strategy: strategy(placement.TakeOverAlways), Shown: true})
		const field = `data.color: "blue" -> "green"`
		if strings.Contains(changes, field) == warns || (len(diags) > 0) != warns || warns && !strings.Contains(diags[0].Detail(), field) {
			t.Errorf("%q: the changes are %q, with %v", manager, changes, diags)
		}
	}
}

// TestUpdatesWithoutDifference checks that the changes name an object that is updated although no field differs.
func TestUpdatesWithoutDifference(t *testing.T) {
	color := diff.Difference{Field: "data.color", Path: "/data/color", InHub: "green", HasHub: true, InMember: "blue", HasMember: true}
	updated := func(differences ...diff.Difference) engine.ObjectPreview {
		return engine.ObjectPreview{Identifier: service, Action: takeover.ActionUpdate, Exists: true, Owned: true, Differences: differences}
	}
	for name, c := range map[string]struct {
		preview *engine.Preview
		want    string
	}{
		"everywhere": {of(on("member-1", updated()), on("member-2", updated())), "update, no difference found: Service web/web"},
		"somewhere":  {of(on("member-1", updated()), on("member-2", updated(color))), "update on member-1, no difference found: Service web/web"},
	} {
		var diags diag.Diagnostics
		changes := Preview(&diags, c.preview, Plan{Strategy: strategy(placement.TakeOverAlways), Shown: true})
		if !strings.Contains(changes+"\n", "\n"+c.want+"\n") || len(diags) > 0 {
			t.Errorf("%s: the changes are %q, with %v", name, changes, diags)
		}
	}
}
