package direct_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

const (
	headText    = "placement.json"
	specText    = "spec.json"
	objectsText = "objects.json"
)

// plant changes a part of a placement's record directly, as any client with write access to ConfigMaps can.
func plant[T any](w *world, cluster, name, part string, change func(*T)) {
	w.Helper()
	text, _, _ := unstructured.NestedString(w.Must(cluster, record("ConfigMap", name)).Object, "data", part)
	var value T
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		w.Fatal(err)
	}
	change(&value)
	planted := jsonOf(w.TB, value)
	w.Edit(cluster, record("ConfigMap", name), jsonOf(w.TB, map[string]any{"data": map[string]any{part: planted}}))
}

type values = map[string]any

// checkUnverified fails the test unless a preview reports records that do not verify on exactly these members.
func (w *world) checkUnverified(preview *engine.Preview, members ...string) {
	w.Helper()
	want := map[string]bool{}
	for _, name := range members {
		want[name] = true
	}
	for _, cluster := range preview.Clusters {
		if got := cluster.RecordProblem != ""; got != want[cluster.Name] {
			w.Errorf("%s: the problem is %q", cluster.Name, cluster.RecordProblem)
		}
		if want[cluster.Name] {
			w.Contains(cluster.RecordProblem, "signature", "ConfigMap fleet-system/placement-")
			if !cluster.RecordLost || !cluster.Pending() {
				w.Errorf("%s: record lost: %v, pending: %v", cluster.Name, cluster.RecordLost, cluster.Pending())
			}
		}
	}
}

// previews returns the previews of an apply and of a removal.
func (w *world) previews(request enginetest.Request) (apply, removal *engine.Preview) {
	w.Helper()
	apply, err := request.Preview(w.Context(), w.Engine())
	if err != nil {
		w.Fatal(err)
	}
	removal, err = request.PreviewDelete(w.Context(), w.Engine())
	if err != nil {
		w.Fatal(err)
	}
	return apply, removal
}

// read refreshes a request as Terraform does: the recorded placement becomes the state.
func (w *world) read(request enginetest.Request) (enginetest.Request, *engine.Recorded) {
	w.Helper()
	recorded, err := request.Read(w.Context(), w.Engine())
	if err != nil {
		w.Fatal(err)
	}
	out := request.After(recorded.Status)
	out.Spec, out.Manifests = recorded.Spec, recorded.Manifests
	return out, recorded
}

const visitedNamespace = `
apiVersion: v1
kind: Namespace
metadata: {name: $ns-visited}`

const guest = "{apiVersion: v1, kind: ConfigMap, metadata: {name: visitor, namespace: $ns-visited}}"

// TestPlantedSpec checks that a newer spec with another delete strategy, planted in the record of one member, has no effect on any member.
func TestPlantedSpec(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := withIdentity(w.newRequest("spec", visitedNamespace, configMap("spec", "1")), "id")
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	w.Put("member-2", guest)
	plant(w, "member-1", "spec", headText, func(head *values) { (*head)["generation"] = 8 })
	plant(w, "member-1", "spec", specText, func(spec *values) {
		(*spec)["strategy"] = values{"deleteStrategy": values{"contents": "Delete"}}
	})
	refreshed, recorded := w.read(request)
	if recorded.Spec.Strategy != nil {
		t.Errorf("a refresh reads the planted spec: %+v", recorded.Spec.Strategy)
	}
	if generation, _ := recorded.Status.Counts(); generation != 1 {
		t.Errorf("the generation is %d", generation)
	}
	apply, removal := w.previews(refreshed)
	w.checkUnverified(apply, "member-1")
	w.checkUnverified(removal, "member-1")
	result := w.Delete(refreshed)
	w.Contains(strings.Join(result.Warnings, "\n"), "member-2", w.Expand("Namespace $ns-visited stays"), "visitor", "member-1")
	if w.Find("member-2", "v1 ConfigMap $ns-visited/visitor") == nil || w.value("member-1", "spec") != "1" || w.value("member-2", "spec") != "absent" {
		t.Error("the planted spec had an effect")
	}
	for _, member := range w.Members {
		if w.inventory(member, "spec") != nil || w.Find(member, record("Secret", "spec")) != nil {
			t.Errorf("%s: records remain", member)
		}
	}
}

// TestPlantedOwnership checks that a pre-existing object is not deleted even if the record was edited to list it as created by the placement.
func TestPlantedOwnership(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := withIdentity(w.newRequest("owned", configMap("owned-there", "1"), configMap("owned", "1")), "id")
	w.DeleteAtEnd(request)
	there := w.Put("member-1", configMap("owned-there", "1"))
	request = request.After(w.Apply(request).Status)
	plant(w, "member-1", "owned", objectsText, func(entries *[]values) {
		for _, e := range *entries {
			delete(e, "adopted")
		}
	})
	refreshed, _ := w.read(request)
	apply, removal := w.previews(refreshed)
	w.checkUnverified(apply, "member-1")
	for _, object := range removal.Clusters[0].Objects {
		if object.Action == takeover.ActionPrune {
			t.Errorf("%s is to be deleted on member-1", object.Identifier)
		}
	}
	w.Delete(refreshed)
	got := w.Find("member-1", "v1 ConfigMap owned-there")
	if got == nil || got.GetUID() != there.GetUID() || got.GetDeletionTimestamp() != nil {
		t.Errorf("the values are %v", got)
	}
	if w.value("member-2", "owned") != "absent" {
		t.Error("member-2 still has its objects")
	}
}

