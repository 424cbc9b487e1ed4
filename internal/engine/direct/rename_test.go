package direct_test

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// database returns a request to place a Namespace with a workload, its claim and its Service.
func (w *world) database(name string) enginetest.Request {
	w.Helper()
	at := "namespace: $ns-" + name
	request := w.newRequest(name,
		"{apiVersion: v1, kind: Namespace, metadata: {name: $ns-"+name+"}}",
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, "+at+"}, data: {value: '1'}}",
		"{apiVersion: v1, kind: Secret, metadata: {name: password, "+at+"}, stringData: {password: hunter2}}",
		"{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: disk, "+at+"}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}",
		"{apiVersion: v1, kind: Service, metadata: {name: db, "+at+"}, spec: {clusterIP: None, selector: {app: db}}}",
		"{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, "+at+"}, spec: {serviceName: db, selector: {matchLabels: {app: db}}, template: {metadata: "+
			"{labels: {app: db}}, spec: {containers: [{name: db, image: db}], volumes: [{name: disk, persistentVolumeClaim: {claimName: disk}}]}}}}",
	)
	request.ID = engine.NewID()
	// The test clusters run no Pods, so the StatefulSet never becomes available.
	request.Spec.Strategy = &placement.Strategy{RollingUpdate: &placement.RollingUpdate{MaxUnavailable: "100%"}}
	return request
}

// databaseObjects returns the objects of a database.
func databaseObjects(name string) []string {
	in := " $ns-" + name + "/"
	return []string{
		"v1 Namespace $ns-" + name, "v1 ConfigMap" + in + "settings", "v1 Secret" + in + "password", "v1 PersistentVolumeClaim" + in + "disk", "v1 Service" + in + "db",
		"apps/v1 StatefulSet" + in + "db",
	}
}

// uids returns the UIDs of the objects of a database, by member and object.
func (w *world) uids(name string) map[string]string {
	w.Helper()
	out := map[string]string{}
	for _, member := range w.Members {
		for _, object := range databaseObjects(name) {
			out[member+" "+object] = string(w.Must(member, object).GetUID())
		}
	}
	return out
}

// checkApplied fails the test unless all objects are applied on all members. The workload need not be available, because the clusters run no Pods.
func (w *world) checkApplied(status placement.Status) {
	w.Helper()
	for _, name := range w.Members {
		if c, _ := status.Clusters[name].Condition(placement.Applied); c.Status != placement.True {
			w.Errorf("%s: %+v", name, c)
		}
	}
}

// checkRenamed fails the test unless all members have the same objects as before, and the placement under its new name only.
func (w *world) checkRenamed(before map[string]string, database, name string, former ...string) {
	w.Helper()
	if after := w.uids(database); !maps.Equal(before, after) {
		w.Errorf("there was %v, and is %v", before, after)
	}
	for _, member := range w.Members {
		for _, gone := range former {
			for _, kind := range []string{"ConfigMap", "Secret"} {
				if w.Find(member, record(kind, gone)) != nil {
					w.Errorf("%s has the %s of %q", member, kind, gone)
				}
			}
		}
		set := w.Must(member, record("ConfigMap", name)).GetLabels()["applyset.kubernetes.io/id"]
		w.Must(member, record("Secret", name))
		entries := w.inventory(member, name)
		for _, object := range databaseObjects(database) {
			u := w.Must(member, object)
			if got := u.GetLabels()[partOf]; set == "" || got != set {
				w.Errorf("%s on %s is part of %q, and not of %q", object, member, got, set)
			}
			if e := entries[u.GetKind()+" "+u.GetName()]; e.UID != string(u.GetUID()) || e.Hash == "" || e.Adopted {
				w.Errorf("the record on %s has %+v of %s", member, e, object)
			}
		}
		if w.isApplying(member, name) {
			w.Errorf("the record on %s has the mark of an apply", member)
		}
	}
}

// checkUnaltered fails the test if a preview changes an object.
func (w *world) checkUnaltered(request enginetest.Request) *engine.Preview {
	w.Helper()
	preview, err := request.Preview(w.Context(), w.Engine())
	if err != nil {
		w.Fatal(err)
	}
	for _, cluster := range preview.Clusters {
		if cluster.Err == nil && (len(cluster.Objects) != len(request.Manifests) || cluster.RecordLost) {
			w.Errorf("%s: %d objects, record lost: %v", cluster.Name, len(cluster.Objects), cluster.RecordLost)
		}
		for _, o := range cluster.Objects {
			if o.Action != takeover.ActionNone || !o.Owned {
				w.Errorf("%s on %s is to be %q", o.Identifier, cluster.Name, o.Action)
			}
		}
	}
	return preview
}

