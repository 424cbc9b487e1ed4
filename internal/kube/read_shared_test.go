package kube

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/semaphore"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// serveList serves a paged LIST of ConfigMaps, and a GET of each.
func (f *fakeServer) serveList(namespace string, names ...string) {
	path := "/api/v1/namespaces/" + namespace + "/configmaps"
	f.on("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		from, to := 0, len(names)
		_, _ = fmt.Sscan(r.URL.Query().Get("continue"), &from)
		next := ""
		if from+pageSize < to {
			to = from + pageSize
			next = fmt.Sprint(to)
		}
		items := []any{}
		for _, name := range names[from:to] {
			metadata := map[string]any{"name": name, "namespace": namespace}
			items = append(items, map[string]any{"metadata": metadata, "data": map[string]any{"of": name}})
		}
		writeJSON(w, 200, map[string]any{"kind": "ConfigMapList", "apiVersion": "v1", "metadata": map[string]any{"continue": next}, "items": items})
	})
	for _, name := range names {
		f.on("GET "+path+"/"+name, serveObject(object(configMapGVK, namespace, name, nil).Object))
	}
}

// counts returns the number of LIST pages, GETs of objects and writes since the last call.
func (f *fakeServer) counts() string {
	lists, gets, writes := 0, 0, 0
	for _, request := range f.log() {
		switch {
		case !strings.HasPrefix(request, "GET "):
			writes++
		case strings.Contains(request, "limit="):
			lists++
		case strings.Contains(request, "/namespaces/"):
			gets++
		}
	}
	return fmt.Sprintf("%d lists, %d gets, %d writes", lists, gets, writes)
}

func (f *fakeServer) expect(t *testing.T, what, counts string) {
	t.Helper()
	if got := f.counts(); got != counts {
		t.Errorf("%s: %s, want %s", what, got, counts)
	}
}

func configMapRefs(names ...string) []Ref {
	var refs []Ref
	for _, name := range names {
		refs = append(refs, Ref{GVK: configMapGVK, Namespace: "default", Name: name})
	}
	return refs
}

func TestSharedListAnswersWhatItHolds(t *testing.T) {
	fake := startFake(t)
	fake.serveList("default", "a", "b", "c")
	cluster, ctx := fake.cluster(t), ShareReads(testContext(t))
	found, errs := cluster.GetMany(ctx, configMapRefs("a", "b", "c", "gone"))
	if len(found) != 3 || len(errs) != 0 {
		t.Errorf("%d found, %v", len(found), errs)
	}
	fake.expect(t, "the first read", "1 lists, 0 gets, 0 writes")

	found, errs = cluster.GetMany(ctx, configMapRefs("b", "gone", "never"))
	if len(found) != 1 || len(errs) != 0 || textAt(t, found[configMapRefs("b")[0]], "data", "of") != "b" || found[configMapRefs("b")[0]].GetKind() != "ConfigMap" {
		t.Errorf("%v, %v", found, errs)
	}
	if _, err := cluster.Get(ctx, configMapGVK, "default", "gone"); !IsNotFound(err) {
		t.Error(err)
	} else {
		assertErrorContains(t, err, `configmaps "gone" does not exist (404)`)
	}
	if list, err := cluster.List(ctx, configMapGVK, "default", ""); err != nil || len(list) != 3 {
		t.Errorf("%d, %v", len(list), err)
	}
	fake.expect(t, "the same objects", "0 lists, 0 gets, 0 writes")
	if _, err := cluster.List(ctx, configMapGVK, "default", "app=web"); err != nil {
		t.Error(err)
	}
	fake.expect(t, "another selector", "1 lists, 0 gets, 0 writes")
	for range 2 { // a list with a selector is cached decoded; a caller's changes must not affect other callers
		list, err := cluster.List(ctx, configMapGVK, "default", "app=web")
		if err != nil || len(list) != 3 || textAt(t, list[0], "data", "of") != "a" || list[0].GetKind() != "ConfigMap" {
			t.Fatalf("%v, %v", list, err)
		}
		_ = unstructured.SetNestedField(list[0].Object, "other", "data", "of")
		list[0].SetKind("Other")
	}
	fake.expect(t, "the same selector", "0 lists, 0 gets, 0 writes")
}