// TestPlantedEntry checks that an apply neither deletes nor changes an object if another client has added an entry for the object to the record on a member.
// The apply writes the record again, and the placement's objects on the member count as pre-existing from then on.
func TestPlantedEntry(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := withIdentity(w.newRequest("entry", configMap("entry", "1")), "id")
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	victim := w.Put("member-1", configMap("entry-victim", "theirs"))
	plant(w, "member-1", "entry", objectsText, func(entries *[]values) {
		*entries = append(*entries, values{
			"version": "v1", "kind": "ConfigMap", "namespace": w.Name, "name": "entry-victim", "uid": string(victim.GetUID()), "hash": strings.Repeat("0", 64),
		})
	})
	apply, removal := w.previews(request)
	w.checkUnverified(apply, "member-1")
	for _, preview := range []*engine.Preview{apply, removal} {
		for _, object := range preview.Clusters[0].Objects {
			if object.Name == "entry-victim" || object.Action == takeover.ActionPrune {
				t.Errorf("the preview has %s: %s", object.Identifier, object.Action)
			}
		}
	}
	result := w.Apply(request)
	w.checkComplete(result.Status)
	request = request.After(result.Status)
	w.checkIdle(request)
	if got := w.inventory("member-1", "entry"); len(got) != 1 || !got["ConfigMap entry"].Adopted {
		t.Errorf("the record has %+v", got)
	}
	if w.inventory("member-2", "entry")["ConfigMap entry"].Adopted {
		t.Error("the edit of the record on member-1 changed the record on member-2")
	}
	w.Delete(request)
	if got := w.Must("member-1", "v1 ConfigMap entry-victim"); got.GetResourceVersion() != victim.GetResourceVersion() {
		t.Errorf("an object of another client has changed: %v", got)
	}
	if w.value("member-1", "entry") != "1" || w.value("member-2", "entry") != "absent" {
		t.Errorf("the values are %s and %s", w.value("member-1", "entry"), w.value("member-2", "entry"))
	}
}

// TestPlantedOverride checks that the preview names an override that another client created on a member, and its record there.
func TestPlantedOverride(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := withIdentity(w.newRequest("bent", configMap("bent", "1")), "id")
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	text := jsonOf(t, values{"namespace": w.Name, "name": "evil", "resourceOverride": values{
		"resourceSelectors": []values{{"group": "", "version": "v1", "kind": "ConfigMap", "name": "bent"}},
		"policy": values{"overrideRules": []values{{
			"clusterSelector":    values{"clusterSelectorTerms": []values{}},
			"jsonPatchOverrides": []values{{"op": "replace", "path": "/data/value", "value": "evil"}},
		}}},
	}})
	w.Put("member-1", jsonOf(t, values{
		"apiVersion": "v1", "kind": "ConfigMap", "data": values{"override.json": text}, "metadata": values{
			"namespace": "fleet-system", "name": "resource-override-$ns.evil", "labels": values{"fleet.terraform.io/record": "override"},
		},
	}))
	preview, err := request.Preview(t.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	for _, cluster := range preview.Clusters {
		if (len(cluster.Overrides) == 1) != (cluster.Name == "member-1") {
			t.Errorf("%s has the overrides %+v", cluster.Name, cluster.Overrides)
		}
	}
	if got := preview.Clusters[0].Overrides; len(got) == 1 {
		w.Contains(got[0].String()+", "+got[0].Record, w.Expand("ResourceOverride $ns/evil"), w.Expand("ConfigMap fleet-system/resource-override-$ns.evil"))
	}
}

// TestCopiedRecord checks that a record that was copied to another member, or saved from an earlier placement of the same name, does not verify.
func TestCopiedRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := withIdentity(w.newRequest("copied", configMap("copied", "1")), "id")
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	data := w.Must("member-2", record("ConfigMap", "copied")).Object["data"].(map[string]any)
	own, _, _ := unstructured.NestedString(w.Must("member-1", record("ConfigMap", "copied")).Object, "data", headText)
	var head values
	if err := json.Unmarshal([]byte(own), &head); err != nil {
		t.Fatal(err)
	}
	for name, clusterUID := range map[string]any{"unchanged": nil, "with the cluster's UID": head["clusterUID"]} {
		w.Edit("member-1", record("ConfigMap", "copied"), jsonOf(t, values{"data": data}))
		if clusterUID != nil {
			plant(w, "member-1", "copied", headText, func(head *values) { (*head)["clusterUID"] = clusterUID })
		}
		preview, err := request.Preview(t.Context(), w.Engine())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		w.checkUnverified(preview, "member-1")
	}
	other := request
	other.Key = engine.Key("another key")
	preview, err := other.Preview(t.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	w.checkUnverified(preview, w.Members...)
}

// TestNoRecordVerifies checks that a placement stays in the state if none of its records verify, even if no objects with its label remain.
func TestNoRecordVerifies(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request := withIdentity(w.newRequest("all-planted", configMap("all-planted", "1")), "id")
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	for _, member := range w.Members {
		plant(w, member, "all-planted", headText, func(head *values) { (*head)["generation"] = 8 })
	}
	refreshed, recorded := w.read(request)
	w.Contains(recorded.Warning, "No record of the placement verifies", "member-1, member-2", "carry its label")
	if generation, _ := recorded.Status.Counts(); generation != 1 {
		t.Errorf("the generation is %d", generation)
	}
	for _, member := range w.Members {
		w.Remove(member, "v1 ConfigMap all-planted")
	}
	if _, recorded = w.read(refreshed); !strings.Contains(recorded.Warning, "No record of the placement verifies") {
		t.Errorf("the warning is %q", recorded.Warning)
	}
	result := w.Apply(refreshed)
	w.checkComplete(result.Status)
	w.checkIdle(refreshed.After(result.Status))
}

// TestPlantedElsewhere checks that the plan shows a record that another client created on a member without the placement, and that the apply removes it.
func TestPlantedElsewhere(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request := withIdentity(w.newRequest("strayed", configMap("strayed", "1")), "id")
	request.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"member-1"}}
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	victim := w.Put("member-2", configMap("strayed-victim", "theirs"))
	planted := w.Must("member-1", record("ConfigMap", "strayed"))
	planted.SetResourceVersion("")
	planted.SetUID("")
	if _, err := w.On("member-2").Add(t.Context(), planted, false); err != nil {
		t.Fatal(err)
	}
	plant(w, "member-2", "strayed", objectsText, func(entries *[]values) {
		(*entries)[0]["name"], (*entries)[0]["uid"] = "strayed-victim", string(victim.GetUID())
	})
	preview, err := request.Preview(t.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	w.checkUnverified(preview, "member-2")
	result := w.Apply(request)
	w.checkIdle(request.After(result.Status))
	if w.inventory("member-2", "strayed") != nil {
		t.Error("the planted record remains")
	}
	if got := w.Must("member-2", "v1 ConfigMap strayed-victim"); got.GetResourceVersion() != victim.GetResourceVersion() {
		t.Errorf("an object of another client has changed: %v", got)
	}
}

