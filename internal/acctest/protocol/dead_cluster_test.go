package protocol

import (
	"strings"
	"testing"
)

// withUnreachable returns a provider configuration that cannot reach a member.
func withUnreachable(provider, member string) string {
	context := `config_context = "` + member + `"`
	return strings.Replace(provider, context, context+`, host = "https://127.0.0.1:1"`, 1)
}

// TestErrorOfAClusterIsShownOnce checks that the plan of several placements shows the error of a cluster once, that their apply does too, and that the next
// plan says why the placements change although no object does.
func TestErrorOfAClusterIsShownOnce(t *testing.T) {
	t.Parallel()
	h := newHandOver(t, "outage")
	resources := func(color string) string {
		changing := strings.ReplaceAll(h.crp("web", "a", "")+h.crp("api", "b", ""), "color: blue", "color: "+color)
		return strings.ReplaceAll(changing+h.crp("unchanged", "c", ""), `["member-1"]`, "["+onTwo+"]")
	}
	good := h.provider
	done(t, h.Apply(t.Context(), good+resources("blue")))
	saved := h.Save(t.Context(), withUnreachable(good, "member-2")+resources("green"))
	applied := done(t, saved.Apply(t.Context()))
	again := h.Plan(t.Context(), withUnreachable(good, "member-2")+resources("green"))
	const cause, elsewhere = "connection refused", "The error is shown elsewhere in this run."
	for name, c := range map[string]struct {
		got           Result
		shows, refers int
	}{
		"plan": {saved.Result, 1, 2}, "plan and apply": {applied, 2, 3}, "plan after the apply": {again, 1, 2}, // the apply changes two of the three placements
	} {
		text := done(t, c.got).String()
		if shows, refers := strings.Count(text, cause), strings.Count(text, elsewhere); shows != c.shows || refers != c.refers {
			t.Errorf("%s: %d times %q, and %d times %q:\n%s", name, shows, cause, refers, elsewhere, text)
		}
	}
	h.checkMentions(again, "no object to write; 1 cluster NOT CHECKED, which the apply retries", "On a cluster that responds, it creates objects and updates")
	done(t, h.Apply(t.Context(), good+resources("green")))
	h.checkColor("member-2", "a", "green")
	done(t, h.Apply(t.Context(), good))
	h.checkColor("member-2", "a", "")
}

// TestRemovalContinues checks that the plan after an incomplete removal shows only the cluster on which the placement still has objects. The record on the
// other cluster was removed as planned, so it does not count as lost.
func TestRemovalContinues(t *testing.T) {
	t.Parallel()
	h := newHandOver(t, "continued")
	web := strings.ReplaceAll(h.crp("web", "a", ""), `["member-1"]`, "["+onTwo+"]")
	done(t, h.Apply(t.Context(), h.provider+web))
	if failed := h.Apply(t.Context(), withUnreachable(h.provider, "member-2")); !failed.Failed {
		t.Fatalf("the removal succeeds without member-2:\n%s", failed)
	}
	h.checkColor("member-1", "a", "")
	again := h.Plan(t.Context(), h.provider)
	if text := done(t, again).String(); strings.Contains(text, "RECORD IS MISSING") || strings.Contains(text, "member-1") {
		t.Errorf("the plan mentions more than member-2:\n%s", text)
	}
	h.checkMentions(again, "member-2")
	done(t, h.Apply(t.Context(), h.provider))
	h.checkColor("member-2", "a", "")
}

// TestRemovalOfADeadMember checks the plan that removes an unreachable member. It says that the placed objects remain on the cluster. If on_unreachable
// is "Error", it says that the removal will fail. The test is not parallel, because other tests use the same member.
func TestRemovalOfADeadMember(t *testing.T) {
	w := New()
	good := withoutHub(t)
	member := func(options string) string {
		return "resource \"fleet_member_cluster\" \"m\" {\n  name = \"member-3\"\n  labels = { environment = \"canary\" }\n" + options + "}\n"
	}
	done(t, w.Import(t.Context(), good+member(""), "fleet_member_cluster.m", "member-3"))
	checkOutput(t, done(t, w.Plan(t.Context(), withUnreachable(good, "member-3"))), `The member cluster "member-3" cannot be reached, and will be removed from the state only`,
		"The placed objects remain on the cluster")
	done(t, w.Apply(t.Context(), good+member("  delete_options = { on_unreachable = \"Error\" }\n")))
	checkOutput(t, done(t, w.Plan(t.Context(), withUnreachable(good, "member-3"))), `The membership of "member-3" cannot be ended now`, `on_unreachable = "Forget"`)
	if got := done(t, w.Plan(t.Context(), good)); strings.Contains(got.String(), "cannot be") {
		t.Errorf("the plan that removes a member which responds warns:\n%s", got)
	}
	done(t, w.Apply(t.Context(), good+member("")))
}
