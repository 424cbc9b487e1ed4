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
