package protocol

import (
	"fmt"
	"strings"
	"testing"
)

// TestRename checks the plan of a new name. It is an error if a name passes to another placement in the same run, or belongs to another placement.
func TestRename(t *testing.T) {
	t.Parallel()
	a := newTestPlacement(t, "renames")
	configuration := func(placement, color string) string {
		return strings.Replace(a.configuration(color, onTwo, "a", "b"), `name = "renames"`, "name = \""+placement+"\"", 1)
	}
	uid := func() string {
		live, err := fleet.On(t, "member-2").Get(t.Context(), "v1", "ConfigMap", "default", a.name+"-b")
		if err != nil || live == nil {
			t.Fatalf("%v, %v", live, err)
		}
		return fmt.Sprint(live.GetUID())
	}
	done(t, a.Apply(t.Context(), configuration("renames", "blue")))
	before := uid()

	plan := a.Plan(t.Context(), configuration("renames-2", "blue"))
	changes(t, plan, "fleet_crp.p", Update)
	a.checkMentions(plan, "Placement renames is renamed to renames-2: objects keep running, records and labels on 2 clusters are updated.")
	done(t, a.Apply(t.Context(), configuration("renames-2", "blue")))
	changes(t, a.Plan(t.Context(), configuration("renames-2", "blue")), "fleet_crp.p", NoOp)

	// The same apply changes objects.
	plan = a.Plan(t.Context(), configuration("renames", "green"))
	changes(t, plan, "fleet_crp.p", Update)
	a.checkMentions(plan, "4 to update on member-1 and member-2", "Placement renames-2 is renamed to renames:")
	done(t, a.Apply(t.Context(), configuration("renames", "green")))
	a.checkColor("member-1", "a", "green")
	changes(t, a.Plan(t.Context(), configuration("renames", "green")), "fleet_crp.p", NoOp)

	// In one run, another placement cannot use the old name, whichever Terraform plans first.
	other := a
	other.name, other.provider = "renames-other", ""
	second := func(address, name string) string {
		return strings.NewReplacer(`"p"`, address, `name = "renames-other"`, "name = \""+name+"\"").Replace(other.configuration("blue", onTwo, "a"))
	}
	for _, address := range []string{`"a"`, `"q"`} {
		rejects(t, a.Plan(t.Context(), configuration("renames-2", "green")+second(address, "renames")), `(?s)A name passes from one placement.*"renames".*second apply`)
	}
	done(t, a.Apply(t.Context(), configuration("renames", "green")+second(`"q"`, "renames-other")))
	const taken = `"renames" cannot be renamed to "renames-other": another placement of that name exists already on member-1, member-2.*apply that change first`
	rejects(t, a.Plan(t.Context(), configuration("renames-other", "green")+second(`"q"`, "renames")), taken)
	rejects(t, a.Plan(t.Context(), configuration("renames-other", "green")), "would be destroyed and created in one run")

	// The same holds for a placement in another state.
	stranger := New()
	stranger.state["fleet_crp.p"] = a.state["fleet_crp.q"]
	delete(a.state, "fleet_crp.q")
	rejects(t, a.Plan(t.Context(), configuration("renames-other", "green")), taken)
	changes(t, a.Plan(t.Context(), configuration("renames", "green")), "fleet_crp.p", NoOp)
	done(t, stranger.Apply(t.Context(), a.provider))
	if after := uid(); after != before {
		t.Errorf("UID of the object: %s, want %s", after, before)
	}
	done(t, a.Apply(t.Context(), a.provider))
	a.checkColor("member-1", "a", "")
}
