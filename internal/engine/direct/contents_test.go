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

// keepsHouse fails the test unless a cluster still has the Namespace, without a mark, and what was placed in it is gone.
func (w *world) keepsHouse(cluster string) {
	w.Helper()
	if u := w.Find(cluster, theHouse); u == nil || u.GetDeletionTimestamp() != nil || u.GetLabels()[partOf] != "" {
		w.Errorf("%s: the Namespace is %v", cluster, u)
	}
	if w.Find(cluster, "v1 ConfigMap $ns-house/own") != nil {
		w.Errorf("%s: what was placed in the Namespace is there still", cluster)
	}
}

// With credentials that may not list a kind, or with a kind that has no list, the contents of a Namespace are unknown: the Namespace remains, and the
// plan names the kinds.
func TestContentsCannotBeListed(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusForbidden, http.StatusMethodNotAllowed} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			if status != http.StatusForbidden && testing.Short() {
				t.Skip("make test-all runs it")
			}
			t.Parallel()
			w := newWorld(t)
			request := w.placing("house", house, furniture)
			w.DeleteAtEnd(request)
			request = request.After(w.Apply(request).Status)
			w.At("member-1", w.Ref("member-1", theHouse))
			undo := w.Inject(clusters.Fault{Context: "member-1", Status: status, Match: func(r clusters.Request) bool {
				return r.Method == http.MethodGet && strings.HasSuffix(r.Path, w.Expand("/$ns-house/secrets"))
			}})
			preview, err := request.PreviewDelete(t.Context(), w.Engine())
			if err != nil {
				t.Fatal(err)
			}
			o := foreseenOf(preview, "member-1", w.Expand("$ns-house"))
			if o.Action != takeover.ActionOrphan || o.Obstacle != takeover.ObstacleContents {
				t.Errorf("predicted: %+v", o)
			}
			w.Says(o.Problem, "could not be checked for Secret", strconv.Itoa(status))
			result := w.Delete(request)
			undo()
			w.Says(strings.Join(result.Warnings, "\n"), "member-1", w.Expand("Namespace $ns-house stays"), "could not be checked for Secret")
			w.keepsHouse("member-1")
			if w.Find("member-2", theHouse) != nil {
				t.Error("member-2 still has the Namespace")
			}
		})
	}
}

// An API server that cannot serve a list just then is asked again: what it would have told is no reason to give a Namespace up for good.
func TestContentsAreListedAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request := w.placing("busy", house, furniture)
	request = request.After(w.Apply(request).Status)
	w.Inject(clusters.Fault{Context: "member-1", Status: http.StatusServiceUnavailable, Times: 2, Match: func(r clusters.Request) bool {
		return r.Method == http.MethodGet && strings.HasSuffix(r.Path, w.Expand("/$ns-house/secrets"))
	}})
	if result := w.Delete(request); len(result.Warnings) > 0 || w.Find("member-1", theHouse) != nil {
		t.Errorf("%v", result.Warnings)
	}
}

// foreseenOf is what a preview says of an object.
func foreseenOf(preview *engine.Preview, cluster, name string) engine.ObjectPreview {
	for _, c := range preview.Clusters {
		for _, o := range c.Objects {
			if c.Name == cluster && o.Name == name {
				return o
			}
		}
	}
	return engine.ObjectPreview{}
}

// Who may only read foresees the same.
func TestContentsForReaders(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request := w.placing("read", house, furniture)
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	w.Put("member-1", visitor)
	w.At("member-1", w.Ref("member-1", theHouse))
	clients, ok := w.Readers(enginetest.Access{})
	if !ok {
		t.Skip("these clusters have no read-only user")
	}
	preview, err := request.PreviewDelete(t.Context(), subject.New(clients))
	if err != nil {
		t.Fatal(err)
	}
	if o := foreseenOf(preview, "member-1", w.Expand("$ns-house")); o.Obstacle != takeover.ObstacleContents || !strings.Contains(o.Problem, "visitor") {
		t.Errorf("member-1: %+v", o)
	}
	if o := foreseenOf(preview, "member-2", w.Expand("$ns-house")); o.Action != takeover.ActionPrune || o.Contents == nil || !o.Contents.Empty() {
		t.Errorf("member-2: %+v", o)
	}
}

// A cluster that the policy no longer picks keeps a Namespace with what others have in it.
func TestContentsWherePolicyMovesAway(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	fixed := func(names ...string) placement.Spec {
		return placement.Spec{Policy: &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: names}}
	}
	request := w.placing("unpicked", house, furniture)
	request.Spec = fixed("member-1", "member-2")
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	w.Put("member-2", visitor)
	w.At("member-2", w.Ref("member-2", theHouse))
	request.Spec = fixed("member-1")
	if o, _ := w.previewed(w.Engine(), request, "member-2", w.Expand("$ns-house")); o.Obstacle != takeover.ObstacleContents {
		t.Errorf("predicted: %+v", o)
	}
	result := w.Apply(request)
	w.Says(strings.Join(result.Warnings, "\n"), "member-2", w.Expand("Namespace $ns-house stays"), "visitor")
	w.keepsHouse("member-2")
	if w.Find("member-2", theVisitor) == nil || w.inventory("member-2", "unpicked") != nil {
		t.Error("the visitor is gone, or the record is not")
	}
	w.idle(request.After(result.Status))
}

// A cluster that leaves the fleet keeps everything: nothing on it is deleted, so that nothing has to be looked for.
func TestContentsWhereClusterLeaves(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request := w.placing("leaves", house, furniture)
	w.DeleteAtEnd(request)
	status := w.Apply(request).Status
	found, err := w.Engine().Preview(t.Context(), engine.Placement{
		Reference: engine.Reference{Name: request.Name}, Spec: request.Spec, Manifests: request.Manifests, Prior: &status,
	}, engine.PreviewOptions{World: engine.World{Members: map[string]engine.Planned[member.Spec]{"member-2": {}}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{w.Expand("$ns-house"), "own"} {
		if o := foreseenOf(found, "member-2", name); o.Action != takeover.ActionOrphan || o.Obstacle != takeover.ObstacleLeft || o.Contents != nil {
			t.Errorf("%s: %+v", name, o)
		}
		if o := foreseenOf(found, "member-1", name); o.Action != takeover.ActionNone {
			t.Errorf("%s on member-1: %+v", name, o)
		}
	}
}

// What comes into a Namespace after it was looked at keeps it too: it is looked at once more right before it is deleted.
func TestVisitorArrivesLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.placing("late", house, furniture)
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	w.At("member-1", w.Ref("member-1", theHouse))
	w.Inject(clusters.Fault{
		Match: onPath("member-1", http.MethodDelete, w.Expand("/$ns-house/configmaps/own")), Hook: once(func() { w.Put("member-1", visitor) }),
	})
	result := w.Delete(request)
	w.Says(strings.Join(result.Warnings, "\n"), "member-1", w.Expand("Namespace $ns-house stays"), "visitor")
	w.keepsHouse("member-1")
	if w.Find("member-1", theVisitor) == nil || w.inventory("member-1", "late") != nil {
		t.Error("the visitor is gone, or the record is not")
	}
}
