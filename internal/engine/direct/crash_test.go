package direct_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// crashRequests returns a placement that creates, updates, takes over and prunes objects, and the placement applied before it.
func (w *world) crashRequests(name string) (before, after enginetest.Request) {
	w.Helper()
	secret := "{apiVersion: v1, kind: Secret, metadata: {name: " + name + "-secret}, stringData: {password: hunter2}}"
	role := "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: $ns-" + name + "}}"
	before = w.newRequest(name, configMap(name+"-kept", "1"), configMap(name+"-pruned", "1"), role)
	after = w.newRequest(name, configMap(name+"-kept", "2"), role, secret, configMap(name+"-new", "1"), configMap(name+"-old", "placed"))
	return before, after
}

// snapshot returns the objects and the inventory of a placement on the members, without values that differ between runs.
func (w *world) snapshot(name string) map[string]string {
	w.Helper()
	out := map[string]string{}
	for _, cluster := range w.Members {
		for _, suffix := range []string{"kept", "pruned", "new", "old"} {
			u := w.Find(cluster, "v1 ConfigMap "+name+"-"+suffix)
			text := "absent"
			if u != nil {
				text = fmt.Sprint(u.Object["data"], u.GetLabels())
			}
			out[cluster+" "+suffix] = text
		}
		secret := w.Find(cluster, "v1 Secret "+name+"-secret")
		out[cluster+" secret"] = fmt.Sprint(secret != nil)
		for key, e := range w.inventory(cluster, name) {
			out[cluster+" inventory "+strings.ReplaceAll(key, w.Name+"-", "")] = fmt.Sprint("adopted ", e.Adopted, " known ", e.UID != "" && e.Hash != "" && e.LiveHash != "")
		}
		if w.inventory(cluster, name) != nil {
			out[cluster+" applying"] = fmt.Sprint(w.isApplying(cluster, name))
		}
	}
	return out
}

// stage brings the members into the state before the apply under test, and returns its request.
func (w *world) stage(name string) enginetest.Request {
	w.Helper()
	before, request := w.crashRequests(name)
	for _, cluster := range w.Members {
		w.Put(cluster, configMap(name+"-old", "theirs"))
	}
	return request.After(w.ApplyBy(w.Past(), before).Status)
}

// checkOnlyPreExisting fails the test unless only pre-existing objects remain.
func (w *world) checkOnlyPreExisting(name string) {
	w.Helper()
	for key, text := range w.snapshot(name) {
		switch {
		case strings.HasSuffix(key, " old"):
			if !strings.Contains(text, "placed") || strings.Contains(text, partOf) {
				w.Errorf("the object that was there before is %s", text)
			}
		case text != "absent" && text != "false":
			w.Errorf("left behind: %s = %s", key, text)
		}
	}
}

// interruption describes how an apply is interrupted at its k-th write.
type interruption struct {
	name string
	// fault is the fault of the write. If there is no fault, the write never completes. If kill is true, no later request completes either.
	fault clusters.Fault
	kill  bool
	// every is the distance between the writes that are interrupted. It is eight times as large in a short run, where different interruptions cover
	// different writes.
	every int
	// all reports that only make test-all runs it.
	all bool
}

// leastWrites is the minimum number of writes of the apply under test.
const leastWrites = 10

// stride returns the distance between the writes that are interrupted.
func stride(every int) int {
	if testing.Short() {
		return 8 * every
	}
	return every
}

var interruptions = []interruption{
	{name: "killed before", kill: true, every: 2},
	{name: "killed after", fault: clusters.Fault{LoseResponse: true}, kill: true, every: 2},
	{name: "response lost", fault: clusters.Fault{LoseResponse: true}, every: 2},
	{name: "409", fault: clusters.Fault{Status: http.StatusConflict}, every: 3, all: true},
	{name: "429", fault: clusters.Fault{Status: http.StatusTooManyRequests}, every: 5, all: true},
	{name: "500", fault: clusters.Fault{Status: http.StatusInternalServerError}, every: 4, all: true},
	{name: "503", fault: clusters.Fault{Status: http.StatusServiceUnavailable}, every: 5, all: true},
}

// TestInterruptedApply checks that after an interruption at any write of an apply, the next apply has the same result as an uninterrupted one, and that the
// placement can be deleted completely.
func TestInterruptedApply(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.stage("undisturbed")
	w.Reset()
	status := w.Apply(request).Status
	writes := len(slices.DeleteFunc(w.Writes(), isRenewal))
	want := w.snapshot("undisturbed")
	w.Delete(request.After(status))
	w.checkOnlyPreExisting("undisturbed")
	if writes < leastWrites {
		t.Fatalf("the test checks the wrong writes: %v", w.Writes())
	}
	for i, what := range interruptions {
		t.Run(what.name, func(t *testing.T) {
			if what.all && testing.Short() {
				t.Skip("make test-all runs it")
			}
			t.Parallel()
			every := stride(what.every)
			for k := 1 + i%every; k <= writes; k += every {
				w := newWorld(t)
				name := fmt.Sprintf("crash-%d-%d", i, k)
				request := w.stage(name)
				// The number of writes varies by one or two, because a write that conflicts with a renewal is repeated.
				if !w.interrupt(what, k, request) && k <= leastWrites {
					t.Errorf("the apply completed before write %d", k)
				}
				w.finish(name, request, want)
				if t.Failed() {
					t.Fatalf("at write %d", k)
				}
			}
		})
	}
}