// TestRename checks that a placement is renamed in place: only its records and the labels of its objects change.
func TestRename(t *testing.T) {
	t.Parallel()
	for _, how := range []placement.ApplyType{placement.ClientSideApply, placement.ServerSideApply} {
		t.Run(string(how), func(t *testing.T) {
			if how == placement.ServerSideApply && testing.Short() {
				t.Skip("make test-all runs it")
			}
			t.Parallel()
			w := newWorld(t)
			name := strings.ToLower(string(how))
			request := w.database(name)
			request.Spec.Strategy.ApplyStrategy = &placement.ApplyStrategy{Type: how, WhenToTakeOver: placement.TakeOverNever}
			w.DeleteAtEnd(request)
			request = request.After(w.Apply(request).Status)
			before := w.uids(name)

			request = request.Renamed(w.Expand("$ns-" + name + "-2"))
			preview := w.checkUnaltered(request)
			for _, cluster := range preview.Clusters {
				if !cluster.Pending() || !slices.Equal(cluster.FormerNames, []string{w.Expand("$ns-" + name)}) {
					t.Errorf("%s has the names %v, pending: %v", cluster.Name, cluster.FormerNames, cluster.Pending())
				}
			}
			request.Expected = engine.Expect(preview)
			w.Reset()
			result := w.Apply(request)
			for _, r := range w.Writes() {
				if r.Method != http.MethodPatch && !strings.Contains(r.Path, "/"+direct.Namespace+"/") {
					t.Errorf("more than a label is written: %s", r)
				}
			}
			w.checkApplied(result.Status)
			w.checkRenamed(before, name, name+"-2", name)
			request = request.After(result.Status)
			request.Expected = nil
			w.checkIdle(request)

			// The renamed placement can be changed and renamed again.
			request = request.Renamed(w.Expand("$ns-" + name + "-3"))
			request.Manifests["01.yaml"] = strings.Replace(request.Manifests["01.yaml"], `"1"`, `"2"`, 1)
			if o, _ := w.previewObject(w.Engine(), request, "member-1", "settings"); o.Action != takeover.ActionUpdate || len(o.Differences) != 1 {
				t.Errorf("the changed object is to be %q for %v", o.Action, o.Differences)
			}
			result = w.Apply(request)
			w.checkApplied(result.Status)
			w.checkRenamed(before, name, name+"-3", name, name+"-2")
			request = request.After(result.Status)
			w.checkIdle(request)
			w.Delete(request)
			for _, object := range databaseObjects(name)[1:] {
				if w.Find("member-1", object) != nil {
					t.Errorf("%s remains after the removal", object)
				}
			}
			w.checkNoRecords(name + "-3")
		})
	}
}

// newRename applies a database, and returns the request to rename it and the UIDs of its objects.
func (w *world) newRename(name string) (request enginetest.Request, before map[string]string) {
	w.Helper()
	request = w.database(name)
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	return request.Renamed(w.Expand("$ns-" + name + "-2")), w.uids(name)
}

// renameWrites is the number of writes of a rename on one member without renewals: the record and the manifests under the new name, the labels, the removal of
// the former record and manifests, and the completion of the record.
const renameWrites = 2 + 6 + 2 + 1

// TestInterruptedRename checks that a rename interrupted at any write deletes nothing. The next apply completes it under either name, and a removal removes
// everything.
func TestInterruptedRename(t *testing.T) {
	t.Parallel()
	for i, what := range interruptions {
		t.Run(what.name, func(t *testing.T) {
			if what.all && testing.Short() {
				t.Skip("make test-all runs it")
			}
			t.Parallel()
			every := stride(what.every)
			for k := 1 + i%every; k <= 2*renameWrites; k += every {
				name := fmt.Sprintf("moved-%d-%d", i, k)
				w := newWorld(t)
				request, before := w.newRename(name)
				if !w.interrupt(what, k, request) {
					t.Errorf("the rename was over before write %d", k)
				}
				again := w.restarted()
				again.continueRename(request, before, name, k)
				if t.Failed() {
					t.Fatalf("at write %d", k)
				}
			}
		})
	}
}

