package report

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// hubCases are what a hub is foreseen to do.
func hubCases() map[string]testCase {
	predicted := func(rollout [][]string, hold *engine.Hold) testCase {
		updates := does(takeover.ActionUpdate, deployment)
		preview := of(on("member-1", updates...), on("member-2", updates...), on("member-3", updates...))
		preview.Predicted, preview.Rollout, preview.Hold = true, rollout, hold
		return testCase{preview: preview, strategy: strategy(placement.TakeOverAlways)}
	}
	none := func(objects ...engine.ObjectPreview) testCase {
		preview := of(on("member-1", objects...))
		preview.Predicted, preview.Selected, preview.EmptySelectors = true, nil, []int{0}
		return testCase{preview: preview, strategy: strategy(placement.TakeOverAlways)}
	}
	adopts := func(keeps bool) testCase {
		preview := of(on("member-1", does(takeover.ActionTakeOver, deployment)...))
		preview.Predicted, preview.KeepsAdopted = true, keeps
		return testCase{preview: preview, strategy: strategy(placement.TakeOverAlways)}
	}
	held := predicted(nil, nil)
	held.preview = of(on("member-1", hubHeld()...), on("member-2", hubHeld()...), hubUnseen(true))
	held.preview.Predicted, held.preview.KeepsAdopted = true, true
	some := predicted(nil, nil)
	some.preview.EmptySelectors = []int{1}
	refused := []engine.Unavailable{{Cluster: "member-2", Reason: "Deployment.apps web/web: NotTakenOver"}}
	return map[string]testCase{
		"rollout": predicted([][]string{{"member-1"}, {"member-2"}, {"member-3"}}, nil),
		"rollout-held": predicted([][]string{{"member-2"}}, &engine.Hold{
			Clusters: []string{"member-1", "member-3"}, MaxUnavailable: 1, For: refused,
		}),
		"rollout-missing":          predicted(nil, &engine.Hold{Clusters: []string{"member-1", "member-2", "member-3"}, MaxUnavailable: 2, Missing: 2}),
		"rollout-never":            predicted(nil, &engine.Hold{Clusters: []string{"member-1", "member-2", "member-3"}}),
		"hub-selects-nothing":      none(),
		"hub-selects-nothing-more": none(does(takeover.ActionPrune, deployment)...),
		"hub-selects-some":         some,
		"hub-holds-back":           held,
		"hub-adopts":               adopts(false),
		"hub-adopts-and-keeps":     adopts(true),
	}
}

// hubHeld is a Namespace that a host keeps everywhere, because of what is in it on one cluster, and what goes all the same.
func hubHeld() []engine.ObjectPreview {
	namespace := does(takeover.ActionOrphan, namespace)[0]
	namespace.Obstacle, namespace.Problem = takeover.ObstacleContents, "its deletion would take Deployment web/old with it on member-2"
	return append(does(takeover.ActionPrune, service), namespace)
}

// hubUnseen is a cluster that a hub removes objects from, and that the provider has no connection to.
func hubUnseen(picked bool) engine.ClusterPreview {
	out := on("member-3", does(takeover.ActionUnknown, service, namespace)...)
	out.Picked, out.Look, out.Err = picked, engine.LookOffline, &engine.UnseenError{Member: "member-3", Reported: placement.PhaseApplied}
	for i := range out.Objects {
		out.Objects[i].Obstacle, out.Objects[i].Problem = takeover.ObstacleNotReadable, "the cluster could not be looked at"
	}
	return out
}

// The removal of a placement on a host tells what it holds back, and of the clusters that could not be looked at, which it needs no connection to.
func TestRemovalOnHub(t *testing.T) {
	cluster := func(name string) engine.ClusterPreview {
		return engine.ClusterPreview{Name: name, Look: engine.LookDryRun, Objects: hubHeld()}
	}
	preview := of(cluster("member-1"), cluster("member-2"), hubUnseen(false))
	preview.Predicted, preview.KeepsAdopted = true, true
	var diags diag.Diagnostics
	Removal(&diags, preview)
	if len(diags) != 1 {
		t.Fatalf("%d diagnostics", len(diags))
	}
	golden(t, "hub-removal", diags[0].Severity().String()+": "+diags[0].Summary()+"\n\n"+diags[0].Detail()+"\n")
}

// What has been refused since the last apply is told once, and nothing else is.
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
