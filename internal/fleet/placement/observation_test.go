package placement

import (
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

func TestObservationTimes(t *testing.T) {
	id := manifest.Identifier{Version: "v1", Kind: "ConfigMap", Name: "a"}
	one := []PatchDetail{{Path: "/data/a", ValueInMember: "1", ValueInHub: "2"}}
	two := []PatchDetail{{Path: "/data/a", ValueInMember: "3", ValueInHub: "2"}}
	at := func(minute int) time.Time { return time.Date(2026, 1, 1, 0, minute, 0, 0, time.FixedZone("", 3600)) }

	first := NewDiffed(id, one, 4, ClusterStatus{}, at(1))
	if want := (Observation{"2025-12-31T23:01:00Z", "2025-12-31T23:01:00Z", 4}); first.Observation != want {
		t.Errorf("first: %+v", first.Observation)
	}
	same := NewDiffed(id, one, 4, ClusterStatus{DiffedPlacements: []DiffedPlacement{first}}, at(2))
	if same.Observation != first.Observation {
		t.Errorf("nothing changed, but the times did: %+v", same.Observation)
	}
	changed := NewDiffed(id, two, 5, ClusterStatus{DiffedPlacements: []DiffedPlacement{same}}, at(3))
	if want := (Observation{"2025-12-31T23:03:00Z", "2025-12-31T23:01:00Z", 5}); changed.Observation != want {
		t.Errorf("changed: %+v", changed.Observation)
	}
	drifted := NewDrifted(id, one, 4, ClusterStatus{DiffedPlacements: []DiffedPlacement{first}}, at(4))
	if drifted.FirstObservedTime != "2025-12-31T23:04:00Z" {
		t.Errorf("a drift has the time of a diff: %+v", drifted.Observation)
	}
}
