package engine

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

func TestAfter(t *testing.T) {
	object := func(action takeover.Action) []ObjectPreview {
		return []ObjectPreview{{Identifier: manifest.Identifier{Version: "v1", Kind: "Namespace", Name: "a"}, Action: action}}
	}
	creation := &Preview{Placement: "a", Clusters: []ClusterPreview{
		{Name: "member-1", Picked: true, Objects: object(takeover.ActionCreate)}, {Name: "member-3", Picked: true, Objects: object(takeover.ActionCreate)},
		{Name: "member-4"},
	}}
	unreachable := errors.New("no route")
	got := creation.After(&Preview{Clusters: []ClusterPreview{
		{Name: "member-1", Objects: object(takeover.ActionPrune)}, {Name: "member-2", Picked: true, Objects: object(takeover.ActionPrune)},
		{Name: "member-3", Err: unreachable}, {Name: "member-5"},
	}})
	var clusters []string
	for _, c := range got.Clusters {
		text := c.Name
		for _, o := range c.Objects {
			text += " " + string(o.Action)
		}
		if c.Picked {
			text += ", picked"
		}
		if c.Err != nil {
			text += ": " + c.Err.Error()
		}
		clusters = append(clusters, text)
	}
	want := []string{"member-1 prune create, picked", "member-2 prune", "member-3 create, picked: no route", "member-4"}
	if diff := cmp.Diff(want, clusters); diff != "" {
		t.Error(diff)
	}
	if len(creation.Clusters[0].Objects) != 1 || creation.Clusters[1].Err != nil {
		t.Errorf("the preview of the creation is changed: %+v", creation)
	}
}

// TestRecreate checks that objects that the removal deletes count as created on the clusters where it deletes them, and that others do not change.
func TestRecreate(t *testing.T) {
	t.Parallel()
	object := func(name string, action takeover.Action) ObjectPreview {
		return ObjectPreview{Identifier: manifest.Identifier{Version: "v1", Kind: "ConfigMap", Name: name}, Action: action, Exists: action != takeover.ActionCreate, Reason: "r"}
	}
	preview := &Preview{Clusters: []ClusterPreview{
		{Name: "member-1", Objects: []ObjectPreview{object("deleted", takeover.ActionLeaveAlone), object("left", takeover.ActionLeaveAlone), object("reported", takeover.ActionReport)}},
		{Name: "member-2", Objects: []ObjectPreview{object("deleted", takeover.ActionTakeOver)}},
	}}
	preview.Recreate(&Preview{Clusters: []ClusterPreview{{Name: "member-1", Objects: []ObjectPreview{
		object("deleted", takeover.ActionPrune), object("left", takeover.ActionOrphan), object("reported", takeover.ActionPrune),
	}}}})
	want := [][]takeover.Action{{takeover.ActionCreate, takeover.ActionLeaveAlone, takeover.ActionReport}, {takeover.ActionTakeOver}}
	for i, actions := range want {
		for j, action := range actions {
			if got := preview.Clusters[i].Objects[j]; got.Action != action || action == takeover.ActionCreate && (got.Exists || got.Reason != "") {
				t.Errorf("%s, %s: %+v, want %s", preview.Clusters[i].Name, got.Name, got, action)
			}
		}
	}
}
