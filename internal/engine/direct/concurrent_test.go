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

// patient is an engine that takes no operation for dead that is slow because the machine is.
func (w *world) patient() engine.Engine {
	e := w.Engine()
	e.(*direct.Engine).SetPace(apply.Pace{Renew: 200 * time.Millisecond, Dead: time.Minute})
	return e
}

// managed is a request of the resource with an ID. One without a time is made unique: tests that run side by side use the same ones.
func managed(request enginetest.Request, id string) enginetest.Request {
	if request.ID = id; id != "" && uuid.Validate(id) != nil {
		request.ID = id + "-" + request.Name
	}
	return request
}

// held is an operation that waits at a request until it is let go.
type held struct {
	release func()
	ended   chan error
	result  *engine.Result
}

// hold begins an operation and returns when it waits at the first request that matches.
func (w *world) hold(match func(clusters.Request) bool, operation func() (*engine.Result, error)) *held {
	w.Helper()
	reached, released := make(chan struct{}), make(chan struct{})
	h := &held{release: sync.OnceFunc(func() { close(released) }), ended: make(chan error, 1)}
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

// end lets it go on and returns how it ends.
func (h *held) end() (*engine.Result, error) {
	h.release()
	err := <-h.ended
	return h.result, err
}

// busy fails the test unless an error says that another operation is under way.
func (w *world) busy(err error, says ...string) {
	w.Helper()
	var busy *engine.BusyError
	if !errors.As(err, &busy) {
		w.Errorf("not held up by the other one: %v", err)
		return
	}
	w.Says(err.Error(), says...)
}

// unwritten fails the test if anything was written through the recorder.
func (w *world) unwritten() {
	w.Helper()
	for _, r := range w.Writes() {
		w.Errorf("written: %s", r)
	}
}

// A placement of the same name in another configuration is refused in the plan and in the apply, while the first one is under way, after it
// was killed, and when it is done.
func TestNameIsTaken(t *testing.T) {
	t.Parallel()
	w, other := newWorld(t), (*world)(nil)
	other = w.another()
	request := managed(w.placing("taken", configMap("taken-a", "1"), configMap("taken-b", "1")), "id-a")
	w.DeleteAtEnd(request)
	theirs := managed(w.placing("taken", configMap("taken-c", "2")), "id-b")
	refused := func(says ...string) {
		t.Helper()
		other.Reset()
		_, applied := theirs.Apply(t.Context(), other.Engine())
		_, previewed := theirs.Preview(t.Context(), other.Engine())
		for _, err := range []error{applied, previewed} {
			var exists *engine.ExistsError
			if !errors.As(err, &exists) || exists.Import != request.Name {
				t.Fatalf("the name is taken, and it says %v", err)
			}
			w.Says(err.Error(), append(says, "exists already on member-1", "Import it")...)
		}
		other.unwritten()
	}
	first := w.hold(onPath("member-2", http.MethodPost, w.configMaps()), func() (*engine.Result, error) {
		return request.Apply(t.Context(), w.patient())
	})
	refused("An apply of it that began at 20", "has not ended")
	result, err := first.end()
	if err != nil {
		t.Fatal(err)
	}
	w.complete(result.Status)
	refused()
	if got := w.value("member-1", "taken-a"); got != "1" {
		t.Errorf("the first placement's object is %s", got)
	}
}

// An apply that was killed is gone on with by its own resource. Another one has to import what is there first, and then has its identity.
func TestKilledCreateIsImported(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := managed(w.placing("killed", configMap("killed-a", "1"), configMap("killed-b", "1")), "id-a")
	w.DeleteAtEnd(request)
	if !w.interrupt(interruption{kill: true}, 3, request) {
		t.Fatal("the apply was over before it was killed")
	}
	other := w.another()
	var exists *engine.ExistsError
	if _, err := managed(request, "id-b").Apply(t.Context(), other.Engine()); !errors.As(err, &exists) {
		t.Errorf("the name is taken, and it says %v", err)
	}
	recorded, err := enginetest.Request{Name: request.Name, Again: true}.Read(t.Context(), other.Engine())
	if err != nil || recorded.ID != request.ID {
		t.Fatalf("read %+v, %v", recorded, err)
	}
	result := other.Apply(request.After(recorded.Status))
	other.complete(result.Status)
	other.Delete(request.After(result.Status))
	for _, name := range []string{"killed-a", "killed-b"} {
		if w.value("member-1", name) != "absent" || w.value("member-2", name) != "absent" {
			t.Errorf("%s is left", name)
		}
	}
}

// An operation on a placement that meets another one under way writes nothing and says so; the one that is under way is not disturbed, and
// nothing is left of either that nobody knows of.
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
			// The other two have both operations, first and second.
			if (name == "update-update" || name == "remove-remove") && testing.Short() {
				t.Skip("make test-all runs it")
			}
			t.Parallel()
			w := newWorld(t)
			old := managed(w.placing(name, configMap("kept", "1"), configMap("gone", "1")), "id")
			w.DeleteAtEnd(old)
			old = old.After(w.ApplyBy(w.Past(), old).Status)
			first := old.With(w.Manifests(configMap("kept", "2"), configMap("new-a", "2")))
			second := old.With(w.Manifests(configMap("kept", "3"), configMap("new-b", "3")))
			other := w.another()
			running := w.hold(func(r clusters.Request) bool {
				return r.Context == "member-2" && r.Method == test.at && !r.DryRun && strings.Contains(r.Path, w.configMaps())
			}, func() (*engine.Result, error) { return test.first(t.Context(), w.patient(), first) })
			_, err := test.second(t.Context(), other.patient(), second)
			other.busy(err, test.says, "began at 20", "Apply again")
			other.unwritten()
			preview, err := second.Preview(t.Context(), other.Engine())
			if err != nil || preview.UnderWay == nil {
				t.Errorf("the preview does not tell that something is under way: %v", err)
			}
			if _, err := running.end(); err != nil {
				t.Errorf("the first one was disturbed: %v", err)
			}
			w.Delete(second)
			w.nothingLeft("kept", "gone", "new-a", "new-b")
		})
	}
}

