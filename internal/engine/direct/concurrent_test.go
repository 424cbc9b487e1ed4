package direct_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/apply"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// newPatientEngine returns an engine that waits long before an operation counts as killed, so that tests pass on a slow machine.
func (w *world) newPatientEngine() engine.Engine {
	e := w.Engine()
	e.(*direct.Engine).SetPace(apply.Pace{Renew: 200 * time.Millisecond, Dead: time.Minute})
	return e
}

// withIdentity returns the request with an ID. If the ID is not a UUID, it appends the name of the placement, because concurrent tests use the same IDs.
func withIdentity(request enginetest.Request, id string) enginetest.Request {
	if request.ID = id; id != "" && uuid.Validate(id) != nil {
		request.ID = id + "-" + request.Name
	}
	return request
}

// pausedOperation is an operation that waits at a request until it is released.
type pausedOperation struct {
	release func()
	ended   chan error
	result  *engine.Result
}

// pause starts an operation and returns when it waits at the first matching request.
func (w *world) pause(match func(clusters.Request) bool, operation func() (*engine.Result, error)) *pausedOperation {
	w.Helper()
	reached, released := make(chan struct{}), make(chan struct{})
	h := &pausedOperation{release: sync.OnceFunc(func() { close(released) }), ended: make(chan error, 1)}
	reach := sync.OnceFunc(func() { close(reached) })
	w.Cleanup(h.release)
	w.Inject(clusters.Fault{Match: match, Hook: func(clusters.Request) {
		reach()
		<-released
	}})
	go func() {
		result, err := operation()
		h.result = result
		h.ended <- err
	}()
	select {
	case <-reached:
	case err := <-h.ended:
		w.Fatalf("it was over before the request that it is to wait at: %v", err)
	}
	return h
}

// finish releases the operation, waits for it and returns its result.
func (h *pausedOperation) finish() (*engine.Result, error) {
	h.release()
	err := <-h.ended
	return h.result, err
}

// checkBusy fails the test unless the error reports that another operation is in progress.
func (w *world) checkBusy(err error, says ...string) {
	w.Helper()
	var busy *engine.BusyError
	if !errors.As(err, &busy) {
		w.Errorf("not blocked by the other operation: %v", err)
		return
	}
	w.Contains(err.Error(), says...)
}

// checkNoWrites fails the test if the recorder has seen a write.
func (w *world) checkNoWrites() {
	w.Helper()
	for _, r := range w.Writes() {
		w.Errorf("written: %s", r)
	}
}

// TestNameIsTaken checks that the plan and the apply reject a placement with the name of another configuration's placement, while the apply of the other
// placement is in progress and after that apply.
func TestNameIsTaken(t *testing.T) {
	t.Parallel()
	w, other := newWorld(t), (*world)(nil)
	other = w.restarted()
	request := withIdentity(w.newRequest("taken", configMap("taken-a", "1"), configMap("taken-b", "1")), "id-a")
	w.DeleteAtEnd(request)
	theirs := withIdentity(w.newRequest("taken", configMap("taken-c", "2")), "id-b")
	refused := func(says ...string) {
		t.Helper()
		other.Reset()
		_, applied := theirs.Apply(t.Context(), other.Engine())
		_, previewed := theirs.Preview(t.Context(), other.Engine())
		for _, err := range []error{applied, previewed} {
			var exists *engine.ExistsError
			if !errors.As(err, &exists) || exists.Import != request.Name {
				t.Fatalf("the name is taken, got error %v", err)
			}
			w.Contains(err.Error(), append(says, "exists already on member-1", "Import it")...)
		}
		other.checkNoWrites()
	}
	first := w.pause(onPath("member-2", http.MethodPost, w.configMaps()), func() (*engine.Result, error) {
		return request.Apply(t.Context(), w.newPatientEngine())
	})
	refused("An apply of it that started at 20", "has not finished")
	result, err := first.finish()
	if err != nil {
		t.Fatal(err)
	}
	w.checkComplete(result.Status)
	refused()
	if got := w.value("member-1", "taken-a"); got != "1" {
		t.Errorf("the first placement's object is %s", got)
	}
}

