package protocol

import (
	"fmt"
	"strings"
	"testing"
)

// handOver is a pair of placements: bulk has objects, and web takes over some of them.
type handOver struct {
	testPlacement

	uids map[string]string
}

func newHandOver(t *testing.T, name string) *handOver {
	t.Helper()
	return &handOver{testPlacement: newTestPlacement(t, name)}
}

// crp returns the resource of a placement. objects are one-letter names.
func (h *handOver) crp(name, objects, more string) string {
	h.t.Helper()
	_, text, _ := strings.Cut(h.configuration("blue", `"member-1"`, strings.Split(objects, "")...), `resource "fleet_crp"`)
	text = strings.NewReplacer(`"p"`, fmt.Sprintf("%q", name), fmt.Sprintf("name = %q", h.name), fmt.Sprintf("name = %q", h.name+"-"+name)).Replace(text)
	return `resource "fleet_crp"` + strings.Replace(text, "  policy =", more+"  policy =", 1)
}

// run returns a configuration of resources, in the order in which they are planned.
func (h *handOver) run(resources ...string) string { return h.provider + strings.Join(resources, "") }

// from returns the argument that names bulk.
func (h *handOver) from(argument string) string {
	return fmt.Sprintf("  %s = [%q, null]\n", argument, h.name+"-bulk")
}

// checkUIDs records the UIDs of objects, and fails the test if one has changed.
func (h *handOver) checkUIDs(objects string) {
	h.t.Helper()
	seen := map[string]string{}
	for _, object := range strings.Split(objects, "") {
		live, err := fleet.On(h.t, "member-1").Get(h.t.Context(), "v1", "ConfigMap", "default", h.name+"-"+object)
		if err != nil || live == nil {
			h.t.Fatalf("%s: %v, %v", object, live, err)
		}
		seen[object] = string(live.GetUID())
		if before := h.uids[object]; before != "" && before != seen[object] {
			h.t.Errorf("UID of %s: %s, want %s", object, seen[object], before)
		}
	}
	h.uids = seen
}

// If an apply completes only a part, the next one hands over the rest.
func TestHandOverAfterHalfAnApply(t *testing.T) {
	t.Parallel()
	h := newHandOver(t, "half")
	done(t, h.Apply(t.Context(), h.run(h.crp("bulk", "abc", ""))))
	h.checkUIDs("ab")
	web, bulk := h.crp("web", "ab", h.from("takes_over_from")), h.crp("bulk", "c", "")
	saved := h.Save(t.Context(), h.run(web, bulk))
	h.checkMentions(saved.Result, "2 to take over from other placements on member-1", "2 to hand over")
	// As in an interrupted apply, apply only the taker.
	saved.run.blocks = saved.run.blocks[:1]
	kept := h.state["fleet_crp.bulk"]
	done(t, saved.Apply(t.Context()))
	h.state["fleet_crp.bulk"] = kept
	h.checkUIDs("ab")
	h.checkMentions(done(t, h.Apply(t.Context(), h.run(web, bulk))), `it now belongs to another placement "half-web"`)
	h.checkUIDs("ab")
	unchanged(t, h.Plan(t.Context(), h.run(web, bulk)))
	unchanged(t, h.Plan(t.Context(), h.run(h.crp("web", "ab", ""), bulk)))
	h.checkMentions(done(t, h.Apply(t.Context(), h.provider)), "2 to delete", "1 to delete")
	h.checkColor("member-1", "a", "")
	h.checkColor("member-1", "c", "")
}

// A taker removes a field of the giver only if the field still has the value that its plan has shown.
func TestHandOverWithRemovedField(t *testing.T) {
	t.Parallel()
	for name, strategy := range map[string]string{"fewer": "", "fewer-server": serverSide} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHandOver(t, name)
			sized := strings.Replace(h.crp("bulk", "ac", strategy), "data: {color: blue}", "data: {color: blue, size: small}", 1)
			done(t, h.Apply(t.Context(), h.run(sized)))
			web, bulk := h.crp("web", "a", strategy+h.from("takes_over_from")), h.crp("bulk", "c", strategy)
			saved := h.Save(t.Context(), h.run(web, bulk))
			h.checkMentions(saved.Result, `data.size: "small" -> absent`)
			if strategy != "" {
				done(t, saved.Apply(t.Context()))
				h.checkKey("member-1", "a", "size", "")
				return
			}
			h.patch("member-1", "a", `{"data":{"size":"large"}}`)
			h.checkMentions(saved.Apply(t.Context()), "changed since the plan")
			h.checkKey("member-1", "a", "size", "large")
			done(t, h.Apply(t.Context(), h.run(web, bulk)))
			h.checkKey("member-1", "a", "size", "")
		})
	}
}