// nothingLeft fails the test if a ConfigMap is left on any member.
func (w *world) nothingLeft(names ...string) {
	w.Helper()
	for _, member := range w.Members {
		for _, name := range names {
			if got := w.value(member, name); got != "absent" {
				w.Errorf("%s: %s is left: %s", member, name, got)
			}
		}
	}
}

// Of two applies that have looked at the clusters before either wrote, one wins.
func TestAppliesAtTheSameMoment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.placing("moment", configMap("moment", "1"))
	w.DeleteAtEnd(request)
	var first error
	w.Inject(clusters.Fault{Match: onPath("", http.MethodPost, "fleet-system/configmaps"), Times: 1, Hook: once(func() {
		_, first = managed(request, "id-a").Apply(t.Context(), w.Past())
	})})
	_, second := managed(request, "id-b").With(w.Manifests(configMap("moment", "2"))).Apply(t.Context(), w.Engine())
	if first != nil {
		t.Errorf("the one that was first: %v", first)
	}
	w.busy(second, "placement \""+request.Name+"\"", "Apply again")
	if got := w.value("member-1", "moment"); got != "1" {
		t.Errorf("the object is %s", got)
	}
}

// An apply that did not answer for so long that another one took its placement stops when it finds that out, and takes back what nobody
// else knows of.
func TestApplyIsTakenForDead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	old := managed(w.placing("stalled", configMap("stalled-kept", "1")), "id")
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
	first := w.hold(onPath("", http.MethodPost, w.configMaps()), func() (*engine.Result, error) {
		return old.With(w.Manifests(configMap("stalled-kept", "2"), configMap("stalled-new", "2"))).Apply(t.Context(), w.Engine())
	})
	second := old.With(w.Manifests(configMap("stalled-kept", "3"), configMap("stalled-other", "3")))
	result := w.another().Apply(second)
	stalled.Unlock()
	_, err := first.end()
	w.busy(err, "another apply", "for so long that", "Apply again")
	if got := w.value("member-1", "stalled-new"); got != "absent" {
		t.Errorf("an object that no record knows is %s", got)
	}
	w.complete(w.Apply(second.After(result.Status)).Status)
	w.Delete(second.After(result.Status))
	w.nothingLeft("stalled-kept", "stalled-new", "stalled-other")
}

