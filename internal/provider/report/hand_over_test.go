package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
)

// given are objects that the placement takes over from another one.
func given(by engine.Given, ids ...manifest.Identifier) []engine.ObjectPreview {
	out := does(takeover.ActionTakeOverFrom, ids...)
	for i := range out {
		out[i].Given, out[i].Exists = &by, true
		out[i].Owner = takeover.Owner{Kind: takeover.OwnerPlacement, Name: by.From, Exclusive: true}
	}
	return out
}

// handed are objects that the placement hands over to another one.
func handed(to, problem string, ids ...manifest.Identifier) []engine.ObjectPreview {
	out := does(takeover.ActionHandOver, ids...)
	for i := range out {
		out[i].To, out[i].Problem, out[i].Exists = to, problem, true
	}
	return out
}

func handOverCases() map[string]testCase {
	never := strategy(placement.TakeOverNever)
	updated := given(engine.Given{From: "bulk", UID: "1", Created: true}, deployment)
	updated[0].Differences, updated[0].Restart = []diff.Difference{image}, workload.RestartRollout
	same := given(engine.Given{From: "bulk", UID: "2", Created: true}, service)
	elsewhere := given(engine.Given{From: "bulk", UID: "3", Created: true}, service)
	adopted := given(engine.Given{From: "bulk", UID: "4"}, secret)
	removed := given(engine.Given{From: "old", UID: "5", Created: true, Removed: true}, service)
	merged := of(on("member-1", append(given(engine.Given{From: "bulk", UID: "6"}, deployment), removed...)...))
	merged.Remaining = []engine.Remaining{{From: "old", Cluster: "member-1", Identifier: secret}, {From: "old", Cluster: "member-2", Identifier: secret}}
	merged.MissingGivers = []string{"bluk"}
	onHub := of(on("member-1", given(engine.Given{From: "old", UID: "7", Created: true, Removed: true}, service)...))
	onHub.Hub, onHub.MissingGivers, onHub.Remaining = &engine.HubPreview{}, merged.MissingGivers, merged.Remaining
	drifting := given(engine.Given{From: "bulk", UID: "8", Created: true}, deployment, service)
	drifting[0].Differences, drifting[0].Obstacle, drifting[0].Reason = []diff.Difference{image}, takeover.ObstacleDifferences, takeover.ReasonFoundDrifts
	ifNotDrifted := strategy(placement.TakeOverNever)
	ifNotDrifted.WhenToApply = placement.ApplyIfNotDrifted
	return map[string]testCase{
		"taken-from-drifted": {preview: of(on("member-1", drifting...)), strategy: ifNotDrifted},
		"taken-from": {
			preview:  of(on("member-1", append(append(updated, same...), adopted...)...), on("member-2", append(elsewhere, does(takeover.ActionCreate, deployment)...)...)),
			strategy: never,
		},
		"taken-from-equal": {preview: of(
			on("member-1", slices.Concat(given(engine.Given{From: "bulk", UID: "2", Created: true}, deployment, service), given(engine.Given{From: "bulk", UID: "4"}, secret))...),
			on("member-2", given(engine.Given{From: "bulk", UID: "2", Created: true}, deployment, service)...),
		), strategy: never},
		"handed-over-equal": {
			preview:  of(on("member-1", append(handed("web", "", deployment, service), does(takeover.ActionNone, namespace)...)...), on("member-2", handed("api", "", deployment)...)),
			strategy: never,
		},
		"taken-from-several": {preview: merged, strategy: never},
		"taken-from-on-hub":  {preview: onHub, strategy: never},
		"handed-over": {
			preview:  of(on("member-1", append(handed("web", "", deployment), does(takeover.ActionPrune, service)...)...), on("member-2", handed("web", "", deployment)...)),
			strategy: never,
		},
		"handed-over-to-several": {
			preview: of(on("member-1", append(handed("web", "", deployment),
				handed("api", `placement "api" may take it over, and its plan could not check the cluster`, service)...)...)),
			strategy: never,
		},
	}
}

