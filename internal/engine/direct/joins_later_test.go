package direct_test

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// A cluster that the policy picks later has lost no record: it never had one, whatever a refresh saw meanwhile.
//
// No other test runs meanwhile: it takes member-2 out of the fleet.
func TestMemberIsPickedLater(t *testing.T) {
	w := newWorld(t)
	rejoin := w.leave()
	request := w.placing("later", configMap("later", "1"))
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
			t.Errorf("the refresh says that member-2 has the content %q", seen.ObservedResourceIndex)
		}
		request = request.After(read.Status)
	}
	if _, cluster := w.previewed(w.Engine(), request, "member-2", "later"); !cluster.Picked || cluster.RecordLost || len(cluster.Unlooked) > 0 {
		t.Errorf("predicted: %+v", cluster)
	}
	result := w.Apply(request)
	w.complete(result.Status)
	if len(result.Warnings) > 0 {
		t.Errorf("%v", result.Warnings)
	}
	request = request.After(result.Status)
	w.idle(request)
	if w.inventory("member-2", "later")["ConfigMap later"].Adopted {
		t.Error("what the placement made counts as there before")
	}
	w.Delete(request)
	if w.value("member-2", "later") != "absent" {
		t.Error("the destroy leaves it")
	}
}

// A placement on no cluster is not gone because a cluster is picked now, and has no record of it.
//
// No other test runs meanwhile: it takes member-2 out of the fleet.
func TestOnlyMemberIsPickedLater(t *testing.T) {
	w := newWorld(t)
	rejoin := w.leave()
	request := w.placing("nowhere", configMap("nowhere", "1"))
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

// A record that is older than it was stays known as such: a refresh does not take its word for what the placement had there.
func TestOlderRecordAfterRefresh(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request := w.placing("older", configMap("older", "1"))
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
	if _, cluster := w.previewed(w.Engine(), request, "member-1", "older-since"); !cluster.RecordLost {
		t.Errorf("predicted: %+v", cluster)
	}
	result := w.Apply(request)
	w.complete(result.Status)
	w.idle(request.After(result.Status))
}