// continueRename continues an interrupted rename with the new name, with the former one, or with a removal.
func (w *world) continueRename(request enginetest.Request, before map[string]string, name string, k int) {
	w.Helper()
	former := request
	former.Name, former.FormerName = request.FormerName, ""
	read, err := former.Read(w.Context(), w.Engine()) // a refresh reads the placement under the name in the state, which is the former one
	if err != nil || read.Warning != "" || read.ID != request.ID {
		w.Errorf("read %+v, %v", read, err)
	}
	if after := w.uids(name); !maps.Equal(before, after) {
		w.Errorf("there was %v, and is %v", before, after)
	}
	switch k % 3 {
	case 0:
		w.checkUnaltered(former)
		result := w.Apply(former)
		w.checkApplied(result.Status)
		w.checkRenamed(before, name, name, name+"-2")
		former = former.After(result.Status)
		w.checkIdle(former)
	case 1:
		w.checkUnaltered(request)
		result := w.Apply(request)
		w.checkApplied(result.Status)
		w.checkRenamed(before, name, name+"-2", name)
		former = request.After(result.Status)
		w.checkIdle(former)
	}
	preview, err := former.PreviewDelete(w.Context(), w.Engine())
	if err != nil {
		w.Fatal(err)
	}
	for _, cluster := range preview.Clusters {
		for _, o := range cluster.Objects {
			if o.Action != takeover.ActionPrune {
				w.Errorf("the removal shows %q for %s", o.Action, o.Identifier)
			}
		}
	}
	former.ExpectedRemoval = engine.Expect(preview)
	w.Delete(former)
	for _, member := range w.Members {
		for _, object := range databaseObjects(name)[1:] {
			if w.Find(member, object) != nil {
				w.Errorf("%s remains on %s", object, member)
			}
		}
	}
	w.checkNoRecords(name)
	w.checkNoRecords(name + "-2")
}

// TestRenameOfUnreachableMember checks that the next apply that reaches an unreachable member renames the placement there, and that a removal finds it under
// its former name.
func TestRenameOfUnreachableMember(t *testing.T) {
	t.Parallel()
	for name, removed := range map[string]bool{"follows": false, "removed": true} {
		t.Run(name, func(t *testing.T) {
			if removed && testing.Short() {
				t.Skip("make test-all runs it")
			}
			t.Parallel()
			w := newWorld(t)
			request, before := w.newRename(name)
			undo := w.Inject(clusters.Fault{Context: "member-2", Refuse: true, Match: func(clusters.Request) bool { return true }})
			result := w.Apply(request)
			request = request.After(result.Status)
			w.checkIdle(request)
			undo()
			for kind, want := range map[string]bool{name: false, name + "-2": true} {
				if got := w.Find("member-1", record("ConfigMap", kind)) != nil; got != want {
					t.Errorf("the record of %q on member-1: %v", kind, got)
				}
			}
			again := w.restarted()
			if removed {
				again.Delete(request)
				again.checkNoRecords(name)
				again.checkNoRecords(name + "-2")
				if w.Find("member-2", databaseObjects(name)[1]) != nil {
					t.Error("the object remains on member-2")
				}
				return
			}
			refreshed, _ := again.read(request)
			preview := again.checkUnaltered(refreshed)
			for _, cluster := range preview.Clusters {
				if follows := cluster.Name == "member-2"; cluster.Pending() != follows || (len(cluster.FormerNames) > 0) != follows {
					t.Errorf("%s has the names %v, pending: %v", cluster.Name, cluster.FormerNames, cluster.Pending())
				}
			}
			result = again.Apply(refreshed)
			again.checkRenamed(before, name, name+"-2", name)
			again.checkIdle(refreshed.After(result.Status))
		})
	}
}

