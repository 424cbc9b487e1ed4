package direct_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

const (
	house      = "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-house}}"
	furniture  = "{apiVersion: v1, kind: ConfigMap, metadata: {name: own, namespace: $ns-house}}"
	visitor    = "{apiVersion: v1, kind: ConfigMap, metadata: {name: visitor, namespace: $ns-house}}"
	theHouse   = "v1 Namespace $ns-house"
	theVisitor = "v1 ConfigMap $ns-house/visitor"
)

// checkOrphanedNamespace fails the test unless the cluster still has the Namespace, without a mark, and the objects placed in it are deleted.
func (w *world) checkOrphanedNamespace(cluster string) {
	w.Helper()
	if u := w.Find(cluster, theHouse); u == nil || u.GetDeletionTimestamp() != nil || u.GetLabels()[partOf] != "" {
		w.Errorf("%s: the Namespace is %v", cluster, u)
	}
	if w.Find(cluster, "v1 ConfigMap $ns-house/own") != nil {
		w.Errorf("%s: the object placed in the Namespace still exists", cluster)
	}
}

// TestContentsCannotBeListed checks that a Namespace remains, and that the plan names the kinds, if the credentials may not list a kind or a kind has no
// list: the contents of the Namespace are unknown then.
func TestContentsCannotBeListed(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusForbidden, http.StatusMethodNotAllowed} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			if status != http.StatusForbidden && testing.Short() {
				t.Skip("make test-all runs it")
			}
			t.Parallel()
			w := newWorld(t)
			request := w.newRequest("house", house, furniture)
			w.DeleteAtEnd(request)
			request = request.After(w.Apply(request).Status)
			w.RemoveAtEnd("member-1", w.Ref("member-1", theHouse))
			undo := w.Inject(clusters.Fault{Context: "member-1", Status: status, Match: func(r clusters.Request) bool {
				return r.Method == http.MethodGet && strings.HasSuffix(r.Path, w.Expand("/$ns-house/secrets"))
			}})
			preview, err := request.PreviewDelete(t.Context(), w.Engine())
			if err != nil {
				t.Fatal(err)
			}
			o := previewOf(preview, "member-1", w.Expand("$ns-house"))
			if o.Action != takeover.ActionOrphan || o.Obstacle != takeover.ObstacleContents {
				t.Errorf("predicted: %+v", o)
			}
			w.Contains(o.Problem, "could not be listed: Secret", strconv.Itoa(status))
			result := w.Delete(request)
			undo()
			w.Contains(strings.Join(result.Warnings, "\n"), "member-1", w.Expand("Namespace $ns-house stays"), "could not be listed: Secret")
			w.checkOrphanedNamespace("member-1")
			if w.Find("member-2", theHouse) != nil {
				t.Error("member-2 still has the Namespace")
			}
		})
	}
}

// TestContentsAreListedAgain checks that a failed list is retried, so that a temporary failure does not orphan a Namespace.
func TestContentsAreListedAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("busy", house, furniture)
	request = request.After(w.Apply(request).Status)
	w.Inject(clusters.Fault{Context: "member-1", Status: http.StatusServiceUnavailable, Times: 2, Match: func(r clusters.Request) bool {
		return r.Method == http.MethodGet && strings.HasSuffix(r.Path, w.Expand("/$ns-house/secrets"))
	}})
	if result := w.Delete(request); len(result.Warnings) > 0 || w.Find("member-1", theHouse) != nil {
		t.Errorf("%v", result.Warnings)
	}
}

// previewOf returns the preview of an object.
func previewOf(preview *engine.Preview, cluster, name string) engine.ObjectPreview {
	for _, c := range preview.Clusters {
		for _, o := range c.Objects {
			if c.Name == cluster && o.Name == name {
				return o
			}
		}
	}
	return engine.ObjectPreview{}
}

