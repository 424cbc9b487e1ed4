package direct_test

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
)

// backup is what a backup has of a placement's records on a member. restore puts them back in the place of those that are there.
func (w *world) backup(cluster, name string) (restore func()) {
	w.Helper()
	var kept []*unstructured.Unstructured
	for _, kind := range []string{"ConfigMap", "Secret"} {
		u := w.Must(cluster, record(kind, name)).DeepCopy()
		for _, field := range []string{"uid", "resourceVersion", "creationTimestamp", "managedFields"} {
			unstructured.RemoveNestedField(u.Object, "metadata", field)
		}
		kept = append(kept, u)
	}
	return func() {
		w.Helper()
		for _, u := range kept {
			if w.Find(cluster, record(u.GetKind(), name)) != nil {
				w.Remove(cluster, record(u.GetKind(), name))
			}
			text, err := yaml.Marshal(u.Object)
			if err != nil {
				w.Fatal(err)
			}
			w.Put(cluster, string(text))
		}
	}
}

// createdAgain returns a placement that was removed and created again with other content, another identity and another key, and a backup of the former
// records on member-1.
func (w *world) createdAgain(name, former, now string) (request enginetest.Request, restore func()) {
	w.Helper()
	request = managed(w.placing(name, configMap(name, "1"), configMap(name+"-old", "1")), former)
	before := w.Apply(request).Status
	before = w.Apply(managed(w.placing(name, configMap(name, "0"), configMap(name+"-old", "1")), former).After(before)).Status
	restore = w.backup("member-1", name)
	w.Delete(request.After(before))
	request = managed(w.placing(name, configMap(name, "2")), now)
	request.Key = engine.NewKey()
	w.DeleteAtEnd(request)
	return request.After(w.Apply(request).Status), restore
}

// A member that is restored from a backup of before a placement was created again has a record with its former identity, which is no other
// configuration: the state's own identity counts, and the record as one that is older.
func TestFormerIdentity(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request, restore := w.createdAgain("former", engine.NewID(), engine.NewID())
	restore()
	read, err := request.Read(t.Context(), w.Engine())
	if err != nil || read.Warning != "" || read.Manifests["00.yaml"] != request.Manifests["00.yaml"] {
		t.Fatalf("read %+v, %v", read, err)
	}
	request = request.After(read.Status)
	if _, cluster := w.previewed(w.Engine(), request, "member-1", "former"); !cluster.RecordLost {
		t.Errorf("predicted: %+v", cluster)
	}
	if _, cluster := w.previewed(w.Engine(), request, "member-2", "former"); cluster.RecordLost || cluster.Resume {
		t.Errorf("predicted: %+v", cluster)
	}
	result := w.Apply(request)
	w.complete(result.Status)
	request = request.After(result.Status)
	w.idle(request)
	if w.value("member-1", "former") != "2" || w.value("member-2", "former") != "2" {
		t.Errorf("there is %s and %s", w.value("member-1", "former"), w.value("member-2", "former"))
	}
	read, err = request.Read(t.Context(), w.Engine())
	if err != nil || read.ID != request.ID {
		t.Errorf("read %+v, %v", read, err)
	}
	w.Says(strings.Join(w.Delete(request).Warnings, "\n"), "member-1", "record that told who made them was lost")
	w.nothingRecorded("former")
	if w.value("member-1", "former") != "2" || w.value("member-2", "former") != "absent" {
		t.Errorf("there is %s and %s", w.value("member-1", "former"), w.value("member-2", "former"))
	}
}

// nothingRecorded fails the test if a member has a record of a placement.
func (w *world) nothingRecorded(name string) {
	w.Helper()
	for _, member := range w.Members {
		for _, kind := range []string{"ConfigMap", "Secret"} {
			if w.Find(member, record(kind, name)) != nil {
				w.Errorf("%s has the %s of the placement", member, kind)
			}
		}
	}
}

// A destroy ends as well, without an apply before it.
func TestFormerIdentityIsDestroyed(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request, restore := w.createdAgain("ends", engine.NewID(), engine.NewID())
	restore()
	if _, err := request.PreviewDelete(t.Context(), w.Engine()); err != nil {
		t.Fatal(err)
	}
	w.Says(strings.Join(w.Delete(request).Warnings, "\n"), `is missing on the member "member-1", or older than it was`, "left behind")
	w.nothingRecorded("ends")
	if w.value("member-2", "ends") != "absent" {
		t.Error("the object is left on member-2")
	}
}

// An import of a placement whose records have two identities takes the one that was given last, whatever the other record counts.
func TestImportWithFormerIdentity(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request, restore := w.createdAgain("imports", engine.NewID(), engine.NewID())
	restore()
	imported := request
	imported.ID, imported.Key, imported.Prior, imported.Manifests = "", nil, nil, nil
	read, err := imported.Read(t.Context(), w.Engine())
	if err != nil || read.ID != request.ID {
		t.Fatalf("read %+v, %v", read, err)
	}
	request = request.After(read.Status)
	request.Key, request.KeyIsNew = engine.NewKey(), true
	result := w.Apply(request)
	w.complete(result.Status)
	request = request.After(result.Status)
	request.KeyIsNew = false
	w.idle(request)
	w.Delete(request)
	w.nothingRecorded("imports")
}

// Without times in the identities the error names what to do, and that works.
func TestForeignIdentity(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request, restore := w.createdAgain("foreign", "id-a", "id-b")
	restore()
	_, applied := request.Apply(t.Context(), w.Engine())
	_, removed := request.Delete(t.Context(), w.Engine())
	for _, err := range []error{applied, removed} {
		var elsewhere *engine.ManagedElsewhereError
		if !errors.As(err, &elsewhere) {
			t.Fatalf("it says %v", err)
		}
		w.Says(err.Error(), "restored from a backup", `cluster "member-1"`, w.Expand("delete the ConfigMap fleet-system/placement-$ns-foreign there"))
	}
	w.Remove("member-1", record("ConfigMap", "foreign"))
	result := w.Apply(request)
	w.complete(result.Status)
	w.idle(request.After(result.Status))
	w.Delete(request.After(result.Status))
	w.nothingRecorded("foreign")
}

// An older state is no younger identity: what was created since is not its.
func TestStateOfAFormerIdentity(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	former := engine.NewID()
	request, _ := w.createdAgain("stale", former, engine.NewID())
	_, err := managed(request, former).Apply(t.Context(), w.Engine())
	var elsewhere *engine.ManagedElsewhereError
	if !errors.As(err, &elsewhere) {
		t.Fatalf("it says %v", err)
	}
}