// A record that somebody deletes or overwrites while an apply is under way is written anew: nothing that was placed is forgotten.
func TestRecordIsMeddledWith(t *testing.T) {
	t.Parallel()
	for name, meddle := range map[string]func(w *world, name string){
		"deleted": func(w *world, name string) { w.Remove("member-1", record("ConfigMap", name)) },
		"corrupted": func(w *world, name string) {
			w.Edit("member-1", record("ConfigMap", name), "{data: {objects.json: '{', under-way.json: null}}")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			request := managed(w.placing(name, configMap("meddled-a", "1")), "id")
			w.DeleteAtEnd(request)
			first := w.hold(onPath("member-1", http.MethodPost, w.configMaps()), func() (*engine.Result, error) {
				return request.Apply(t.Context(), w.patient())
			})
			meddle(w, name)
			result, err := first.end()
			if err != nil {
				t.Fatal(err)
			}
			w.complete(result.Status)
			w.Says(strings.Join(result.Warnings, "\n"), "member-1", "written anew")
			w.idle(request.After(result.Status))
			w.Delete(request.After(result.Status))
			w.nothingLeft("meddled-a")
		})
	}
}

// What another resource manages is neither changed nor removed nor read into this one's state.
func TestManagedElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := managed(w.placing("elsewhere", configMap("elsewhere", "1")), "id-a")
	w.DeleteAtEnd(request)
	status := w.ApplyBy(w.Past(), request).Status
	mine := managed(request.With(w.Manifests(configMap("elsewhere", "2"))).After(status), "id-b")
	_, previewed := mine.Preview(t.Context(), w.Engine())
	_, applied := mine.Apply(t.Context(), w.Engine())
	_, planned := mine.PreviewDelete(t.Context(), w.Engine())
	_, removed := mine.Delete(t.Context(), w.Engine())
	for _, err := range []error{previewed, applied, planned, removed} {
		var elsewhere *engine.ManagedElsewhereError
		if !errors.As(err, &elsewhere) {
			t.Fatalf("it says %v", err)
		}
		w.Says(err.Error(), "managed by another configuration", "id-a", "id-b", "terraform state rm", "member-1")
	}
	w.unwritten()
	recorded, err := mine.Read(t.Context(), w.Engine())
	if err != nil || recorded.Manifests["00.yaml"] != mine.Manifests["00.yaml"] {
		t.Fatalf("read %+v, %v", recorded, err)
	}
	w.Says(recorded.Warning, "managed by another configuration")
	imported := managed(mine, "")
	result := w.Apply(imported)
	if preview, err := managed(mine, "id-a").After(result.Status).Preview(t.Context(), w.Engine()); err != nil || preview.Pending() {
		t.Errorf("after the import there is %+v, %v", preview, err)
	}
}

// Somebody else's object under the name of a record is left as it is, and named.
func TestObjectInPlaceOfRecord(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"ConfigMap", "Secret"} {
		w := newWorld(t)
		name := "in-place-" + strings.ToLower(kind)
		request := w.placing(name, configMap("in-place", "1"))
		w.Put("member-1", "{apiVersion: v1, kind: "+kind+", metadata: {namespace: fleet-system, name: placement-$ns-"+name+"}}")
		result, err := request.Apply(t.Context(), w.Engine())
		if err == nil {
			t.Fatal("the apply says nothing")
		}
		w.Says(err.Error(), "member-1", kind+" fleet-system/placement-", "not a record of this provider", "choose another name")
		if w.value("member-1", "in-place") != "absent" || w.value("member-2", "in-place") != "1" {
			t.Errorf("%s: member-1 was written to, or member-2 was held up", kind)
		}
		var status placement.Status
		if result != nil {
			status = result.Status
		}
		w.Delete(request.After(status))
		if u := w.Must("member-1", record(kind, name)); len(u.GetLabels()) > 0 || u.Object["data"] != nil {
			t.Errorf("somebody else's %s is %v", kind, u.Object)
		}
	}
}
