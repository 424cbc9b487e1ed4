package report

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// hubCases are predictions of what a hub does.
func hubCases() map[string]testCase {
	predicted := func(rollout [][]string, hold *engine.Hold) testCase {
		updates := does(takeover.ActionUpdate, deployment)
		preview := of(on("member-1", updates...), on("member-2", updates...), on("member-3", updates...))
		preview.Hub = &engine.HubPreview{Rollout: rollout, Hold: hold}
		return testCase{preview: preview, strategy: strategy(placement.TakeOverAlways)}
	}
	none := func(objects ...engine.ObjectPreview) testCase {
		preview := of(on("member-1", objects...))
		preview.Hub, preview.Selected, preview.EmptySelectors = &engine.HubPreview{}, nil, []int{0}
		return testCase{preview: preview, strategy: strategy(placement.TakeOverAlways)}
	}
	adopts := func(keeps bool) testCase {
		preview := of(on("member-1", does(takeover.ActionTakeOver, deployment)...))
		preview.Hub = &engine.HubPreview{KeepsAdopted: keeps}
		return testCase{preview: preview, strategy: strategy(placement.TakeOverAlways)}
	}
	held := predicted(nil, nil)
	held.preview = of(on("member-1", hubHeld()...), on("member-2", hubHeld()...), hubUnseen(true))
	held.preview.Hub = &engine.HubPreview{KeepsAdopted: true}
	some := predicted(nil, nil)
	some.preview.EmptySelectors = []int{1}
	skips := predicted(nil, nil)
	skips.preview.EmptySelectors = []int{1, 2, 3}
	skips.preview.Skipped = []selection.Skipped{
		{Identifier: manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "web", Name: "kube-root-ca.crt"}, Selector: 1, Reason: "every cluster has its own"},
		{Identifier: manifest.Identifier{Version: "v1", Kind: "Node"}, Selector: 2, Reason: "it belongs to one cluster"},
	}
	external := predicted(nil, nil)
	external.preview = of(on("member-1", does(takeover.ActionCreate, namespace, deployment)...), notPicked("member-2", "not asked for by the placement policy",
		does(takeover.ActionPrune, deployment, service)...))
	external.preview.Hub = &engine.HubPreview{External: true}
	drifting := does(takeover.ActionTakeOver, deployment, service)
	drifting[0].ObservedDrifts = []placement.PatchDetail{
		{Path: "/metadata/labels/team", ValueInMember: "shop"}, {Path: "/spec/minReadySeconds", ValueInMember: "5"},
	}
	drifts := adopts(false)
	drifts.preview = of(on("member-1", drifting...), on("member-2", drifting...))
	drifts.preview.Hub = &engine.HubPreview{}
	drifts.strategy.ComparisonOption, drifts.strategy.WhenToApply = placement.FullComparison, placement.ApplyIfNotDrifted
	rejected := adopts(false)
	rejects := does(takeover.ActionReject, deployment)
	rejects[0].Obstacle, rejects[0].Problem, rejects[0].Reason = takeover.ObstacleAdmission, "spec.selector is immutable", takeover.ReasonManifestApplyFailed
	rejected.preview = of(on("member-1", rejects...))
	rejected.preview.Hub = &engine.HubPreview{}
	refused := []engine.Unavailable{{Cluster: "member-2", Reason: "Deployment.apps web/web: NotTakenOver"}}
	return map[string]testCase{
		"rollout": predicted([][]string{{"member-1"}, {"member-2"}, {"member-3"}}, nil),
		"rollout-held": predicted([][]string{{"member-2"}}, &engine.Hold{
			Clusters: []string{"member-1", "member-3"}, MaxUnavailable: 1, For: refused,
		}),
		"rollout-missing":          predicted(nil, &engine.Hold{Clusters: []string{"member-1", "member-2", "member-3"}, MaxUnavailable: 2, Missing: 2}),
		"rollout-never":            predicted(nil, &engine.Hold{Clusters: []string{"member-1", "member-2", "member-3"}}),
		"hub-external":             external,
		"hub-drifts":               drifts,
		"hub-rejects":              rejected,
		"hub-selects-nothing":      none(),
		"hub-selects-nothing-more": none(does(takeover.ActionPrune, deployment)...),
		"hub-selects-some":         some,
		"hub-skips":                skips,
		"hub-keeps-contents":       held,
		"hub-adopts":               adopts(false),
		"hub-adopts-and-keeps":     adopts(true),
	}
}

// hubHeld is a Namespace that a host keeps on all clusters because of its contents on one, and an object that is deleted nevertheless.
func hubHeld() []engine.ObjectPreview {
	namespace := does(takeover.ActionOrphan, namespace)[0]
	namespace.Obstacle, namespace.Problem = takeover.ObstacleContents, "its deletion would also delete Deployment web/old on member-2"
	return append(does(takeover.ActionPrune, service), namespace)
}

