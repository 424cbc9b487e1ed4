package session

import (
	"slices"
	"sync"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// A planned change is part of the world until it is applied, and a world that the session has returned does not change any more.
func TestWorld(t *testing.T) {
	t.Parallel()
	s := &Session{}
	cluster, wrapped := override.Reference{Name: "o"}, engine.Reference{Namespace: "app", Name: "e"}
	var wait sync.WaitGroup
	for _, change := range []engine.World{
		{Members: map[string]engine.Planned[member.Spec]{"member-1": {Want: &member.Spec{}, Partial: true}}},
		{Overrides: map[override.Reference]engine.Planned[engine.Override]{cluster: {Want: &engine.Override{}, Partial: true}}},
		{Envelopes: map[engine.Reference]engine.Planned[envelope.Spec]{wrapped: {Want: &envelope.Spec{}, Partial: true}}},
		{Unnamed: []string{engine.KindMember}},
	} {
		wait.Go(func() { s.PlanChange(change) })
	}
	wait.Go(func() { s.World() })
	wait.Wait()
	before := s.World()
	want := []string{"ClusterResourceOverride o", "MemberCluster member-1", "MemberCluster with an unknown name", "envelope app/e"}
	if got := before.Unknown(); !slices.Equal(got, want) {
		t.Errorf("unknown: %q", got)
	}
	s.MemberApplied("member-1")
	s.OverrideApplied(cluster)
	s.EnvelopeApplied(wrapped)
	if after := s.World(); len(after.Members)+len(after.Overrides)+len(after.Envelopes) > 0 {
		t.Errorf("the world still has applied changes: %+v", after)
	}
	if len(before.Members) != 1 || len(before.Overrides) != 1 || len(before.Envelopes) != 1 {
		t.Errorf("the returned world has changed: %+v", before)
	}
}

// An object belongs to the placement that is planned first until that one is applied. Then the clusters show the owner.
func TestClaims(t *testing.T) {
	t.Parallel()
	s := &Session{}
	strategy := placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverAlways}
	action := func(name string, previewed func(*engine.Preview, placement.ApplyStrategy)) takeover.Action {
		p := &engine.Preview{Placement: name, Clusters: []engine.ClusterPreview{{Name: "member-1", Objects: []engine.ObjectPreview{
			{Identifier: manifest.Identifier{Version: "v1", Kind: "Namespace", Name: "shared"}, Action: takeover.ActionCreate},
		}}}}
		previewed(p, strategy)
		return p.Clusters[0].Objects[0].Action
	}
	for _, step := range []struct {
		name string
		how  func(*engine.Preview, placement.ApplyStrategy)
		want takeover.Action
	}{
		{"b", s.Yield, takeover.ActionCreate}, // the preview of a data source claims nothing
		{"a", s.Claim, takeover.ActionCreate},
		{"b", s.Claim, takeover.ActionLeaveAlone},
		{"b", s.Yield, takeover.ActionLeaveAlone},
		{"a", s.Claim, takeover.ActionCreate}, // planned again
	} {
		if got := action(step.name, step.how); got != step.want {
			t.Errorf("%s: %s", step.name, got)
		}
	}
	s.PlacementApplied("a")
	if got := action("b", s.Claim); got != takeover.ActionCreate {
		t.Errorf("after the apply: %s", got)
	}
}
