package kubefleet

import (
	"slices"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// A change has failed when it is no longer in progress on any cluster, and at least one has a failure that waiting does not fix.
func TestFailing(t *testing.T) {
	cluster := func(last, status, reason string, failed ...placement.FailedPlacement) placement.ClusterStatus {
		out := placement.ClusterStatus{FailedPlacements: failed}
		for _, conditionType := range []string{
			placement.Scheduled, placement.RolloutStarted, placement.Overridden, placement.WorkSynchronized, last,
		} {
			out.Conditions = append(out.Conditions, placement.Condition{Type: conditionType, Status: placement.True, ObservedGeneration: 1})
		}
		end := &out.Conditions[len(out.Conditions)-1]
		end.Status, end.Reason = status, reason
		return out
	}
	refused := placement.FailedPlacement{Condition: placement.Condition{Type: placement.Applied, Status: placement.False}}
	waiting := placement.FailedPlacement{Condition: placement.Condition{Type: placement.Available, Status: placement.False}}
	held := placement.ClusterStatus{Conditions: []placement.Condition{
		{Type: placement.Scheduled, Status: placement.True, ObservedGeneration: 1},
		{Type: placement.RolloutStarted, Status: placement.False, Reason: string(placement.PhaseRolloutNotStarted), ObservedGeneration: 1},
	}}
	var (
		applied     = cluster(placement.Applied, placement.True, "")
		failed      = cluster(placement.Applied, placement.False, string(placement.PhaseNotApplied), refused)
		onItsWay    = cluster(placement.Applied, placement.False, "ApplyInProgress")
		unavailable = cluster(placement.Applied, placement.False, string(placement.PhaseNotAvailable), waiting)
		compared    = cluster(placement.DiffReported, placement.True, "")
		notCompared = cluster(placement.DiffReported, placement.False, string(placement.PhaseDiffNotReported))
	)
	for name, test := range map[string]struct {
		clusters map[string]placement.ClusterStatus
		complete bool
		want     bool
	}{
		"all is well":                       {clusters: map[string]placement.ClusterStatus{"a": applied, "b": applied}},
		"an object is refused":              {clusters: map[string]placement.ClusterStatus{"a": applied, "b": failed}, want: true},
		"another cluster is on its way":     {clusters: map[string]placement.ClusterStatus{"a": onItsWay, "b": failed}},
		"the failure holds the rollout up":  {clusters: map[string]placement.ClusterStatus{"a": held, "b": failed}, want: true},
		"nothing has failed yet":            {clusters: map[string]placement.ClusterStatus{"a": held, "b": applied}},
		"an object may become available":    {clusters: map[string]placement.ClusterStatus{"a": unavailable, "b": failed}},
		"the agent has not compared":        {clusters: map[string]placement.ClusterStatus{"a": compared, "b": notCompared}},
		"the agent cannot compare":          {clusters: map[string]placement.ClusterStatus{"a": compared, "b": notCompared}, complete: true, want: true},
		"the agent has compared everything": {clusters: map[string]placement.ClusterStatus{"a": compared, "b": compared}, complete: true},
	} {
		t.Run(name, func(t *testing.T) {
			p := progress{known: true, generation: 1, settledContent: true, status: placement.Status{Clusters: test.clusters}}
			p.reports = map[string]report{"b": {complete: test.complete}}
			if got := p.isFailing(); got != test.want {
				t.Errorf("got %t, want %t", got, test.want)
			}
		})
	}
}

// A change has failed for good when all that remains are failures that a retry does not change: objects that are not taken over because of when_to_take_over or
// of their content, drifted objects, and rejections that the plan predicted.
func TestHopeless(t *testing.T) {
	cluster := func(phase placement.Phase, failed ...placement.FailedPlacement) placement.ClusterStatus {
		out := placement.ClusterStatus{FailedPlacements: failed, Conditions: []placement.Condition{
			{Type: placement.Scheduled, Status: placement.True, ObservedGeneration: 1},
			{Type: placement.Applied, Status: placement.False, Reason: string(phase), ObservedGeneration: 1},
		}}
		return out
	}
	object := func(name, reason string) placement.FailedPlacement {
		return placement.FailedPlacement{
			Identifier: manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "web", Name: name},
			Condition:  placement.Condition{Type: placement.Applied, Status: placement.False, Reason: reason},
		}
	}
	left, refused := object("left", takeover.ReasonNotTakenOver), object("refused", "ManifestApplyFailed")
	rejected := object("rejected", "ManifestApplyFailed")
	drifts := object("drifts", takeover.ReasonFoundDrifts)
	moving := object("moving", takeover.ReasonNotTakenOver)
	untaken := object("untaken", takeover.ReasonFailedToTakeOver)
	differs := cluster(placement.PhaseNotApplied, left, untaken)
	differs.DiffedPlacements = []placement.DiffedPlacement{{Identifier: untaken.Identifier}}
	applied := cluster("")
	applied.Conditions[1].Status = placement.True
	held := cluster("")
	held.Conditions[1] = placement.Condition{
		Type: placement.RolloutStarted, Status: placement.False, Reason: string(placement.PhaseRolloutNotStarted), ObservedGeneration: 1,
	}
	many := make([]placement.FailedPlacement, 100)
	for i := range many {
		many[i] = left
	}
	for name, test := range map[string]struct {
		clusters map[string]placement.ClusterStatus
		want     bool
	}{
		"all is well":                        {clusters: map[string]placement.ClusterStatus{"a": applied}},
		"an object is left alone":            {clusters: map[string]placement.ClusterStatus{"a": applied, "b": cluster(placement.PhaseNotApplied, left)}, want: true},
		"an object moves":                    {clusters: map[string]placement.ClusterStatus{"a": cluster(placement.PhaseNotApplied, left, moving)}},
		"an object moves elsewhere":          {clusters: map[string]placement.ClusterStatus{"b": cluster(placement.PhaseNotApplied, moving)}, want: true},
		"an object differs":                  {clusters: map[string]placement.ClusterStatus{"a": differs}, want: true},
		"an object has drifted":              {clusters: map[string]placement.ClusterStatus{"a": cluster(placement.PhaseNotApplied, drifts)}, want: true},
		"a takeover was refused":             {clusters: map[string]placement.ClusterStatus{"a": cluster(placement.PhaseNotApplied, untaken)}},
		"another object was refused":         {clusters: map[string]placement.ClusterStatus{"a": cluster(placement.PhaseNotApplied, left, refused)}},
		"a refusal was predicted":            {clusters: map[string]placement.ClusterStatus{"a": cluster(placement.PhaseNotApplied, left, rejected)}, want: true},
		"a refusal elsewhere was predicted":  {clusters: map[string]placement.ClusterStatus{"b": cluster(placement.PhaseNotApplied, rejected)}},
		"another cluster is on its way":      {clusters: map[string]placement.ClusterStatus{"a": cluster("ApplyInProgress"), "b": differs}},
		"another cluster may be come to":     {clusters: map[string]placement.ClusterStatus{"a": held, "b": differs}},
		"more have failed than are reported": {clusters: map[string]placement.ClusterStatus{"a": cluster(placement.PhaseNotApplied, many...)}},
	} {
		p := progress{known: true, generation: 1, settledContent: true, status: placement.Status{Clusters: test.clusters}}
		moves := func(cluster string, object manifest.Key) bool { return cluster == "a" && object == moving.Key() }
		rejects := func(cluster string, f placement.FailedPlacement) bool {
			return cluster == "a" && f.Key() == rejected.Key()
		}
		if got := p.hasFailedForGood(rolloutChange{moves: moves, rejects: rejects}); got != test.want {
			t.Errorf("%s: got %t, want %t", name, got, test.want)
		}
	}
}