// TestKilledCreateIsImported checks that another resource cannot create a placement whose first apply was killed. After an import, which reads the identity
// from the record, an apply completes the placement.
func TestKilledCreateIsImported(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := withIdentity(w.newRequest("killed", configMap("killed-a", "1"), configMap("killed-b", "1")), "id-a")
	w.DeleteAtEnd(request)
	if !w.interrupt(interruption{kill: true}, 3, request) {
		t.Fatal("the apply completed before it was killed")
	}
	other := w.restarted()
	var exists *engine.ExistsError
	if _, err := withIdentity(request, "id-b").Apply(t.Context(), other.Engine()); !errors.As(err, &exists) {
		t.Errorf("the name is taken, got error %v", err)
	}
	recorded, err := enginetest.Request{Name: request.Name, Again: true}.Read(t.Context(), other.Engine())
	if err != nil || recorded.ID != request.ID {
		t.Fatalf("read %+v, %v", recorded, err)
	}
	result := other.Apply(request.After(recorded.Status))
	other.checkComplete(result.Status)
	other.Delete(request.After(result.Status))
	for _, name := range []string{"killed-a", "killed-b"} {
		if w.value("member-1", name) != "absent" || w.value("member-2", name) != "absent" {
			t.Errorf("%s remains", name)
		}
	}
}

// TestOperationsSideBySide checks that an operation writes nothing and returns an error while another operation on the placement is in progress. The other
// operation is not disturbed, and neither leaves unrecorded objects.
func TestOperationsSideBySide(t *testing.T) {
	t.Parallel()
	apply := func(ctx context.Context, e engine.Engine, request enginetest.Request) (*engine.Result, error) {
		return request.Apply(ctx, e)
	}
	remove := func(ctx context.Context, e engine.Engine, request enginetest.Request) (*engine.Result, error) {
		return request.Delete(ctx, e)
	}
	type operation = func(context.Context, engine.Engine, enginetest.Request) (*engine.Result, error)
	for name, test := range map[string]struct {
		first, second operation
		at            string
		says          string
	}{
		"update-update": {apply, apply, http.MethodPost, "another apply"},
		"update-remove": {apply, remove, http.MethodPost, "another apply"},
		"remove-update": {remove, apply, http.MethodDelete, "another removal"},
		"remove-remove": {remove, remove, http.MethodDelete, "another removal"},
	} {
		t.Run(name, func(t *testing.T) {
			// The other two cases cover both operations, first and second.
			if (name == "update-update" || name == "remove-remove") && testing.Short() {
				t.Skip("make test-all runs it")
			}
			t.Parallel()
			w := newWorld(t)
			old := withIdentity(w.newRequest(name, configMap("kept", "1"), configMap("gone", "1")), "id")
			w.DeleteAtEnd(old)
			old = old.After(w.ApplyBy(w.Past(), old).Status)
			first := old.With(w.Manifests(configMap("kept", "2"), configMap("new-a", "2")))
			second := old.With(w.Manifests(configMap("kept", "3"), configMap("new-b", "3")))
			other := w.restarted()
			running := w.pause(func(r clusters.Request) bool {
				return r.Context == "member-2" && r.Method == test.at && !r.DryRun && strings.Contains(r.Path, w.configMaps())
			}, func() (*engine.Result, error) { return test.first(t.Context(), w.newPatientEngine(), first) })
			_, err := test.second(t.Context(), other.newPatientEngine(), second)
			other.checkBusy(err, test.says, "started at 20", "Apply again")
			other.checkNoWrites()
			preview, err := second.Preview(t.Context(), other.Engine())
			if err != nil || preview.InProgress == nil {
				t.Errorf("the preview does not report the operation in progress: %v", err)
			}
			if _, err := running.finish(); err != nil {
				t.Errorf("the first one was disturbed: %v", err)
			}
			w.Delete(second)
			w.checkNothingLeft("kept", "gone", "new-a", "new-b")
		})
	}
}

