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

// TestDeleteStopsAfterRecords checks that a placement does not count as removed if a member stops responding, or temporarily rejects the credentials, after its
// records have been read. The last status does not have the member, because the apply was killed, but the records list its objects.
func TestDeleteStopsAfterRecords(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	for name, fault := range map[string]clusters.Fault{"refused": {Refuse: true}, "unauthorized": {Status: http.StatusUnauthorized}} {
		w := newWorld(t)
		name = "half-read-" + name
		request := w.newRequest(name, configMap(name, "1"))
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
			t.Errorf("%s: objects of the placement remain on member-2, and the deletion returned %v", name, err)
		}
		if w.value("member-1", name) != "absent" || w.value("member-2", name) != "1" || w.inventory("member-2", name) == nil {
			t.Errorf("%s: member-1 was blocked, or member-2 has lost its records", name)
		}
		w.Delete(request.After(status))
		if w.value("member-2", name) != "absent" || w.inventory("member-2", name) != nil {
			t.Errorf("%s: member-2 still has the placement", name)
		}
	}
}

// TestDeleteStopsWhileWaiting checks that a removal stops waiting for a member that no longer responds during the deletion of an object, long before the
// timeout of the removal.
func TestDeleteStopsWhileWaiting(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("half-gone", configMap("half-gone", "1"))
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
		t.Errorf("the deletion returned %v, its context: %v", err, ctx.Err())
	}
	w.Edit("member-2", "v1 ConfigMap half-gone", "{metadata: {finalizers: null}}")
	w.Delete(request.After(status))
	if w.inventory("member-2", "half-gone") != nil {
		t.Error("member-2 still has the placement")
	}
}

// TestDeleteOfSlowMember checks that a member with slow reads does not block the others: the objects that could be read before the timeout are removed, and
// the error names the slow member.
func TestDeleteOfSlowMember(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("slow", configMap("slow", "1"))
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	recordRemoved := make(chan struct{})
	w.Inject(clusters.Fault{Match: onPath("member-1", http.MethodDelete, "/fleet-system/configmaps/placement-"+request.Name), Hook: runOnce(func() { close(recordRemoved) })})
	undo := w.Inject(clusters.Fault{Context: "member-2", Match: func(r clusters.Request) bool {
		return r.Method == http.MethodGet && strings.Contains(r.Path, w.configMaps())
	}, Hook: func(clusters.Request) {
		<-recordRemoved // member-1 is complete
		cancel()
	}, Delay: time.Millisecond})
	_, err := request.Delete(ctx, w.Engine())
	undo()
	if err == nil {
		t.Fatal("the removal does not report that it is incomplete")
	}
	w.Contains(err.Error(), "member-2", "nothing was removed there")
	if w.value("member-1", "slow") != "absent" || w.value("member-2", "slow") != "1" || w.inventory("member-2", "slow") == nil {
		t.Errorf("the values are %s and %s", w.value("member-1", "slow"), w.value("member-2", "slow"))
	}
	if w.isApplying("member-2", "slow") {
		t.Error("the record still has the mark of an operation")
	}
}