// A hub that has rejected a placement has observed it. A hub that still has different content than predicted, after the time that it takes to collect the
// content, causes a warning.
func TestProgressResult(t *testing.T) {
	refused := progress{known: true, generation: 2, status: placement.Status{Conditions: []placement.Condition{
		{Type: placement.Scheduled, Status: placement.False, Reason: hub.InvalidSelectors, Message: "no such kind", ObservedGeneration: 2},
	}}}
	for name, c := range map[string]struct {
		at         progress
		unobserved bool
		warnings   []string
	}{
		"nothing is said":  {progress{known: true, generation: 2}, true, nil},
		"it is refused":    {refused, false, []string{"the hub cannot resolve the selectors, and does nothing for the placement: no such kind"}},
		"another content":  {progress{known: true, generation: 2, otherContent: true}, true, []string{otherContent}},
		"it has not asked": {progress{}, true, nil},
	} {
		result := c.at.result(rolloutChange{}, false)
		if result.Status.NotObserved != c.unobserved || !slices.Equal(result.Warnings, c.warnings) {
			t.Errorf("%s: not observed %v, warnings %q", name, result.Status.NotObserved, result.Warnings)
		}
	}
}

// TestAwaitsPicks checks that the apply of a placement for staged update runs waits until the hub has picked all clusters that the plan shows as picked.
func TestAwaitsPicks(t *testing.T) {
	t.Parallel()
	picked := placement.ClusterStatus{Conditions: []placement.Condition{{Type: placement.Scheduled, Status: placement.True, ObservedGeneration: 1}}}
	planned := engine.Expect(&engine.Preview{Clusters: []engine.ClusterPreview{{Name: "a", Picked: true}, {Name: "b", Picked: true}, {Name: "c"}}})
	for name, c := range map[string]struct {
		strategy placement.StrategyType
		expected *engine.Expectation
		clusters []string
		want     bool
	}{
		"all are picked":   {placement.ExternalStrategy, planned, []string{"a", "b"}, false},
		"one is not":       {placement.ExternalStrategy, planned, []string{"a"}, true},
		"without a plan":   {placement.ExternalStrategy, nil, []string{"a"}, false},
		"a rolling update": {placement.RollingUpdateStrategy, planned, []string{"a"}, false},
	} {
		f := rolloutChange{options: engine.ApplyOptions{Expected: c.expected}}
		f.placement.Spec.Strategy = &placement.Strategy{Type: c.strategy}
		p := progress{status: placement.Status{Clusters: map[string]placement.ClusterStatus{}}}
		for _, cluster := range c.clusters {
			p.status.Clusters[cluster] = picked
		}
		if got := p.awaitsPicks(f); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