// checkNothingLeft fails the test if one of the ConfigMaps remains on any member.
func (w *world) checkNothingLeft(names ...string) {
	w.Helper()
	for _, member := range w.Members {
		for _, name := range names {
			if got := w.value(member, name); got != "absent" {
				w.Errorf("%s: %s remains: %s", member, name, got)
			}
		}
	}
}

// TestAppliesAtTheSameMoment checks that only one of two applies proceeds if both have read the clusters before either writes.
func TestAppliesAtTheSameMoment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("moment", configMap("moment", "1"))
	w.DeleteAtEnd(request)
	var first error
	w.Inject(clusters.Fault{Match: onPath("", http.MethodPost, "fleet-system/configmaps"), Times: 1, Hook: runOnce(func() {
		_, first = withIdentity(request, "id-a").Apply(t.Context(), w.Past())
	})})
	_, second := withIdentity(request, "id-b").With(w.Manifests(configMap("moment", "2"))).Apply(t.Context(), w.Engine())
	if first != nil {
		t.Errorf("the first apply: %v", first)
	}
	w.checkBusy(second, "placement \""+request.Name+"\"", "Apply again")
	if got := w.value("member-1", "moment"); got != "1" {
		t.Errorf("the object is %s", got)
	}
}

// TestApplyIsTakenForDead checks that an apply that has stalled stops when it detects that another apply has taken over its placement, and that it deletes the
// objects that no record lists.
func TestApplyIsTakenForDead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old := withIdentity(w.newRequest("stalled", configMap("stalled-kept", "1")), "id")
	w.DeleteAtEnd(old)
	old = old.After(w.ApplyBy(w.Past(), old).Status)
	var stalled sync.Mutex
	stalled.Lock()
	w.Inject(clusters.Fault{Match: func(r clusters.Request) bool { // the renewals
		return r.Method == http.MethodPatch && strings.Contains(r.Path, "/fleet-system/configmaps/")
	}, Hook: func(clusters.Request) {
		stalled.Lock()
		stalled.Unlock() //nolint:staticcheck // it only waits
	}})
	first := w.pause(onPath("", http.MethodPost, w.configMaps()), func() (*engine.Result, error) {
		return old.With(w.Manifests(configMap("stalled-kept", "2"), configMap("stalled-new", "2"))).Apply(t.Context(), w.Engine())
	})
	second := old.With(w.Manifests(configMap("stalled-kept", "3"), configMap("stalled-other", "3")))
	result := w.restarted().Apply(second)
	stalled.Unlock()
	_, err := first.finish()
	w.checkBusy(err, "another apply", "considered it dead", "Apply again")
	if got := w.value("member-1", "stalled-new"); got != "absent" {
		t.Errorf("the object without a record is %s", got)
	}
	w.checkComplete(w.Apply(second.After(result.Status)).Status)
	w.Delete(second.After(result.Status))
	w.checkNothingLeft("stalled-kept", "stalled-new", "stalled-other")
}