func textAt(t *testing.T, u *unstructured.Unstructured, path ...string) string {
	t.Helper()
	text, _, err := unstructured.NestedString(u.Object, path...)
	if err != nil {
		t.Error(err)
	}
	return text
}

func TestSharedGetKeepsAbsence(t *testing.T) {
	fake := startFake(t)
	fake.serveList("default", "a")
	fake.on("GET "+configMapsPath+"/gone", notFound("gone"))
	cluster, ctx := fake.cluster(t), ShareReads(testContext(t))
	for range 3 {
		if u, err := cluster.Get(ctx, configMapGVK, "default", "a"); err != nil || u.GetName() != "a" {
			t.Error(err)
		}
		if _, err := cluster.Get(ctx, configMapGVK, "default", "gone"); !IsNotFound(err) {
			t.Error(err)
		}
	}
	fake.expect(t, "three times two objects", "0 lists, 2 gets, 0 writes")
}

// A published read is always sent to the server, and shared reads use its answer instead of an older list.
func TestPublishedReads(t *testing.T) {
	fake := startFake(t)
	fake.serveList("default", "a", "b", "c", "d")
	cluster := fake.cluster(t)
	sharing, publishing := ShareReads(testContext(t)), PublishReads(testContext(t))
	cluster.GetMany(sharing, configMapRefs("a", "b", "c", "d"))
	fake.expect(t, "a plan", "1 lists, 0 gets, 0 writes")
	fake.on("GET "+configMapsPath+"/a", serveObject(object(configMapGVK, "default", "a", map[string]any{"data": map[string]any{"of": "later"}}).Object))
	for range 2 {
		if u, err := cluster.Get(publishing, configMapGVK, "default", "a"); err != nil || textAt(t, u, "data", "of") != "later" {
			t.Error(u, err)
		}
	}
	fake.expect(t, "two refreshes", "0 lists, 2 gets, 0 writes")
	for range 2 {
		if u, err := cluster.Get(sharing, configMapGVK, "default", "a"); err != nil || textAt(t, u, "data", "of") != "later" {
			t.Error(u, err)
		}
	}
	fake.expect(t, "the plans after them", "0 lists, 0 gets, 0 writes")
}

// A caller's changes to an object must not affect other callers.
func TestSharedObjectsAreTheCallersOwn(t *testing.T) {
	fake := startFake(t)
	fake.serveList("default", "a", "b", "c", "d")
	cluster, ctx := fake.cluster(t), ShareReads(testContext(t))
	ref := configMapRefs("a")[0]
	for range 3 {
		found, _ := cluster.GetMany(ctx, configMapRefs("a", "b", "c", "d"))
		single, err := cluster.Get(ctx, configMapGVK, "default", "a")
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range []*unstructured.Unstructured{found[ref], single} {
			if textAt(t, u, "data", "of") != "a" || len(u.GetLabels()) != 0 {
				t.Fatalf("%v", u.Object)
			}
			u.SetLabels(map[string]string{"changed": "yes"})
			_ = unstructured.SetNestedField(u.Object, "other", "data", "of")
		}
	}
}

func TestUnsharedReadsGoToTheServer(t *testing.T) {
	fake := startFake(t)
	fake.serveList("default", "a", "b", "c", "d")
	cluster, ctx := fake.cluster(t), testContext(t)
	shared, refs := ShareReads(ctx), configMapRefs("a", "b", "c", "d")
	for range 2 {
		cluster.GetMany(shared, refs)
	}
	fake.expect(t, "shared", "1 lists, 0 gets, 0 writes")
	for range 2 {
		cluster.GetMany(ctx, refs)
		_, _ = cluster.Get(ctx, configMapGVK, "default", "a")
	}
	fake.expect(t, "not shared", "2 lists, 2 gets, 0 writes")
	cluster.GetMany(shared, refs)
	fake.expect(t, "shared again", "0 lists, 0 gets, 0 writes")

	never := NewCluster("m", fake.connection(), Options{ShareFor: -1}, nil)
	for range 2 {
		never.GetMany(shared, refs)
	}
	fake.expect(t, "switched off", "2 lists, 0 gets, 0 writes")
}