// isRenewal reports whether a write only changes the lease in a record. The number of such writes depends on the duration of the operation.
func isRenewal(r clusters.Request) bool {
	return r.Method == http.MethodPatch && strings.Contains(r.Path, "/namespaces/"+direct.Namespace+"/configmaps/placement-")
}

// finish applies again after an interruption, and deletes the placement.
func (w *world) finish(name string, request enginetest.Request, want map[string]string) {
	w.Helper()
	again := w.restarted()
	result := again.Apply(request)
	again.checkComplete(result.Status)
	again.checkIdle(request.After(result.Status))
	got := map[string]string{}
	for key, text := range again.snapshot(name) {
		got[strings.ReplaceAll(key, name, "undisturbed")] = normalize(text)
	}
	for key := range want {
		if got[key] != normalize(want[key]) {
			w.Errorf("%s is %q, undisturbed it is %q", key, got[key], want[key])
		}
	}
	if len(got) != len(want) {
		w.Errorf("got %v, want %v", keys(got), keys(want))
	}
	again.Delete(request.After(result.Status))
	again.checkOnlyPreExisting(name)
}

// normalize removes the ID of the placement's ApplySet, which depends on the placement's name.
func normalize(text string) string {
	before, _, found := strings.Cut(text, "applyset-")
	if found {
		return before + "ID"
	}
	return text
}

// interrupt applies with an interruption at the k-th write, and reports whether the apply has a k-th write. An apply that is killed never returns.
func (w *world) interrupt(what interruption, k int, request enginetest.Request) bool {
	w.Helper()
	var mu sync.Mutex
	seen, struck := 0, make(chan struct{})
	fault := what.fault
	fault.Match = func(r clusters.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		if !r.Write() || isRenewal(r) || seen >= k {
			return false
		}
		if seen++; seen < k {
			return false
		}
		close(struck)
		return true
	}
	ended := make(chan struct{})
	hold := func(clusters.Request) { <-ended }
	if what.kill && !fault.LoseResponse {
		fault.Hook, fault.Refuse = hold, true
	}
	w.Inject(fault)
	if what.kill {
		w.Inject(clusters.Fault{Hook: hold, Refuse: true, Match: func(clusters.Request) bool {
			mu.Lock()
			defer mu.Unlock()
			return seen >= k
		}})
	}
	ctx, cancel := context.WithCancel(context.Background())
	w.Cleanup(func() {
		cancel()
		close(ended)
	})
	returned := make(chan error, 1)
	go func() {
		_, err := request.Apply(ctx, w.Engine())
		returned <- err
	}()
	if !what.kill {
		if err := <-returned; err != nil {
			w.Logf("%s at write %d: %v", what.name, k, err)
		}
		mu.Lock()
		defer mu.Unlock()
		return seen >= k
	}
	select {
	case <-struck:
	case err := <-returned:
		if err != nil {
			w.Fatalf("the apply ended before write %d: %v", k, err)
		}
		return false
	}
	w.settle()
	return true
}

// settle waits until all requests have completed, except those that an interruption blocks.
func (w *world) settle() {
	w.Helper()
	for range 500 {
		busy := false
		for _, r := range w.Requests() {
			busy = busy || !r.Done && r.Fault != "refused"
		}
		if !busy {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	w.Fatal("the requests do not end")
}

// TestInterruptedDelete checks that a deletion interrupted at any write can be continued.
func TestInterruptedDelete(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request, status := w.applyForDelete("gone")
	w.Reset()
	w.Delete(request.After(status))
	writes := len(slices.DeleteFunc(w.Writes(), isRenewal))
	faults := []clusters.Fault{{LoseResponse: true}, {Status: http.StatusInternalServerError}, {Status: http.StatusForbidden}}
	for i, fault := range faults {
		t.Run(fault.String(), func(t *testing.T) {
			if fault.Status == http.StatusInternalServerError && testing.Short() {
				t.Skip("make test-all runs it")
			}
			t.Parallel()
			for k := 1 + i; k <= writes; k += stride(len(faults)) {
				newWorld(t).interruptDelete(fmt.Sprintf("gone-%s-%d", strings.Map(onlyLetters, fault.String()), k), fault, k)
			}
		})
	}
}

// applyForDelete applies the placement whose deletion is under test.
func (w *world) applyForDelete(name string) (enginetest.Request, placement.Status) {
	w.Helper()
	request := w.stage(name)
	return request, w.Apply(request).Status
}

// interruptDelete deletes a placement with a fault at the k-th write, and deletes it again.
func (w *world) interruptDelete(name string, fault clusters.Fault, k int) {
	w.Helper()
	request, status := w.applyForDelete(name)
	seen := 0
	fault.Match = func(r clusters.Request) bool {
		if !r.Write() || isRenewal(r) {
			return false
		}
		seen++
		return seen == k
	}
	undo := w.Inject(fault)
	_, err := request.After(status).Delete(w.Context(), w.Engine())
	undo()
	if fault.Status != 0 && err == nil && seen >= k {
		w.Errorf("%s: the deletion succeeded", name)
	}
	w.Delete(request.After(status))
	w.checkOnlyPreExisting(name)
}

func onlyLetters(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
		return r
	}
	return -1
}