// TestLostRecordKeepsPick checks that a placement does not move to another member when its record on its own member is edited or deleted.
func TestLostRecordKeepsPick(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := withIdentity(w.newRequest("pick", configMap("pick", "1")), "id")
	request.Spec.Policy = &placement.Policy{PlacementType: placement.PickN, NumberOfClusters: new(int32(1))}
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	picked := "member-1"
	if request.Prior.Clusters["member-2"].IsScheduled() {
		picked = "member-2"
	}
	spoil := []func(){
		func() { plant(w, picked, "pick", headText, func(head *values) { delete(*head, "picked") }) },
		func() { w.Remove(picked, record("ConfigMap", "pick")) },
	}
	for i, spoils := range spoil {
		spoils()
		preview, err := request.Preview(t.Context(), w.Engine())
		if err != nil {
			t.Fatal(err)
		}
		for _, cluster := range preview.Clusters {
			if cluster.Picked != (cluster.Name == picked) {
				t.Errorf("%d: picked %s: %v", i, cluster.Name, cluster.Picked)
			}
		}
	}
}

// TestPlantedRecordIsRestored checks that an apply that rolls back restores a record that does not verify, and does not sign it.
func TestPlantedRecordIsRestored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := withIdentity(w.newRequest("restored", configMap("restored", "1")), "id")
	request.Spec.Strategy = &placement.Strategy{RollingUpdate: &placement.RollingUpdate{MaxUnavailable: "100%"}}
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	plant(w, "member-1", "restored", headText, func(head *values) { (*head)["generation"] = 8 })
	before := w.Must("member-1", record("ConfigMap", "restored")).Object["data"]
	request.Manifests = w.Manifests(configMap("restored", "2"))
	isRecord := onPath("member-2", http.MethodPut, "/placement-"+request.Name)
	w.Inject(clusters.Fault{Match: isRecord, Hook: runOnce(func() {
		w.Edit("member-2", record("ConfigMap", "restored"), "{metadata: {labels: {edited: yes-it-is}}}")
	})})
	if _, err := request.Apply(t.Context(), w.Engine()); err == nil {
		t.Fatal("the apply did not detect the edit")
	}
	if after := w.Must("member-1", record("ConfigMap", "restored")).Object["data"]; jsonOf(t, after) != jsonOf(t, before) {
		t.Errorf("the record was %s and is %s", jsonOf(t, before), jsonOf(t, after))
	}
	if w.value("member-1", "restored") != "1" {
		t.Error("an object was written")
	}
}