// TestRenameToTakenName checks that the plan and the apply return an error, and write nothing, if another placement has the new name on a member,
// whether its ID is older or newer.
func TestRenameToTakenName(t *testing.T) {
	t.Parallel()
	for name, isLater := range map[string]bool{"taken-later": true, "taken-before": false} {
		w := newWorld(t)
		id := engine.NewID()
		request, before := w.newRename(name)
		if isLater {
			id = engine.NewID()
		}
		if engine.IsOlderID(request.ID, id) != isLater {
			t.Fatalf("the IDs are %s and %s", request.ID, id)
		}
		other := withIdentity(w.newRequest(name+"-2", configMap(name, "theirs")), id)
		w.DeleteAtEnd(other)
		w.Apply(other)
		w.Remove("member-1", record("ConfigMap", name+"-2"))
		w.Remove("member-1", record("Secret", name+"-2"))
		w.Reset()
		_, previewed := request.Preview(t.Context(), w.Engine())
		_, applied := request.Apply(t.Context(), w.Engine())
		for _, err := range []error{previewed, applied} {
			var taken *engine.NameTakenError
			if !errors.As(err, &taken) || taken.Where != "member-2" || taken.Former != request.FormerName {
				t.Fatalf("got error %v", err)
			}
		}
		if writes := w.Writes(); len(writes) > 0 {
			t.Errorf("something is written: %v", writes)
		}
		former := request
		former.Name, former.FormerName = request.FormerName, ""
		w.checkIdle(former)
		w.checkRenamed(before, name, name)
		if w.value("member-2", name) != "theirs" {
			t.Error("the other placement has lost its object")
		}
	}
}

// TestRenameThatWasNotShown checks that an apply does not rename a placement on a member for which its plan did not show it.
func TestRenameThatWasNotShown(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request, before := w.newRename("unshown")
	former := request
	former.Name, former.FormerName = request.FormerName, ""
	preview, err := former.Preview(t.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	request.Expected = engine.Expect(preview)
	w.Reset()
	_, err = request.Apply(t.Context(), w.Engine())
	var found *engine.ContradictionError
	if !errors.As(err, &found) || len(found.Contradictions) != 2 {
		t.Fatalf("got error %v", err)
	}
	w.Contains(err.Error(), "member-1", "member-2", `has the name "`+former.Name+`"`)
	if writes := w.Writes(); len(writes) > 0 {
		t.Errorf("something is written: %v", writes)
	}
	w.checkRenamed(before, "unshown", "unshown")
}

// TestRenameWithoutRecord checks that a placement whose record is lost on a member is not renamed: only the label of the former name identifies its objects
// there.
func TestRenameWithoutRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request, before := w.newRename("recordless")
	w.Edit("member-2", record("ConfigMap", "recordless"), `{"data":{"objects.json":"[]"}}`)
	w.Reset()
	_, previewed := request.Preview(t.Context(), w.Engine())
	_, applied := request.Apply(t.Context(), w.Engine())
	for _, err := range []error{previewed, applied} {
		if err == nil {
			t.Fatal("it is renamed")
		}
		w.Contains(err.Error(), "cannot be renamed", `the member "member-2"`, "Run apply with the name", w.Expand("ConfigMap fleet-system/placement-$ns-recordless"))
	}
	if writes := w.Writes(); len(writes) > 0 {
		t.Errorf("something is written: %v", writes)
	}
	former := request
	former.Name, former.FormerName = request.FormerName, ""
	former = former.After(w.Apply(former).Status)
	result := w.Apply(former.Renamed(request.Name))
	w.checkApplied(result.Status)
	if after := w.uids("recordless"); !maps.Equal(before, after) {
		t.Errorf("there was %v, and is %v", before, after)
	}
	w.checkNoRecords("recordless")
}

// TestRenameRefusedOnMember checks that an error on one member does not affect the others, and that the next apply completes the rename.
func TestRenameRefusedOnMember(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request, before := w.newRename("barred")
	undo := w.Inject(clusters.Fault{Context: "member-2", Status: http.StatusForbidden, Match: onPath("member-2", http.MethodPatch, "/statefulsets/db")})
	_, err := request.Apply(t.Context(), w.Engine())
	undo()
	if err == nil {
		t.Fatal("there is no error")
	}
	w.Contains(err.Error(), `could not be renamed on cluster "member-2"`, "StatefulSet")
	if w.Find("member-1", record("ConfigMap", "barred")) != nil || w.Find("member-2", record("ConfigMap", "barred")) == nil {
		t.Error("member-1 is not renamed, or member-2 has lost its record")
	}
	w.checkIdle(request.After(w.Apply(request).Status))
	w.checkRenamed(before, "barred", "barred-2", "barred")
}