// TestRecordIsMeddledWith checks that an apply restores its record if another client deletes or overwrites it in the meantime, so that all placed objects stay
// recorded.
func TestRecordIsMeddledWith(t *testing.T) {
	t.Parallel()
	for name, meddle := range map[string]func(w *world, name string){
		"deleted": func(w *world, name string) { w.Remove("member-1", record("ConfigMap", name)) },
		"corrupted": func(w *world, name string) {
			w.Edit("member-1", record("ConfigMap", name), "{data: {objects.json: '{', under-way.json: null}}")
		},
		"deleted-again": func(w *world, name string) { // the first attempts to restore it fail
			const attempts = 2
			failed := make(chan struct{}, attempts)
			w.Inject(clusters.Fault{
				Match: onPath("member-1", http.MethodPost, "/"+direct.Namespace+"/configmaps"), Times: attempts, Status: http.StatusInternalServerError,
				Hook: func(clusters.Request) { failed <- struct{}{} },
			})
			w.Remove("member-1", record("ConfigMap", name))
			for range attempts {
				<-failed
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			request := withIdentity(w.newRequest(name, configMap("meddled-a", "1")), "id")
			w.DeleteAtEnd(request)
			first := w.pause(onPath("member-1", http.MethodPost, w.configMaps()), func() (*engine.Result, error) {
				return request.Apply(t.Context(), w.newPatientEngine())
			})
			meddle(w, name)
			result, err := first.finish()
			if err != nil {
				t.Fatal(err)
			}
			w.checkComplete(result.Status)
			w.Contains(strings.Join(result.Warnings, "\n"), "member-1", "The apply wrote it again")
			w.checkIdle(request.After(result.Status))
			w.Delete(request.After(result.Status))
			w.checkNothingLeft("meddled-a")
		})
	}
}

// TestManagedElsewhere checks that a resource neither changes nor removes a placement of another resource, nor reads it into its state.
func TestManagedElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := withIdentity(w.newRequest("elsewhere", configMap("elsewhere", "1")), "id-a")
	w.DeleteAtEnd(request)
	status := w.ApplyBy(w.Past(), request).Status
	mine := withIdentity(request.With(w.Manifests(configMap("elsewhere", "2"))).After(status), "id-b")
	_, previewed := mine.Preview(t.Context(), w.Engine())
	_, applied := mine.Apply(t.Context(), w.Engine())
	_, planned := mine.PreviewDelete(t.Context(), w.Engine())
	_, removed := mine.Delete(t.Context(), w.Engine())
	for _, err := range []error{previewed, applied, planned, removed} {
		var elsewhere *engine.ManagedElsewhereError
		if !errors.As(err, &elsewhere) {
			t.Fatalf("got error %v", err)
		}
		w.Contains(err.Error(), "managed by another configuration", "id-a", "id-b", "terraform state rm", "member-1")
	}
	w.checkNoWrites()
	recorded, err := mine.Read(t.Context(), w.Engine())
	if err != nil || recorded.Manifests["00.yaml"] != mine.Manifests["00.yaml"] {
		t.Fatalf("read %+v, %v", recorded, err)
	}
	w.Contains(recorded.Warning, "managed by another configuration")
	imported := withIdentity(mine, "")
	result := w.Apply(imported)
	if preview, err := withIdentity(mine, "id-a").After(result.Status).Preview(t.Context(), w.Engine()); err != nil || preview.Pending() {
		t.Errorf("after the import: %+v, %v", preview, err)
	}
}

// TestObjectInPlaceOfRecord checks that an object of another client with the name of a record remains unchanged, and that the error names it.
func TestObjectInPlaceOfRecord(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"ConfigMap", "Secret"} {
		w := newWorld(t)
		name := "in-place-" + strings.ToLower(kind)
		request := w.newRequest(name, configMap("in-place", "1"))
		w.Put("member-1", "{apiVersion: v1, kind: "+kind+", metadata: {namespace: fleet-system, name: placement-$ns-"+name+"}}")
		result, err := request.Apply(t.Context(), w.Engine())
		if err == nil {
			t.Fatal("the apply returns no error")
		}
		w.Contains(err.Error(), "member-1", kind+" fleet-system/placement-", "not a record of this provider", "choose another name")
		if w.value("member-1", "in-place") != "absent" || w.value("member-2", "in-place") != "1" {
			t.Errorf("%s: member-1 was written to, or member-2 was blocked", kind)
		}
		var status placement.Status
		if result != nil {
			status = result.Status
		}
		w.Delete(request.After(status))
		if u := w.Must("member-1", record(kind, name)); len(u.GetLabels()) > 0 || u.Object["data"] != nil {
			t.Errorf("the other client's %s is %v", kind, u.Object)
		}
	}
}
