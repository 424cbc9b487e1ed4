package protocol

import (
	"fmt"
	"strings"
	"testing"
)

// TestMoveBetweenPlacements checks the steps of the guide "Takeover": an object moves from one placement to another without being deleted.
func TestMoveBetweenPlacements(t *testing.T) {
	t.Parallel()
	a := newTestPlacement(t, "moves")
	configuration := func(strategy, from, to string) string {
		out := strings.ReplaceAll(a.configuration("blue", `"member-1"`, strings.Split(from, "")...), "  policy =", strategy+"  policy =")
		other := a
		other.provider = ""
		into := other.configuration("blue", `"member-1"`, strings.Split(to, "")...)
		return out + strings.NewReplacer(`"p"`, `"q"`, `name = "moves"`, `name = "moves-to"`).Replace(into)
	}
	uid := func() string {
		live, err := fleet.On(t, "member-1").Get(t.Context(), "v1", "ConfigMap", "default", a.name+"-b")
		if err != nil || live == nil {
			t.Fatalf("%v, %v", live, err)
		}
		return fmt.Sprint(live.GetUID())
	}
	done(t, a.Apply(t.Context(), configuration("", "ab", "c")))
	a.checkMentions(a.Plan(t.Context(), configuration("", "a", "bc")), "1 to delete", `Placement "moves" deletes objects that "moves-to" lists`)
	before := uid()
	const abandon = "  strategy = { delete_strategy = { propagation_policy = \"Abandon\" } }\n"
	done(t, a.Apply(t.Context(), configuration(abandon, "ab", "c")))
	a.checkMentions(done(t, a.Apply(t.Context(), configuration(abandon, "a", "bc"))), "1 to leave on the cluster")
	a.checkMentions(done(t, a.Apply(t.Context(), configuration(abandon, "a", "bc"))), "1 to take over on member-1")
	done(t, a.Apply(t.Context(), configuration("", "a", "bc")))
	a.checkMentions(done(t, a.Apply(t.Context(), a.provider)), "1 to delete, 1 left on the cluster")
	if after := uid(); after != before {
		t.Errorf("UID of the object: %s, want %s", after, before)
	}
	if err := fleet.On(t, "member-1").Delete(t.Context(), "v1", "ConfigMap", "default", a.name+"-b"); err != nil {
		t.Error(err)
	}
}