func TestWritesDropWhatWasKept(t *testing.T) {
	fake := startFake(t)
	fake.serveList("default", "a", "b", "c", "d")
	answer := serveObject(configMap("a"))
	for _, method := range []string{"POST " + configMapsPath, "PUT " + configMapsPath + "/a", "PATCH " + configMapsPath + "/a", "DELETE " + configMapsPath + "/a"} {
		fake.on(method, answer)
	}
	cluster, ctx := fake.cluster(t), ShareReads(testContext(t))
	a := object(configMapGVK, "default", "a", nil)
	for name, write := range map[string]func(dryRun bool) error{
		"create": func(dryRun bool) error { _, err := cluster.Create(ctx, a, WriteOptions{DryRun: dryRun}); return err },
		"update": func(dryRun bool) error { _, err := cluster.Update(ctx, a, WriteOptions{DryRun: dryRun}); return err },
		"apply": func(dryRun bool) error {
			_, _, err := cluster.ApplyServerSide(ctx, a, nil, ApplyOptions{DryRun: dryRun})
			return err
		},
		"delete": func(dryRun bool) error {
			if dryRun {
				return nil
			}
			return cluster.Delete(ctx, RefOf(a), "u", "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			cluster.GetMany(ctx, configMapRefs("a", "b", "c", "d"))
			fake.log()
			if err := write(true); err != nil {
				t.Fatal(err)
			}
			fake.log()
			cluster.GetMany(ctx, configMapRefs("a", "b", "c", "d"))
			fake.expect(t, "after a dry run", "0 lists, 0 gets, 0 writes")
			if err := write(false); err != nil {
				t.Fatal(err)
			}
			cluster.GetMany(ctx, configMapRefs("a", "b", "c", "d"))
			fake.expect(t, "after a write", "1 lists, 0 gets, 1 writes")
		})
	}
}

// A read during a write may return the state before the write.
func TestReadDuringAWriteIsNotKept(t *testing.T) {
	fake := startFake(t)
	fake.serveList("default", "a", "b", "c", "d")
	arrived, finish := make(chan struct{}), make(chan struct{})
	fake.on("POST "+configMapsPath, func(w http.ResponseWriter, _ *http.Request) {
		close(arrived)
		<-finish
		panic(http.ErrAbortHandler) // the answer is lost; the write may have taken effect
	})
	cluster, ctx := fake.cluster(t), ShareReads(testContext(t))
	var wait sync.WaitGroup
	wait.Go(func() { _, _ = cluster.Create(ctx, object(configMapGVK, "default", "e", nil), WriteOptions{}) })
	<-arrived
	cluster.GetMany(ctx, configMapRefs("a", "b", "c", "d"))
	close(finish)
	wait.Wait()
	cluster.GetMany(ctx, configMapRefs("a", "b", "c", "d"))
	fake.expect(t, "a read during and one after the write", "2 lists, 0 gets, 1 writes")
}

func TestFewObjectsOfManyCallersBecomeOneList(t *testing.T) {
	fake := startFake(t)
	var names []string
	for i := range 20 {
		names = append(names, fmt.Sprintf("c%d", i))
	}
	fake.serveList("default", names...)
	cluster, ctx := fake.cluster(t), ShareReads(testContext(t))
	var wait sync.WaitGroup
	for i := range 10 {
		wait.Go(func() {
			found, errs := cluster.GetMany(ctx, configMapRefs(names[2*i], names[2*i+1]))
			if len(found) != 2 || len(errs) != 0 {
				t.Errorf("%v, %v", found, errs)
			}
		})
	}
	wait.Wait()
	// The first caller may GET its two objects, unless the list of the later callers ends earlier.
	var lists, gets, writes int
	if _, err := fmt.Sscanf(fake.counts(), "%d lists, %d gets, %d writes", &lists, &gets, &writes); err != nil {
		t.Fatal(err)
	}
	if lists != 1 || gets > 2 || writes != 0 {
		t.Errorf("ten callers with two objects each: %d lists, %d gets, %d writes", lists, gets, writes)
	}
}