// TestRenameOfDrifted checks that the new label does not count as drift, and that the label of a drifted object changes as well.
func TestRenameOfDrifted(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request := withIdentity(w.newRequest("drifting", configMap("drifting", "1"), configMap("drifted", "1")), engine.NewID())
	request = request.Strategy(placement.ApplyStrategy{WhenToApply: placement.ApplyIfNotDrifted, ComparisonOption: placement.FullComparison})
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	w.Edit("member-1", "v1 ConfigMap drifted", `{"data":{"value":"theirs"}}`)
	request = request.Renamed(w.Expand("$ns-drifting-2"))
	for name, want := range map[string]takeover.Action{"drifting": takeover.ActionNone, "drifted": takeover.ActionLeaveDrifted} {
		if o, _ := w.previewObject(w.Engine(), request, "member-1", name); o.Action != want {
			t.Errorf("%s is to be %q", name, o.Action)
		}
	}
	w.Apply(request)
	if w.value("member-1", "drifted") != "theirs" || w.value("member-2", "drifted") != "1" {
		t.Error("the changed object is overwritten")
	}
	for _, name := range []string{"drifting", "drifted"} {
		set := w.Must("member-1", record("ConfigMap", "drifting-2")).GetLabels()["applyset.kubernetes.io/id"]
		if got := w.Must("member-1", "v1 ConfigMap "+name).GetLabels()[partOf]; got != set {
			t.Errorf("%s is part of %q", name, got)
		}
	}
	w.checkNoRecords("drifting")
}

// TestRenameWhereMemberLeft checks that the record on a member that the placement has left is renamed as well, so that the placement recognizes its objects
// when it picks the member again.
func TestRenameWhereMemberLeft(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	w := newWorld(t)
	request := withIdentity(w.newRequest("absent", configMap("absent", "1")), engine.NewID())
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	rejoin := w.leave()
	request = request.After(w.Apply(request).Status)
	request = request.Renamed(w.Expand("$ns-absent-2"))
	request = request.After(w.Apply(request).Status)
	w.checkIdle(request)
	w.checkNoRecords("absent")
	rejoin()
	if o, _ := w.previewObject(w.Engine(), request, "member-2", "absent"); o.Action != takeover.ActionUpdate || !o.Owned {
		t.Errorf("the object is to be %q, and the placement's own: %v", o.Action, o.Owned)
	}
	request = request.After(w.Apply(request).Status)
	w.Delete(request)
	if w.value("member-2", "absent") != "absent" {
		t.Error("the object remains on member-2")
	}
}

// TestRenameOfRestoredRecord checks that an apply removes records under a former name that were restored from a backup, and keeps the newer manifests of the
// placement in its Secret.
func TestRenameOfRestoredRecord(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request := withIdentity(w.newRequest("restored", configMap("restored", "1")), engine.NewID())
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	restore := w.backup("member-1", "restored")
	request = request.Renamed(w.Expand("$ns-restored-2"))
	request = request.After(w.Apply(request).Status)
	request.Manifests = w.Manifests(configMap("restored", "2"))
	request = request.After(w.Apply(request).Status)
	before := w.Must("member-1", record("Secret", "restored-2"))

	restore()
	result := w.Apply(request)
	w.checkComplete(result.Status)
	w.checkNoRecords("restored")
	if after := w.Must("member-1", record("Secret", "restored-2")); after.GetResourceVersion() != before.GetResourceVersion() {
		t.Errorf("the Secret with the manifests has changed: %v", after.Object["data"])
	}
	w.checkIdle(request.After(result.Status))
}

// TestRenameBesideAnother checks that other operations on a placement return an error under either name while it is being renamed.
func TestRenameBesideAnother(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	other := w.restarted()
	request, before := w.newRename("beside")
	former := request
	former.Name, former.FormerName = request.FormerName, ""
	renaming := w.pause(onPath("member-2", http.MethodPatch, "/statefulsets/db"), func() (*engine.Result, error) {
		return request.Apply(t.Context(), w.newPatientEngine())
	})
	for _, theirs := range []enginetest.Request{former, request} {
		_, err := theirs.Apply(t.Context(), other.Engine())
		w.checkBusy(err)
		_, err = theirs.Delete(t.Context(), other.Engine())
		w.checkBusy(err)
	}
	other.checkNoWrites()
	result, err := renaming.finish()
	if err != nil {
		t.Fatal(err)
	}
	w.checkApplied(result.Status)
	w.checkRenamed(before, "beside", "beside-2", "beside")
	w.checkIdle(request.After(result.Status))
}
