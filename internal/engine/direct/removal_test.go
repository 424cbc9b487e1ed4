package direct_test

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// A member that the last status does not know, because the apply that came to it was killed, and that stops answering once its records have
// been read, or does not accept the credentials for a moment: its objects are known, so the placement does not count as removed.
func TestDeleteStopsAfterRecords(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	for name, fault := range map[string]clusters.Fault{"refused": {Refuse: true}, "unauthorized": {Status: http.StatusUnauthorized}} {
		w := newWorld(t)
		name = "half-read-" + name
		request := w.placing(name, configMap(name, "1"))
		w.DeleteAtEnd(request)
		status := w.Apply(request).Status
		status.Clusters = maps.Clone(status.Clusters)
		delete(status.Clusters, "member-2")
		fault.Context, fault.Match = "member-2", func(r clusters.Request) bool {
			return r.Method == http.MethodGet && strings.Contains(r.Path, "/namespaces/"+w.Name+"/")
		}
		undo := w.Inject(fault)
		_, err := request.After(status).Delete(t.Context(), w.Engine())
		undo()
		if err == nil || !strings.Contains(err.Error(), "member-2") {
			t.Errorf("%s: objects of the placement are left on member-2, and the deletion says %v", name, err)
		}
		if w.value("member-1", name) != "absent" || w.value("member-2", name) != "1" || w.inventory("member-2", name) == nil {
			t.Errorf("%s: member-1 was held up, or member-2 has lost its records", name)
		}
		w.Delete(request.After(status))
		if w.value("member-2", name) != "absent" || w.inventory("member-2", name) != nil {
			t.Errorf("%s: member-2 still has the placement", name)
		}
	}
}

// A member that stops answering while the deletion of an object is waited for is given up, long before the time for all of it is over.
func TestDeleteStopsWhileWaiting(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request := w.placing("half-gone", configMap("half-gone", "1"))
	w.DeleteAtEnd(request)
	status := w.Apply(request).Status
	var dead atomic.Bool
	undo := w.Inject(clusters.Fault{Context: "member-2", Refuse: true, Match: func(clusters.Request) bool { return dead.Load() }})
	w.Inject(clusters.Fault{Match: onPath("member-2", http.MethodDelete, "/half-gone"), Hook: func(clusters.Request) { dead.Store(true) }})
	w.Edit("member-2", "v1 ConfigMap half-gone", "{metadata: {finalizers: [example.org/held]}}")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	_, err := request.After(status).Delete(ctx, w.Engine())
	undo()
	var failed *engine.RemovalError
	if !errors.As(err, &failed) || failed.Cluster != "member-2" || ctx.Err() != nil {
		t.Errorf("the deletion says %v, its time: %v", err, ctx.Err())
	}
	w.Edit("member-2", "v1 ConfigMap half-gone", "{metadata: {finalizers: null}}")
	w.Delete(request.After(status))
	if w.inventory("member-2", "half-gone") != nil {
		t.Error("member-2 still has the placement")
	}
}

// A member that is slow to tell what is to be removed holds up no other: what could be looked at before the time was over is removed, and the
// error names the member.
func TestDeleteOfSlowMember(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.placing("slow", configMap("slow", "1"))
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	forgotten := make(chan struct{})
	w.Inject(clusters.Fault{Match: onPath("member-1", http.MethodDelete, "/fleet-system/configmaps/placement-"+request.Name), Hook: once(func() { close(forgotten) })})
	undo := w.Inject(clusters.Fault{Context: "member-2", Match: func(r clusters.Request) bool {
		return r.Method == http.MethodGet && strings.Contains(r.Path, w.configMaps())
	}, Hook: func(clusters.Request) {
		<-forgotten // member-1 has come to its end
		cancel()
	}, Delay: time.Millisecond})
	_, err := request.Delete(ctx, w.Engine())
	undo()
	if err == nil {
		t.Fatal("the removal does not say that it has not come to its end")
	}
	w.Says(err.Error(), "member-2", "nothing was removed there")
	if w.value("member-1", "slow") != "absent" || w.value("member-2", "slow") != "1" || w.inventory("member-2", "slow") == nil {
		t.Errorf("there is %s and %s", w.value("member-1", "slow"), w.value("member-2", "slow"))
	}
	if w.applying("member-2", "slow") {
		t.Error("the record still says that an operation is under way")
	}
}
