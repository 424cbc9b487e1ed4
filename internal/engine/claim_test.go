package engine

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestYield checks that a placement leaves exactly those of its objects alone that another placement of the same run claims as well.
func TestYield(t *testing.T) {
	preview := func(actions ...takeover.Action) *Preview {
		out := &Preview{Clusters: []ClusterPreview{{Name: "member-1"}, {Name: "member-2"}}}
		for i, action := range actions {
			id := manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "app", Name: string(rune('a' + i))}
			out.Clusters[0].Objects = append(out.Clusters[0].Objects, ObjectPreview{Identifier: id, Action: action})
		}
		out.Clusters[1].Objects = []ObjectPreview{{Identifier: manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "app", Name: "a"}, Action: takeover.ActionCreate}}
		return out
	}
	first := preview(takeover.ActionCreate, takeover.ActionTakeOver, takeover.ActionNone, takeover.ActionLeaveAlone)
	first.Clusters = first.Clusters[:1]
	for mode, reason := range map[placement.WhenToTakeOver]string{
		placement.TakeOverAlways: takeover.ReasonFailedToTakeOver, placement.TakeOverIfNoDiff: takeover.ReasonFailedToTakeOver,
		placement.TakeOverNever: takeover.ReasonNotTakenOver,
	} {
		second := preview(takeover.ActionCreate, takeover.ActionTakeOver, takeover.ActionCreate, takeover.ActionCreate)
		second.Yield("first", first.Claims(), placement.ApplyStrategy{WhenToTakeOver: mode})
		for i, object := range second.Clusters[0].Objects {
			left := object.Action == takeover.ActionLeaveAlone
			if left != (i < 2) || object.Claimed != left {
				t.Errorf("%s: object %d: %+v", mode, i, object)
			}
			if left && (object.Reason != reason || object.Owner.Name != "first" || !strings.Contains(object.Problem, `"first" of the same run`)) {
				t.Errorf("%s: object %d: %+v", mode, i, object)
			}
		}
		if got := second.Clusters[1].Objects[0].Action; got != takeover.ActionCreate {
			t.Errorf("%s: on another cluster: %s", mode, got)
		}
	}
}

// TestYieldOnAllClusters checks that the first placement of an object gets the object on all clusters, on a hub where an object has only one placement.
func TestYieldOnAllClusters(t *testing.T) {
	id := manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "app", Name: "a"}
	on := func(name, cluster string, action takeover.Action) *Preview {
		return &Preview{
			Placement: name, Hub: &HubPreview{Places: []manifest.Key{id.Key()}},
			Clusters: []ClusterPreview{{Name: cluster, Objects: []ObjectPreview{{Identifier: id, Action: action}}}},
		}
	}
	first, second := on("first", "member-1", takeover.ActionCreate), on("second", "member-2", takeover.ActionLeaveAlone)
	second.Yield("first", first.Claims(), placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverAlways})
	if o := second.Clusters[0].Objects[0]; !o.Claimed || o.Owner.Name != "first" || !strings.Contains(o.Problem, "and will own it") {
		t.Errorf("%+v", o)
	}
	if third := on("third", "member-2", takeover.ActionCreate); len(second.Claims()[""]) > 0 {
		t.Errorf("the second one claims it: %+v", second.Claims())
	} else if third.Yield("second", second.Claims(), placement.ApplyStrategy{}); third.Clusters[0].Objects[0].Claimed {
		t.Errorf("it is left to the second one: %+v", third)
	}
	if got := reparsed(t, Expect(second)).LeftTo(id.Key()); got != "first" {
		t.Errorf("the expectation leaves it to %q", got)
	}
	if got := (*Expectation)(nil).LeftTo(id.Key()); got != "" {
		t.Errorf("no expectation leaves it to %q", got)
	}
}