// If the giver is destroyed before the taker is planned, the plan returns an error that says how to hand its objects over.
func TestHandOverOfDestroyedGiver(t *testing.T) {
	t.Parallel()
	h := newHandOver(t, "destroyed")
	done(t, h.Apply(t.Context(), h.run(h.crp("bulk", "a", ""))))
	h.checkUIDs("a")
	got := h.Plan(t.Context(), h.run(h.crp("web", "a", h.from("takes_over_from"))))
	if !got.Failed {
		t.Errorf("the plan succeeded:\n%s", got)
	}
	h.checkMentions(got, `Placement "destroyed-bulk" was planned before "destroyed-web"`, "count      = 0", "depends_on = [fleet_crp.NAME]")
	got = h.Plan(t.Context(), h.run(h.crp("web", "a", h.from("takes_over_from_removed"))))
	if !got.Failed {
		t.Errorf("the plan succeeded:\n%s", got)
	}
	h.checkMentions(got, `Placement "destroyed-bulk" is not removed from the state`)
	delete(h.state, "fleet_crp.bulk") // like a removed block
	web := h.crp("web", "a", h.from("takes_over_from_removed"))
	h.checkMentions(done(t, h.Apply(t.Context(), h.run(web))), "to take over from other placements")
	h.checkUIDs("a")
	unchanged(t, h.Plan(t.Context(), h.run(web)))
	h.checkMentions(done(t, h.Apply(t.Context(), h.provider)), "1 to delete")
	h.checkColor("member-1", "a", "")
}

// Without takes_over_from, one placement would delete objects that move to the other, and the other would not take them over. So the plan returns an error.
func TestObjectsPassWithoutHandOver(t *testing.T) {
	t.Parallel()
	h := newHandOver(t, "passing")
	done(t, h.Apply(t.Context(), h.run(h.crp("bulk", "ab", ""))))
	h.checkUIDs("ab")
	title := `Placement "passing-bulk" deletes objects that "passing-web" lists`
	web, bulk := h.crp("web", "a", ""), h.crp("bulk", "b", "")
	for _, order := range [][]string{{web, bulk}, {bulk, web}} {
		got := h.Plan(t.Context(), h.run(order...))
		h.checkMentions(got, title, "takes_over_from = [\"passing-bulk\"]", "depends_on = [fleet_crp.NAME]")
		h.warnsOnce(got)
	}
	got := h.Plan(t.Context(), h.run(web))
	h.checkMentions(got, title, "moved block", "count      = 0")
	h.warnsOnce(got)
	h.checkUIDs("ab")
	both := h.run(web, h.crp("bulk", "ab", ""))
	h.checkMentions(done(t, h.Apply(t.Context(), both)), "not taken over")
	h.checkMentions(done(t, h.Plan(t.Context(), h.run(web))), title) // a warning: the other placement does not change
	h.checkUIDs("ab")
	done(t, h.Apply(t.Context(), h.provider)) // both are destroyed
	h.checkColor("member-1", "a", "")
}

// warnsOnce checks that only the placement that is planned first warns, before the other one returns the error.
func (h *handOver) warnsOnce(got Result) {
	h.t.Helper()
	if n := strings.Count(got.String(), "Warning: "); n != 1 {
		h.t.Errorf("%d warnings in addition to the error:\n%s", n, got)
	}
}

// A giver that is renamed in the same run is an error, whichever of its names the taker uses: the records still have the old one.
func TestHandOverFromRenamedGiver(t *testing.T) {
	t.Parallel()
	h := newHandOver(t, "renamed")
	done(t, h.Apply(t.Context(), h.run(h.crp("bulk", "ab", ""))))
	h.checkUIDs("ab")
	renamed := strings.Replace(h.crp("bulk", "b", ""), `"renamed-bulk"`, `"renamed-core"`, 1)
	for _, name := range []string{"renamed-bulk", "renamed-core"} {
		web := h.crp("web", "a", fmt.Sprintf("  takes_over_from = [%q]\n", name))
		for _, order := range [][]string{{web, renamed}, {renamed, web}} {
			h.checkMentions(h.Plan(t.Context(), h.run(order...)), `Placement "renamed-bulk" is renamed while "renamed-web" takes objects over from it`)
		}
	}
	h.checkUIDs("ab")
	done(t, h.Apply(t.Context(), h.provider))
}