// TestContentsForReaders checks that the preview of a deletion has the contents of Namespaces with a read-only account too.
func TestContentsForReaders(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("read", house, furniture)
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	w.Put("member-1", visitor)
	w.RemoveAtEnd("member-1", w.Ref("member-1", theHouse))
	clients, ok := w.Readers(enginetest.Access{})
	if !ok {
		t.Skip("these clusters have no read-only user")
	}
	preview, err := request.PreviewDelete(t.Context(), subject.New(clients))
	if err != nil {
		t.Fatal(err)
	}
	if o := previewOf(preview, "member-1", w.Expand("$ns-house")); o.Obstacle != takeover.ObstacleContents || !strings.Contains(o.Problem, "visitor") {
		t.Errorf("member-1: %+v", o)
	}
	if o := previewOf(preview, "member-2", w.Expand("$ns-house")); o.Action != takeover.ActionPrune || o.Contents == nil || !o.Contents.Empty() {
		t.Errorf("member-2: %+v", o)
	}
}

// TestContentsWherePolicyMovesAway checks that a Namespace with objects of others remains on a cluster that the policy no longer picks.
func TestContentsWherePolicyMovesAway(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	fixed := func(names ...string) placement.Spec {
		return placement.Spec{Policy: &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: names}}
	}
	request := w.newRequest("unpicked", house, furniture)
	request.Spec = fixed("member-1", "member-2")
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	w.Put("member-2", visitor)
	w.RemoveAtEnd("member-2", w.Ref("member-2", theHouse))
	request.Spec = fixed("member-1")
	if o, _ := w.previewObject(w.Engine(), request, "member-2", w.Expand("$ns-house")); o.Obstacle != takeover.ObstacleContents {
		t.Errorf("predicted: %+v", o)
	}
	result := w.Apply(request)
	w.Contains(strings.Join(result.Warnings, "\n"), "member-2", w.Expand("Namespace $ns-house stays"), "visitor")
	w.checkOrphanedNamespace("member-2")
	if w.Find("member-2", theVisitor) == nil || w.inventory("member-2", "unpicked") != nil {
		t.Error("the visitor was deleted, or the record was not")
	}
	w.checkIdle(request.After(result.Status))
}

// TestContentsWhereClusterLeaves checks that all objects remain on a cluster that leaves the fleet, and that the preview lists no contents there.
func TestContentsWhereClusterLeaves(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("leaves", house, furniture)
	w.DeleteAtEnd(request)
	status := w.Apply(request).Status
	found, err := w.Engine().Preview(t.Context(), engine.Placement{
		Reference: engine.Reference{Name: request.Name}, Spec: request.Spec, Manifests: request.Manifests, Prior: &status,
	}, engine.PreviewOptions{World: engine.World{Members: map[string]engine.Planned[member.Spec]{"member-2": {}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{w.Expand("$ns-house"), "own"} {
		if o := previewOf(found, "member-2", name); o.Action != takeover.ActionOrphan || o.Obstacle != takeover.ObstacleLeft || o.Contents != nil {
			t.Errorf("%s: %+v", name, o)
		}
		if o := previewOf(found, "member-1", name); o.Action != takeover.ActionNone {
			t.Errorf("%s on member-1: %+v", name, o)
		}
	}
}

// TestVisitorArrivesLate checks that an object created in a Namespace after the plan also keeps the Namespace, because the contents are listed again right
// before the deletion.
func TestVisitorArrivesLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("late", house, furniture)
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	w.RemoveAtEnd("member-1", w.Ref("member-1", theHouse))
	w.Inject(clusters.Fault{
		Match: onPath("member-1", http.MethodDelete, w.Expand("/$ns-house/configmaps/own")), Hook: runOnce(func() { w.Put("member-1", visitor) }),
	})
	result := w.Delete(request)
	w.Contains(strings.Join(result.Warnings, "\n"), "member-1", w.Expand("Namespace $ns-house stays"), "visitor")
	w.checkOrphanedNamespace("member-1")
	if w.Find("member-1", theVisitor) == nil || w.inventory("member-1", "late") != nil {
		t.Error("the visitor was deleted, or the record was not")
	}
}