// Each error of a hand-over names both placements and says what to change.
func TestHandOverErrors(t *testing.T) {
	overlaps := []engine.Overlap{{Cluster: "member-1", Object: service.Key()}}
	for name, c := range map[string]struct {
		add  func(*diag.Diagnostics)
		want []string
	}{
		"order": {func(d *diag.Diagnostics) { PlannedBefore(d, "web", "bulk", false, nil) }, []string{
			`Placement "bulk" was planned before "web"`, `plans "web" first, add to the resource of placement "bulk":`, "\n\n  depends_on = [fleet_crp.NAME]\n\n", "terraform destroy",
		}},
		"destroyed": {func(d *diag.Diagnostics) { PlannedBefore(d, "web", "bulk", true, overlaps) }, []string{
			"count      = 0", "depends_on = [fleet_crp.NAME]", `resource of placement "web"`, "remove only this one from count or for_each", "a resource of its own",
		}},
		"destroyed, the taker in a Namespace": {func(d *diag.Diagnostics) { PlannedBefore(d, "shop/web", "bulk", true, overlaps) }, []string{
			"depends_on = [fleet_resource_placement.NAME]", `resource of placement "shop/web"`,
		}},
		"both place, giver first": {func(d *diag.Diagnostics) { PlannedBefore(d, "web", "bulk", false, overlaps) }, []string{
			`Placement "web" takes over objects that "bulk" places as well`, "Service web/web on member-1", `Remove the objects from "bulk", or from "web"`,
		}},
		"lost": {func(d *diag.Diagnostics) {
			Lost(d, Loss{Taker: "web", Giver: "bulk", Renames: true, Objects: overlaps})
		}, []string{
			`Placement "bulk" deletes objects that "web" lists`, "Service web/web on member-1", "add to the resource of placement \"web\":\n\n  takes_over_from = [\"bulk\"]\n\n",
			"Add to the resource of placement \"bulk\":\n\n  depends_on = [fleet_crp.NAME]\n\n", `NAME is the name of the resource of placement "web".`,
		}},
		"lost by a removal": {func(d *diag.Diagnostics) {
			Lost(d, Loss{Taker: "web", Giver: "bulk", Removal: true, Renames: true, Objects: append(overlaps, engine.Overlap{Cluster: "member-2", Object: service.Key()})})
		}, []string{
			"add a moved block", "Service web/web on member-1 and member-2.", "count      = 0", `remove them from placement "web" for one apply`,
		}},
		"lost by a removal on a hub": {func(d *diag.Diagnostics) {
			Lost(d, Loss{Taker: "web", Giver: "bulk", Removal: true, Objects: overlaps})
		}, []string{
			"Nothing is applied.\n\nTo hand the objects over", "depends_on = [fleet_crp.NAME]",
		}},
		"two takers": {func(d *diag.Diagnostics) { TakenTwice(d, "web", "api", "bulk", overlaps) }, []string{
			`Placements "api" and "web" take over the same objects`, `name "bulk" in takes_over_from`, "Service web/web on member-1",
		}},
		"renamed": {func(d *diag.Diagnostics) { RenamedGiver(d, "web", "bulk", "core") }, []string{
			`Placement "bulk" is renamed while "web" takes objects over from it`, "Apply the rename first", `with "core" in takes_over_from`,
		}},
		"not removed": {func(d *diag.Diagnostics) { NotRemoved(d, "web", "bulk") }, []string{
			`Placement "bulk" is not removed from the state`, "takes_over_from", "removed block",
		}},
	} {
		var diags diag.Diagnostics
		c.add(&diags)
		if diags.ErrorsCount() != 1 || len(diags) != 1 {
			t.Errorf("%s: %v", name, diags)
			continue
		}
		text := diags[0].Summary() + "\n" + diags[0].Detail()
		for _, part := range c.want {
			if !strings.Contains(text, part) {
				t.Errorf("%s: no %q in %s", name, part, text)
			}
		}
	}
}

// A placement that does not change does not keep another one from being removed.
func TestLossOfUnchanged(t *testing.T) {
	var diags diag.Diagnostics
	Lost(&diags, Loss{Taker: "web", Giver: "bulk", Removal: true, Unchanged: true, Objects: []engine.Overlap{{Cluster: "member-1", Object: service.Key()}}})
	if len(diags) != 1 || diags.HasError() || strings.Contains(diags[0].Detail(), "Nothing is applied") || !strings.Contains(diags[0].Detail(), `takes_over_from = ["bulk"]`) {
		t.Errorf("%v", diags)
	}
}