func TestLargeListsAreNotKept(t *testing.T) {
	fake := startFake(t)
	var names []string
	for i := range 10_000 {
		names = append(names, fmt.Sprintf("c%d", i))
	}
	fake.serveList("default", names...)
	cluster, ctx := fake.cluster(t), ShareReads(testContext(t))
	// Few objects are read first: the list for them stops after one page.
	for i := range 4 {
		found, errs := cluster.GetMany(ctx, configMapRefs(names[2*i], names[2*i+1]))
		if len(found) != 2 || len(errs) != 0 {
			t.Errorf("%v, %v", found, errs)
		}
	}
	fake.expect(t, "few objects of a large namespace", "1 lists, 8 gets, 0 writes")
	for range 2 {
		found, errs := cluster.GetMany(ctx, configMapRefs(names[0], names[600], names[9998], names[9999], "gone"))
		if len(found) != 4 || len(errs) != 0 || found[configMapRefs(names[9999])[0]].GetName() != names[9999] {
			t.Errorf("%d found, %v", len(found), errs)
		}
	}
	fake.expect(t, "some objects of a large namespace", "20 lists, 0 gets, 0 writes")
	if list, err := cluster.List(ctx, configMapGVK, "default", ""); err != nil || len(list) != len(names) {
		t.Errorf("%d, %v", len(list), err)
	}
	if bytes := cachedBytes(cluster); bytes > 64<<10 {
		t.Errorf("%d bytes are cached", bytes)
	}
}

// If a caller that wants many objects reads a large list, it gets the objects, and the next caller reads the list again.
func TestLargeListServesWhoReadsIt(t *testing.T) {
	fake := startFake(t)
	var names []string
	for i := range maxSharedObjects + 1 {
		names = append(names, fmt.Sprintf("c%d", i))
	}
	fake.serveList("default", names...)
	cluster, ctx := fake.cluster(t), ShareReads(testContext(t))
	for _, want := range []string{"2 lists, 0 gets, 0 writes", "2 lists, 0 gets, 0 writes"} {
		if list, err := cluster.List(ctx, configMapGVK, "default", ""); err != nil || len(list) != len(names) || list[0].GetName() != "c0" {
			t.Errorf("%d, %v", len(list), err)
		}
		fake.expect(t, "a list that is too large for the cache", want)
	}
}

func cachedBytes(c *Cluster) (bytes int64) {
	c.shared.mu.Lock()
	defer c.shared.mu.Unlock()
	for _, a := range c.shared.answers {
		bytes += a.bytes
	}
	return bytes
}

func TestSharedReadsWithoutTheRightToList(t *testing.T) {
	fake := startFake(t)
	fake.serveList("default", "a", "b", "c", "d")
	fake.on("GET "+configMapsPath, func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, 403, status(403, "Forbidden", `User "u" cannot list`, nil))
	})
	cluster, ctx := fake.cluster(t), ShareReads(testContext(t))
	for range 2 {
		if found, errs := cluster.GetMany(ctx, configMapRefs("a", "b", "c", "d")); len(found) != 4 || len(errs) != 0 {
			t.Errorf("%v, %v", found, errs)
		}
	}
	fake.expect(t, "twice", "2 lists, 4 gets, 0 writes") // the 403 is not cached, the objects are
}

// An answer with status 200 that is not a list must not make objects count as absent.
func TestWhatIsNoListIsAnError(t *testing.T) {
	for _, body := range []string{
		`{}`, `{"items":[]}`, `{"kind":"ConfigMap","apiVersion":"v1"}`, `<html>`, ``, `{"kind":"ConfigMapList","apiVersion":"v1","items":[1]}`,
		`{"kind":"Status","apiVersion":"v1","status":"Failure"}`,
	} {
		fake := startFake(t)
		fake.on("GET "+configMapsPath, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(body))
		})
		for _, ctx := range []context.Context{testContext(t), ShareReads(testContext(t))} {
			found, errs := fake.cluster(t).GetMany(ctx, configMapRefs("a", "b", "c", "d"))
			if len(found) != 0 || len(errs) != 4 {
				t.Errorf("%q: %v, %v", body, found, errs)
			}
		}
	}
}

func newTestShared() *sharedReads {
	return newSharedReads(15*time.Second, semaphore.NewWeighted(1<<20))
}