// hubUnseen is a cluster from which a hub removes objects, and to which the provider has no connection.
func hubUnseen(picked bool) engine.ClusterPreview {
	out := on("member-3", does(takeover.ActionUnknown, service, namespace)...)
	out.Picked, out.CheckMethod, out.Err = picked, engine.CheckOffline, &engine.UnseenError{Member: "member-3", Reported: placement.PhaseApplied}
	for i := range out.Objects {
		out.Objects[i].Obstacle, out.Objects[i].Problem = takeover.ObstacleNotReadable, "the cluster could not be checked"
	}
	return out
}

// TestRemovalOnHub checks that the removal of a placement on a host shows blocked deletions, and the clusters that could not be checked. The host needs no
// connection of the provider to them.
func TestRemovalOnHub(t *testing.T) {
	cluster := func(name string) engine.ClusterPreview {
		return engine.ClusterPreview{Name: name, CheckMethod: engine.CheckDryRun, Objects: hubHeld()}
	}
	preview := of(cluster("member-1"), cluster("member-2"), hubUnseen(false))
	preview.Hub = &engine.HubPreview{KeepsAdopted: true}
	var diags diag.Diagnostics
	Removal(&diags, preview, Plan{})
	if len(diags) != 1 {
		t.Fatalf("%d diagnostics", len(diags))
	}
	golden(t, "hub-removal", diags[0].Severity().String()+": "+diags[0].Summary()+"\n\n"+diags[0].Detail()+"\n")
}

// TestRefusedSince checks that objects which are not taken over since the last apply are reported once, and no others.
func TestRefusedSince(t *testing.T) {
	status := func(reasons ...string) placement.Status {
		var failed []placement.FailedPlacement
		for i, reason := range reasons {
			failed = append(failed, placement.FailedPlacement{Identifier: created()[i].Identifier, Condition: placement.Condition{
				Type: placement.Applied, Status: placement.False, Reason: reason, Message: "Manifest is not taken over",
			}})
		}
		return placement.Status{Clusters: map[string]placement.ClusterStatus{"member-1": {FailedPlacements: failed}}}
	}
	was := status(takeover.ReasonNotTakenOver)
	for _, same := range []placement.Status{was, {}, status(takeover.ReasonNotTakenOver, takeover.ReasonManifestApplyFailed)} {
		var diags diag.Diagnostics
		if RefusedSince(&diags, "web", was, same); len(diags) > 0 {
			t.Errorf("%v", diags)
		}
	}
	var diags diag.Diagnostics
	RefusedSince(&diags, "web", was, status(takeover.ReasonNotTakenOver, takeover.ReasonFailedToTakeOver))
	if len(diags) != 1 {
		t.Fatalf("%v", diags)
	}
	golden(t, "refused-since", diags[0].Summary()+"\n\n"+diags[0].Detail()+"\n")
}

// TestIncompleteOnHub checks that each plan warns about a placement that neither the hub nor an apply can complete.
func TestIncompleteOnHub(t *testing.T) {
	refused := placement.Status{Clusters: map[string]placement.ClusterStatus{
		"member-1": {FailedPlacements: []placement.FailedPlacement{{Identifier: deployment, Condition: placement.Condition{
			Type: placement.Applied, Status: placement.False, Reason: takeover.ReasonManifestApplyFailed, Message: "spec.selector is immutable",
		}}}},
		"member-2": {Conditions: []placement.Condition{
			{Type: placement.RolloutStarted, Status: placement.False, Message: "the rollout waits for other clusters"},
		}},
	}}
	const stopped = "the hub's scheduler has stopped at this placement"
	for name, c := range map[string]struct {
		preview    *engine.Preview
		unfinished Unfinished
	}{
		"hub-incomplete": {of(on("member-1"), on("member-2"), notPicked("member-3", "not asked for by the placement policy")), NewUnfinished(refused, true, false)},
		"hub-stopped":    {of(notPicked("member-1", stopped), notPicked("member-2", stopped)), NewUnfinished(placement.Status{}, true, true)},
	} {
		c.preview.Hub = &engine.HubPreview{Stalled: true}
		var diags diag.Diagnostics
		Pending(&diags, c.preview, Plan{Unfinished: c.unfinished})
		if len(diags) != 1 {
			t.Fatalf("%s: %d diagnostics", name, len(diags))
		}
		golden(t, name, diags[0].Severity().String()+": "+diags[0].Summary()+"\n\n"+diags[0].Detail()+"\n")
	}
}
