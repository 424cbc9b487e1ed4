package direct_test

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// backup saves a placement's records on a member. restore replaces the current records with them.
func (w *world) backup(cluster, name string) (restore func()) {
	w.Helper()
	var kept []*unstructured.Unstructured
	for _, kind := range []string{"ConfigMap", "Secret"} {
		kept = append(kept, manifest.WithoutServerSet(w.Must(cluster, record(kind, name))))
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

// recreate applies a placement, removes it, and creates it again with other content, another identity and another key. It returns the new request, and a
// function that restores the former records on member-1.
func (w *world) recreate(name, former, now string) (request enginetest.Request, restore func()) {
	w.Helper()
	request = withIdentity(w.newRequest(name, configMap(name, "1"), configMap(name+"-old", "1")), former)
	before := w.Apply(request).Status
	before = w.Apply(withIdentity(w.newRequest(name, configMap(name, "0"), configMap(name+"-old", "1")), former).After(before)).Status
	restore = w.backup("member-1", name)
	w.Delete(request.After(before))
	request = withIdentity(w.newRequest(name, configMap(name, "2")), now)
	request.Key = engine.NewKey()
	w.DeleteAtEnd(request)
	return request.After(w.Apply(request).Status), restore
}

// TestFormerIdentity checks that a member restored from a backup does not seem to belong to another configuration if the backup is older than the recreation
// of the placement: the identity in the state takes precedence over the former identity in the record, and the record counts as older.
func TestFormerIdentity(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request, restore := w.recreate("former", engine.NewID(), engine.NewID())
	restore()
	read, err := request.Read(t.Context(), w.Engine())
	if err != nil || read.Warning != "" || read.Manifests["00.yaml"] != request.Manifests["00.yaml"] {
		t.Fatalf("read %+v, %v", read, err)
	}
	request = request.After(read.Status)
	if _, cluster := w.previewObject(w.Engine(), request, "member-1", "former"); !cluster.RecordLost {
		t.Errorf("predicted: %+v", cluster)
	}
	if _, cluster := w.previewObject(w.Engine(), request, "member-2", "former"); cluster.RecordLost || cluster.Resume {
		t.Errorf("predicted: %+v", cluster)
	}
	result := w.Apply(request)
	w.checkComplete(result.Status)
	request = request.After(result.Status)
	w.checkIdle(request)
	if w.value("member-1", "former") != "2" || w.value("member-2", "former") != "2" {
		t.Errorf("the values are %s and %s", w.value("member-1", "former"), w.value("member-2", "former"))
	}
	read, err = request.Read(t.Context(), w.Engine())
	if err != nil || read.ID != request.ID {
		t.Errorf("read %+v, %v", read, err)
	}
	w.Contains(strings.Join(w.Delete(request).Warnings, "\n"), "member-1", "the record of who created them was lost")
	w.checkNoRecords("former")
	if w.value("member-1", "former") != "2" || w.value("member-2", "former") != "absent" {
		t.Errorf("the values are %s and %s", w.value("member-1", "former"), w.value("member-2", "former"))
	}
}

// checkNoRecords fails the test if a member has a record of the placement.
func (w *world) checkNoRecords(name string) {
	w.Helper()
	for _, member := range w.Members {
		for _, kind := range []string{"ConfigMap", "Secret"} {
			if w.Find(member, record(kind, name)) != nil {
				w.Errorf("%s has the %s of the placement", member, kind)
			}
		}
	}
}

// TestFormerIdentityIsDestroyed checks that a destroy succeeds in the same situation without an apply before it.
func TestFormerIdentityIsDestroyed(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request, restore := w.recreate("ends", engine.NewID(), engine.NewID())
	restore()
	if _, err := request.PreviewDelete(t.Context(), w.Engine()); err != nil {
		t.Fatal(err)
	}
	w.Contains(strings.Join(w.Delete(request).Warnings, "\n"), `is missing on the member "member-1", is an older version, or does not verify`, "remain there")
	w.checkNoRecords("ends")
	if w.value("member-2", "ends") != "absent" {
		t.Error("the object remains on member-2")
	}
}

// TestImportWithFormerIdentity checks that an import of a placement whose records have two identities uses the younger one, whatever the generation of the
// other record.
func TestImportWithFormerIdentity(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request, restore := w.recreate("imports", engine.NewID(), engine.NewID())
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
	w.checkComplete(result.Status)
	request = request.After(result.Status)
	request.KeyIsNew = false
	w.checkIdle(request)
	w.Delete(request)
	w.checkNoRecords("imports")
}

// TestForeignIdentity checks that the error for identities without timestamps names a remedy, and that the remedy works.
func TestForeignIdentity(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request, restore := w.recreate("foreign", "id-a", "id-b")
	restore()
	_, applied := request.Apply(t.Context(), w.Engine())
	_, removed := request.Delete(t.Context(), w.Engine())
	for _, err := range []error{applied, removed} {
		var elsewhere *engine.ManagedElsewhereError
		if !errors.As(err, &elsewhere) {
			t.Fatalf("got error %v", err)
		}
		w.Contains(err.Error(), "restored from a backup", `cluster "member-1"`, w.Expand("delete the ConfigMap fleet-system/placement-$ns-foreign there"))
	}
	w.Remove("member-1", record("ConfigMap", "foreign"))
	result := w.Apply(request)
	w.checkComplete(result.Status)
	w.checkIdle(request.After(result.Status))
	w.Delete(request.After(result.Status))
	w.checkNoRecords("foreign")
}

// TestStateOfAFormerIdentity checks that an old state does not own a placement that was created later.
func TestStateOfAFormerIdentity(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	former := engine.NewID()
	request, _ := w.recreate("stale", former, engine.NewID())
	_, err := withIdentity(request, former).Apply(t.Context(), w.Engine())
	var elsewhere *engine.ManagedElsewhereError
	if !errors.As(err, &elsewhere) {
		t.Fatalf("got error %v", err)
	}
}