// Without a complete preview, no object of the giver is deleted: which objects are taken over is unknown.
func TestHandOverWithoutPreview(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ provider, more string }{
		"off":     {"  preview = \"Off\"\n", ""},
		"unknown": {"", "  manifests_wo = { z = fleet_crp.first.phase == null ? \"\" : \"{apiVersion: v1, kind: ConfigMap, metadata: {name: unseen-z, namespace: default}}\" }\n"},
	} {
		h := newHandOver(t, "unseen-"+name)
		done(t, h.Apply(t.Context(), h.run(h.crp("bulk", "abc", ""))))
		h.checkUIDs("abc")
		first := h.crp("first", "f", "")
		h.provider = strings.Replace(h.provider, "provider \"fleet\" {\n", "provider \"fleet\" {\n"+c.provider, 1)
		web, bulk := h.crp("web", "a", h.from("takes_over_from")+c.more), h.crp("bulk", "c", "")
		done(t, h.Apply(t.Context(), h.run(first, web, bulk)))
		h.checkUIDs("abc")
		h.provider = strings.Replace(h.provider, c.provider, "", 1)
		done(t, h.Apply(t.Context(), h.run(first, web, bulk)))
		h.checkUIDs("ac")
		h.checkColor("member-1", "b", "")
		unchanged(t, h.Plan(t.Context(), h.run(first, web, bulk)))
		done(t, h.Apply(t.Context(), h.provider))
	}
}

// The preview of each side shows the handover, and an apply can be bound to it.
func TestPreviewOfHandOver(t *testing.T) {
	t.Parallel()
	h := newHandOver(t, "reviewed")
	done(t, h.Apply(t.Context(), h.run(h.crp("bulk", "abc", ""))))
	h.checkUIDs("a")
	data := func(name, objects, more string) string {
		return strings.NewReplacer(`resource "fleet_crp"`, `data "fleet_placement_preview"`).Replace(h.crp(name, objects, more))
	}
	expect := func(name string) string {
		return "  expected_preview = data.fleet_placement_preview." + name + ".digest\n"
	}
	previews := data("web", "a", h.from("takes_over_from")) + data("bulk", "c", "")
	got := done(t, h.Apply(t.Context(), h.run(previews, h.crp("web", "a", h.from("takes_over_from")+expect("web")), h.crp("bulk", "c", expect("bulk")))))
	h.checkUIDs("a")
	h.checkColor("member-1", "b", "")
	for name, want := range map[string][]string{
		"web":  {`"take_over_from"`, "Objects that are taken over from other placements", "`reviewed-bulk`"},
		"bulk": {`"hand_over"`, "handed over to placement `reviewed-web`, not deleted", "**deleted**"},
	} {
		text := got.Changes["data.fleet_placement_preview."+name].After.GoString()
		for _, part := range want {
			if !strings.Contains(text, strings.ReplaceAll(part, `"`, `\"`)) && !strings.Contains(text, part) {
				t.Errorf("%s: missing %q in %s", name, part, text)
			}
		}
	}
	done(t, h.Apply(t.Context(), h.provider))
}

// If the taker fails, its objects stay with the giver, which is applied afterwards.
func TestHandOverToFailingTaker(t *testing.T) {
	t.Parallel()
	h := newHandOver(t, "failing")
	done(t, h.Apply(t.Context(), h.run(h.crp("bulk", "ab", ""))))
	h.checkUIDs("a")
	web, bulk := h.crp("web", "a", h.from("takes_over_from")), h.crp("bulk", "b", "")
	saved := h.Save(t.Context(), h.run(web, bulk))
	h.change("member-1", "a", "theirs") // so that it is not the object that the plan shows
	h.checkMentions(saved.Apply(t.Context()), "changed since the plan", `failing-a stays on the cluster until the placement "failing-web" takes it over`)
	h.checkUIDs("a")
	h.checkColor("member-1", "a", "theirs")
	done(t, h.Apply(t.Context(), h.run(web, bulk)))
	h.checkUIDs("a")
	h.checkColor("member-1", "a", "blue")
	unchanged(t, h.Plan(t.Context(), h.run(web, bulk)))
	done(t, h.Apply(t.Context(), h.provider))
	h.checkColor("member-1", "a", "")
}

// unchanged checks that a plan changes no resource.
func unchanged(t *testing.T, got Result) {
	t.Helper()
	for address, change := range done(t, got).Changes {
		if change.Action != NoOp && change.Action != Read {
			t.Errorf("the plan for %s is %s, want no change:\n%s", address, change.Action, got)
		}
	}
}