func textAnswer(text string) *answer {
	return &answer{items: []rawObject{{text: []byte(text)}}, bytes: int64(len(text))}
}

func TestSharedReadsAreOneRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared, key, calls := newTestShared(), readKey{selector: "x"}, 0
		var wait sync.WaitGroup
		for range 10 {
			wait.Go(func() {
				got, err := shared.read(t.Context(), key, func() (*answer, error) {
					time.Sleep(time.Second)
					calls++
					return textAnswer("1"), nil
				})
				if err != nil || string(got.items[0].text) != "1" {
					t.Error(got, err)
				}
			})
		}
		wait.Wait()
		if calls != 1 {
			t.Errorf("%d calls", calls)
		}
	})
}

func TestSharedReadsAreKeptForAShortTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared, key, calls := newTestShared(), readKey{selector: "x"}, 0
		read := func() {
			_, _ = shared.read(t.Context(), key, func() (*answer, error) {
				calls++
				time.Sleep(10 * time.Second) // the age counts from the request
				return textAnswer("1"), nil
			})
		}
		read()
		time.Sleep(4 * time.Second)
		read()
		if calls != 1 {
			t.Errorf("%d calls within the time", calls)
		}
		time.Sleep(time.Second)
		read()
		if calls != 2 {
			t.Errorf("%d calls after the time", calls)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if len(shared.answers) != 0 || !shared.budget.TryAcquire(1<<20) {
			t.Error("answers of a cluster without further reads remain cached")
		}
	})
}

func TestSharedReadsKeepNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared, key, calls := newTestShared(), readKey{selector: "x"}, 0
		broken := errors.New("broken")
		fail := func() (*answer, error) { calls++; time.Sleep(time.Second); return nil, broken }
		var wait sync.WaitGroup
		for range 5 {
			wait.Go(func() {
				if _, err := shared.read(t.Context(), key, fail); !errors.Is(err, broken) {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		if calls != 1 {
			t.Errorf("%d calls; waiting callers must share a failure", calls)
		}
		if _, err := shared.read(t.Context(), key, func() (*answer, error) { return textAnswer("1"), nil }); err != nil {
			t.Error(err)
		}
	})
}

func TestSharedReadThatIsGivenUpFailsNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared, key := newTestShared(), readKey{selector: "x"}
		first, cancelFirst := context.WithTimeout(t.Context(), time.Second)
		defer cancelFirst()
		brief, cancelBrief := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancelBrief()
		var wait sync.WaitGroup
		wait.Go(func() {
			_, err := shared.read(first, key, func() (*answer, error) { <-first.Done(); return nil, first.Err() })
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		})
		synctest.Wait()
		calls := 0
		for range 5 { // these callers wait for the first one, then one of them fetches for all
			wait.Go(func() {
				_, err := shared.read(t.Context(), key, func() (*answer, error) { calls++; time.Sleep(time.Second); return textAnswer("1"), nil })
				if err != nil {
					t.Error(err)
				}
			})
		}
		wait.Go(func() { // waits only as long as its own context allows
			_, err := shared.read(brief, key, func() (*answer, error) { return nil, errors.New("unexpected") })
			if !errors.Is(err, context.DeadlineExceeded) || first.Err() != nil {
				t.Errorf("%v; the first one ended: %v", err, first.Err())
			}
		})
		wait.Wait()
		if calls != 1 {
			t.Errorf("%d calls", calls)
		}
	})
}

func TestSharedReadsKeepToTheirBudget(t *testing.T) {
	shared := newSharedReads(time.Minute, semaphore.NewWeighted(3*sharedOverhead))
	fetch := func() (*answer, error) { return textAnswer("0123456789"), nil }
	for _, selector := range []string{"a", "b", "c"} {
		for range 2 {
			if _, err := shared.read(t.Context(), readKey{selector: selector}, fetch); err != nil {
				t.Error(err)
			}
		}
	}
	if len(shared.answers) != 1 || shared.peek(readKey{selector: "a"}) == nil {
		t.Errorf("%d cached", len(shared.answers))
	}
	shared.dropAll()
	if !shared.budget.TryAcquire(3 * sharedOverhead) {
		t.Error("dropped answers still count")
	}
}
