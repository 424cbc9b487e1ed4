package direct_test

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// TestMemberIsPickedLater checks that a cluster that is picked later does not count as a cluster whose record is lost: it never had a record. Refreshes before
// the apply do not change this.
//
// It is not parallel, because it removes member-2 from the fleet.
func TestMemberIsPickedLater(t *testing.T) {
	w := newWorld(t)
	rejoin := w.leave()
	request := w.newRequest("later", configMap("later", "1"))
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	request.Manifests = w.Manifests(configMap("later", "2"))
	request = request.After(w.Apply(request).Status)
	rejoin()
	for range 2 {
		read, err := request.Read(t.Context(), w.Engine())
		if err != nil {
			t.Fatal(err)
		}
		if seen := read.Status.Clusters["member-2"]; seen.ObservedResourceIndex != "" {
			t.Errorf("the refresh reports the content %q on member-2", seen.ObservedResourceIndex)
		}
		request = request.After(read.Status)
	}
	if _, cluster := w.previewObject(w.Engine(), request, "member-2", "later"); !cluster.Picked || cluster.RecordLost || len(cluster.UnsearchedKinds) > 0 {
		t.Errorf("predicted: %+v", cluster)
	}
	result := w.Apply(request)
	w.checkComplete(result.Status)
	if len(result.Warnings) > 0 {
		t.Errorf("%v", result.Warnings)
	}
	request = request.After(result.Status)
	w.checkIdle(request)
	if w.inventory("member-2", "later")["ConfigMap later"].Adopted {
		t.Error("the object that the placement created counts as pre-existing")
	}
	w.Delete(request)
	if w.value("member-2", "later") != "absent" {
		t.Error("the destroy does not delete the object")
	}
}

// TestOnlyMemberIsPickedLater checks that a placement on no cluster does not count as deleted when a cluster without a record of it is picked.
//
// It is not parallel, because it removes member-2 from the fleet.
func TestOnlyMemberIsPickedLater(t *testing.T) {
	w := newWorld(t)
	rejoin := w.leave()
	request := w.newRequest("nowhere", configMap("nowhere", "1"))
	request.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"member-2"}}
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	rejoin()
	for range 2 {
		read, err := request.Read(t.Context(), w.Engine())
		if err != nil {
			t.Fatal(err)
		}
		request = request.After(read.Status)
	}
	status := w.Apply(request).Status
	if c, _ := status.Clusters["member-2"].Condition(placement.Applied); c.Status != placement.True {
		t.Errorf("%+v", status)
	}
}

// TestOlderRecordAfterRefresh checks that a record restored from a backup still counts as older after a refresh.
func TestOlderRecordAfterRefresh(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("older", configMap("older", "1"))
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	restore := w.backup("member-1", "older")
	request.Manifests = w.Manifests(configMap("older", "1"), configMap("older-since", "1"))
	request = request.After(w.Apply(request).Status)
	restore()
	read, err := request.Read(t.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	request = request.After(read.Status)
	if _, cluster := w.previewObject(w.Engine(), request, "member-1", "older-since"); !cluster.RecordLost {
		t.Errorf("predicted: %+v", cluster)
	}
	result := w.Apply(request)
	w.checkComplete(result.Status)
	w.checkIdle(request.After(result.Status))
}
