package kubefleet_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/agent"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// database is a Namespace with a ConfigMap, and with a StatefulSet and its Service in an envelope, so that the hub does not run it.
const database = `{apiVersion: v1, kind: Namespace, metadata: {name: $ns-db}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: db, namespace: $ns-db}, data: {mode: primary}}
---
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ResourceEnvelope
metadata: {name: db, namespace: $ns-db}
data:
  service.yaml: {apiVersion: v1, kind: Service, metadata: {name: db, namespace: $ns-db}, spec: {clusterIP: None, selector: {app: db}}}
  db.yaml:
    apiVersion: apps/v1
    kind: StatefulSet
    metadata: {name: db, namespace: $ns-db}
    spec:
      serviceName: db
      selector: {matchLabels: {app: db}}
      template:
        metadata: {labels: {app: db}}
        spec: {containers: [{name: db, image: db}]}
      volumeClaimTemplates: [{metadata: {name: disk}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]`

// givenObjects are the objects that a placement of the database hands over. grown are the objects that the StatefulSet of the database creates.
var (
	givenObjects = []string{"v1 Namespace $ns-db", "v1 ConfigMap $ns-db/db", "v1 Service $ns-db/db", "apps/v1 StatefulSet $ns-db/db"}
	grown        = []string{"v1 Pod $ns-db/db-0", "v1 PersistentVolumeClaim $ns-db/disk-db-0"}
)

// handOver is a placement "bulk" of two Namespaces, and a placement "web" that takes the database over from bulk.
type handOver struct {
	*enginetest.World
	bulk, web enginetest.Request
	uids      map[string]string
}

// selecting returns a request that places Namespaces of the hub on all members at the same time.
func selecting(w *enginetest.World, name string, namespaces ...string) enginetest.Request {
	out := enginetest.Request{Name: w.Name + "-" + name}
	out.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: w.Members}
	for _, namespace := range namespaces {
		out.Spec.ResourceSelectors = append(out.Spec.ResourceSelectors, placement.ResourceSelector{Version: "v1", Kind: "Namespace", Name: w.Expand(namespace)})
	}
	// Nothing may wait for the claim and the Pod, because the claim is never bound, and the Pod is never scheduled.
	out.Spec.Strategy = &placement.Strategy{RollingUpdate: &placement.RollingUpdate{MaxUnavailable: "100%", UnavailablePeriodSeconds: new(int64(0))}}
	return out
}

// newHandOver applies bulk, and prepares the change in which web takes over the database with another apply strategy.
func newHandOver(t *testing.T, members int) *handOver {
	t.Helper()
	w := fleet.World(t, members)
	w.Put(w.Env.Hub, app+"\n---\n"+database)
	h := &handOver{World: w, bulk: selecting(w, "bulk", "$ns-app", "$ns-db"), web: selecting(w, "web", "$ns-db")}
	w.DeleteAtEnd(h.bulk)
	w.DeleteAtEnd(h.web)
	result := w.ApplyBy(w.Past(), h.bulk)
	h.bulk = h.bulk.After(result.Status)
	h.bulk.Spec.ResourceSelectors = h.bulk.Spec.ResourceSelectors[:1]
	h.web.Spec.Strategy.ApplyStrategy = &placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverNever}
	h.web.TakesOverFrom = []engine.Giver{{Name: h.bulk.Name}}
	h.uids = h.live()
	return h
}

// live returns the UIDs of the database on the members. It waits for the Pod and the claim.
func (h *handOver) live() map[string]string {
	h.Helper()
	out := map[string]string{}
	for _, member := range h.Members {
		for _, object := range slices.Concat(givenObjects, grown) {
			h.Eventually(object+" is on "+member, func() bool {
				u := h.Find(member, object)
				if u != nil && u.GetDeletionTimestamp() == nil {
					out[member+" "+object] = string(u.GetUID())
				}
				return u != nil
			})
		}
	}
	return out
}

// kept fails the test if any object of the database was deleted or recreated.
func (h *handOver) kept(when string) {
	h.Helper()
	if got := h.live(); !maps.Equal(got, h.uids) {
		h.Errorf("%s: the objects are %v, they were %v", when, got, h.uids)
	}
}

// owned fails the test unless the database has only one placement as its owner on each member.
func (h *handOver) owned(by enginetest.Request) {
	h.Helper()
	for _, member := range h.Members {
		for _, object := range givenObjects {
			owners := h.Must(member, object).GetOwnerReferences()
			if len(owners) != 1 || !strings.HasPrefix(owners[0].Name, by.Name+"-") {
				h.Errorf("%s on %s has the owners %v", object, member, owners)
			}
		}
	}
}

// plan previews first the taker and then the giver, as one run does. It sets the expectations of both.
func (h *handOver) plan() (web, bulk *engine.Preview) {
	h.Helper()
	h.web.Expected, h.bulk.Expected = nil, nil
	web, err := h.web.Preview(h.Context(), h.Engine())
	if err != nil {
		h.Fatal(err)
	}
	h.bulk.Takers = h.takers(web)
	if bulk, err = h.bulk.Preview(h.Context(), h.Engine()); err != nil {
		h.Fatal(err)
	}
	h.web.Expected, h.bulk.Expected = engine.Expect(web), engine.Expect(bulk)
	h.bulk.Takers = nil
	return web, bulk
}

func (h *handOver) takers(web *engine.Preview) engine.Takers {
	return engine.Takers{engine.NewTaker(h.web.Name, h.web.TakesOverFrom[0], web)}
}

func (h *handOver) apply(request *enginetest.Request) *engine.Result {
	h.Helper()
	result, err := request.Apply(h.Context(), h.Engine())
	if err != nil {
		h.Fatal(err)
	}
	if result.TimedOut {
		h.Errorf("%s: %+v", request.Name, result)
	}
	*request = request.After(result.Status)
	return result
}

// done fails the test unless the hand-over is complete, and the next plan is empty with takes_over_from and without it.
func (h *handOver) done() {
	h.Helper()
	h.kept("after the hand-over")
	h.owned(h.web)
	h.Eventually("nothing is left to do", func() bool {
		web, bulk := h.plan()
		without := h.web
		without.TakesOverFrom, without.Expected = nil, nil
		alone, err := without.Preview(h.Context(), h.Engine())
		return err == nil && !web.Pending() && !bulk.Pending() && !alone.Pending()
	})
}

// Objects that one placement of a hub hands over to another change their owner on the members. The plans of both placements show this, with any
// when_to_take_over.
func TestHandOver(t *testing.T) {
	t.Parallel()
	h := newHandOver(t, 2)
	web, bulk := h.plan()
	for _, member := range h.Members {
		want := "take_over_from ConfigMap $ns-db/db, take_over_from Namespace $ns-db, take_over_from Service $ns-db/db, " +
			"take_over_from StatefulSet $ns-db/db"
		if got := does(web, member); got != h.Expand(want) {
			t.Errorf("web's plan shows %q, want %q", got, h.Expand(want))
		}
		want = "hand_over ConfigMap $ns-db/db, hand_over Namespace $ns-db, hand_over Service $ns-db/db, hand_over StatefulSet $ns-db/db, " +
			"none ConfigMap $ns-app/settings, none Namespace $ns-app"
		if got := does(bulk, member); got != h.Expand(want) {
			t.Errorf("bulk's plan shows %q, want %q", got, h.Expand(want))
		}
	}
	if !web.Pending() || slices.ContainsFunc(web.Clusters[0].Objects, engine.ObjectPreview.Conflict) {
		t.Errorf("web pending: %t: %+v", web.Pending(), web.Clusters[0].Objects)
	}

	// Until web is applied, an apply of bulk changes nothing.
	before := h.bulk
	if _, err := before.Apply(h.Context(), h.Engine()); !isPending(err, h.web.Name) {
		t.Errorf("bulk is applied first: %v", err)
	}
	h.owned(h.bulk)
	h.kept("after the refusal")

	result := h.apply(&h.web)
	for _, o := range result.Objects {
		if o.Failure != nil || o.Action != takeover.ActionTakeOverFrom {
			t.Errorf("the result of web has %+v", o)
		}
	}
	if len(result.Objects) != 8 {
		t.Errorf("web took over %d objects", len(result.Objects))
	}
	h.owned(h.web)
	h.kept("after the apply of web")
	h.apply(&h.bulk)
	h.done()

	// The objects taken over belong to web: the removal of bulk keeps them, and the removal of web deletes them.
	h.bulk.Expected, h.web.Expected = nil, nil
	h.Delete(h.bulk)
	h.kept("after the removal of bulk")
	h.Delete(h.web)
	for _, member := range h.Members {
		if u := h.Find(member, "apps/v1 StatefulSet $ns-db/db"); u != nil && u.GetDeletionTimestamp() == nil {
			t.Errorf("%s has the StatefulSet still", member)
		}
	}
}

func isPending(err error, to string) bool {
	pending, is := errors.AsType[*engine.PendingHandOverError](err)
	return is && len(pending.Objects) > 0 && pending.Objects[0].To == to
}

// removal plans the removal of bulk after web, and sets the expectations of the removal.
func (h *handOver) removal(web *engine.Preview) *engine.Preview {
	h.Helper()
	request := h.bulk
	request.Takers = h.takers(web)
	out, err := request.PreviewDelete(h.Context(), h.Engine())
	if err != nil {
		h.Fatal(err)
	}
	h.bulk.ExpectedRemoval = engine.Expect(out)
	return out
}

// TestHandOverOfRemoved checks that a destroyed placement hands over the objects that another placement takes over, and deletes the rest, in either order of
// the two applies.
func TestHandOverOfRemoved(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]bool{"the taker first": false, "the removal first": true} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && !first {
				t.Skip("make test-all runs it")
			}
			t.Parallel()
			h := newHandOver(t, 1)
			web, _ := h.plan()
			want := "hand_over ConfigMap $ns-db/db, hand_over Namespace $ns-db, hand_over Service $ns-db/db, hand_over StatefulSet $ns-db/db, " +
				"prune ConfigMap $ns-app/settings, prune Namespace $ns-app"
			if got := does(h.removal(web), h.Members[0]); got != h.Expand(want) {
				t.Errorf("the removal shows %q, want %q", got, h.Expand(want))
			}
			if !first {
				h.apply(&h.web)
			}
			if _, err := h.bulk.Delete(h.Context(), h.Engine()); err != nil {
				t.Fatal(err)
			}
			h.kept("after the removal of bulk")
			if first {
				h.apply(&h.web)
			}
			h.taken()
		})
	}
}

// taken fails the test unless only web owns the database, nothing on the objects refers to bulk, and the other objects of bulk are deleted.
func (h *handOver) taken() {
	h.Helper()
	h.kept("after the hand-over")
	h.owned(h.web)
	for _, member := range h.Members {
		for _, object := range givenObjects {
			if by := agent.HandedBy(h.Must(member, object)); by != "" {
				h.Errorf("%s on %s is still handed over by %s", object, member, by)
			}
		}
		if h.Find(member, "v1 ConfigMap $ns-app/settings") != nil {
			h.Errorf("the removal left on %s what was its own", member)
		}
	}
}

// If the removal is killed at any write, no object that is handed over is deleted, and the next run completes the removal and the apply of web in either order.
// If the configuration keeps bulk after all, an apply makes bulk the only owner again.
func TestInterruptedRemovalHandsOver(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	h := newHandOver(t, 1)
	web, _ := h.plan()
	h.removal(web)
	h.Reset()
	if _, err := h.bulk.Delete(h.Context(), h.Engine()); err != nil {
		t.Fatal(err)
	}
	if writes := len(h.Writes()); writes != 5 {
		t.Errorf("the removal has %d writes: %v", writes, h.Writes())
	}
	h.apply(&h.web)
	h.taken()
	for k := 1; k <= 5; k++ {
		for _, end := range []string{"removal", "taker", "stays"} {
			if end == "stays" && k == 5 {
				continue
			}
			t.Run(fmt.Sprintf("%d %s", k, end), func(t *testing.T) {
				t.Parallel()
				h := newHandOver(t, 1)
				web, _ := h.plan()
				h.removal(web)
				h.interrupt(clusters.Fault{LoseResponse: true}, k, true, func(ctx context.Context) error {
					_, err := h.bulk.Delete(ctx, h.Engine())
					return err
				})
				again := *h
				again.World = h.Another()
				again.kept("after the interruption")
				if end == "stays" {
					again.bulk.Spec.ResourceSelectors = selecting(again.World, "bulk", "$ns-app", "$ns-db").Spec.ResourceSelectors
					again.bulk.Expected = nil
					again.apply(&again.bulk)
					again.kept("after bulk is kept")
					again.owned(again.bulk)
					return
				}
				web, err := again.web.Preview(again.Context(), again.Engine())
				if err != nil {
					t.Fatal(err)
				}
				again.web.Expected = engine.Expect(web)
				again.removal(web)
				if end == "taker" {
					again.apply(&again.web)
				}
				if _, err := again.bulk.Delete(again.Context(), again.Engine()); err != nil {
					t.Fatal(err)
				}
				if end == "removal" {
					again.apply(&again.web)
				}
				again.taken()
			})
		}
	}
}

// If a placement is created again while the agents still carry out its removal, the agents do not delete the objects that the removal hands over.
func TestRemovalThatHandsOverIsReverted(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	h := newHandOver(t, 1)
	if agents == nil {
		t.Skip("needs agents that can be paused")
	}
	web, _ := h.plan()
	h.removal(web)
	agents.Pause(h.Members[0])
	resume := sync.OnceFunc(func() { agents.Resume(h.Members[0]) })
	defer resume()
	apply := func(timeout time.Duration) {
		t.Helper()
		ctx, cancel := context.WithTimeout(h.Context(), timeout)
		defer cancel()
		again := selecting(h.World, "bulk", "$ns-app", "$ns-db")
		again.Again = h.exists(again.Name)
		if _, err := again.Apply(ctx, h.Engine()); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(h.Context(), 5*time.Second)
	defer cancel()
	if _, err := h.bulk.Delete(ctx, h.Engine()); err == nil {
		t.Fatal("the removal is complete without its agents")
	}
	apply(5 * time.Second)
	resume()
	h.Eventually("the agents have released the objects", func() bool {
		live := h.Find(h.Members[0], "apps/v1 StatefulSet $ns-db/db")
		return live == nil || !slices.ContainsFunc(live.GetOwnerReferences(), func(ref metav1.OwnerReference) bool { return ref.Kind == agent.AppliedWork })
	})
	h.kept("after the removal")
}

// The plan of the giver returns an error for an object that the credentials cannot read: the taker may take it over, and the hub would delete it.
func TestHandOverOfUnreadable(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	h := newHandOver(t, 1)
	defer h.Inject(clusters.Fault{Context: h.Members[0], Status: http.StatusForbidden, Match: func(r clusters.Request) bool {
		return strings.Contains(r.Path, "/configmaps") && !r.Write()
	}})()
	web, err := h.web.Preview(h.Context(), h.Engine())
	if err != nil {
		t.Fatal(err)
	}
	h.bulk.Takers = h.takers(web)
	_, changed := h.bulk.Preview(h.Context(), h.Engine())
	_, removed := h.bulk.PreviewDelete(h.Context(), h.Engine())
	for _, err := range []error{changed, removed} {
		if _, is := errors.AsType[*engine.HandOverError](err); !is || !strings.Contains(err.Error(), h.Expand("ConfigMap $ns-db/db")) {
			t.Errorf("%v", err)
		}
	}
}

// TestHandOverWithoutNamespace checks that the plan of the giver returns an error if the taker takes over an object, but not its Namespace, and the giver no
// longer places the Namespace. The hub would delete the Namespace with all its objects. The error names the selection that keeps it.
func TestHandOverWithoutNamespace(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	h := newHandOver(t, 1)
	inside := engine.Preview{Clusters: []engine.ClusterPreview{{Name: h.Members[0], Objects: []engine.ObjectPreview{{
		Identifier: manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: h.Expand("$ns-db"), Name: "db"},
		Action:     takeover.ActionTakeOverFrom, Given: &engine.Given{From: h.bulk.Name},
	}}}}}
	h.bulk.Takers = h.takers(&inside)
	_, changed := h.bulk.Preview(h.Context(), h.Engine())
	_, removed := h.bulk.PreviewDelete(h.Context(), h.Engine())
	for _, err := range []error{changed, removed} {
		if _, is := errors.AsType[*engine.HandOverError](err); !is || !strings.Contains(err.Error(), h.Expand("Namespace $ns-db")) ||
			!strings.Contains(err.Error(), "NamespaceOnly") {
			t.Errorf("%v", err)
		}
	}
}

// With when_to_apply = "IfNotDrifted", an object that others have changed gets the taker as its owner, but the agent of the taker does not update it unless the
// manifest has changed too. The plan shows both.
func TestHandOverOfDrifted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		placed  string // a change of the placed object
		drifted bool
		mode    string // the mode of the object after the apply
	}{
		"the same manifest":     {"", true, "theirs"},
		"another manifest":      {"{data: {mode: standby}}", false, "standby"},
		"what is on the member": {"{data: {mode: theirs}}", false, "theirs"},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && !c.drifted {
				t.Skip("make test-all runs it")
			}
			if agents == nil && name == "another manifest" {
				t.Skip("needs agents that can be held: that of bulk applies the manifest")
			}
			t.Parallel()
			const object = "v1 ConfigMap $ns-db/db"
			h := newHandOver(t, 1)
			member := h.Members[0]
			if agents != nil { // bulk's agent would revert the change
				defer agents.PausePlacement(h.bulk.Name)()
			}
			h.Edit(member, object, "{data: {mode: theirs}}")
			if c.placed != "" {
				h.Edit(h.Env.Hub, object, c.placed)
			}
			h.web.Spec.Strategy.ApplyStrategy.WhenToApply = placement.ApplyIfNotDrifted
			web, _ := h.plan()
			i := slices.IndexFunc(web.Clusters[0].Objects, func(o engine.ObjectPreview) bool { return o.Kind == "ConfigMap" })
			o := web.Clusters[0].Objects[i]
			if o.Action != takeover.ActionTakeOverFrom || o.RemainsDrifted() != c.drifted {
				t.Errorf("the plan shows %s %q %q", o.Action, o.Obstacle, o.Reason)
			}
			if c.drifted && (o.Reason != takeover.ReasonFoundDrifts || len(o.Differences) != 1) {
				t.Errorf("the plan shows the reason %q and %v", o.Reason, o.Differences)
			}
			result, err := h.web.Apply(h.Context(), h.Engine())
			if err != nil || result.TimedOut {
				t.Fatalf("%v, %+v", err, result)
			}
			h.owned(h.web)
			h.kept("after the apply of web")
			failed := slices.ContainsFunc(result.Objects, func(o engine.ObjectResult) bool {
				return o.Action == takeover.ActionLeaveDrifted && o.Kind == "ConfigMap"
			})
			if failed != c.drifted {
				t.Errorf("the result has %+v", result.Objects)
			}
			if got := h.Must(member, object).Object["data"].(map[string]any)["mode"]; got != c.mode {
				t.Errorf("the object has the mode %v, want %s", got, c.mode)
			}
		})
	}
}

// Without the right to patch objects on a member, the plan warns, and the apply ends with an error that names the right to grant. With the right, the next
// apply continues.
func TestHandOverWithoutRights(t *testing.T) {
	t.Parallel()
	h := newHandOver(t, 1)
	member := h.Members[0]
	if !h.Env.Has(clusters.Readonly(member)) {
		t.Skip("these clusters have no such user")
	}
	reader := fleet.Subject.New(h.Connect(enginetest.Access{As: func(cluster string) string {
		if cluster == member {
			return clusters.Readonly(cluster)
		}
		return cluster
	}}))
	const danger = "the credentials may not hand objects over"
	isShown := func(preview *engine.Preview) bool {
		return slices.ContainsFunc(preview.Dangers, func(d engine.Danger) bool {
			return d.Title == danger && strings.Contains(d.Message, member) && strings.Contains(d.Message, `statefulsets.apps`) && strings.Contains(d.Message, `"patch"`)
		})
	}
	web, _ := h.plan()
	if isShown(web) {
		t.Errorf("the plan of an administrator warns: %+v", web.Dangers)
	}
	h.web.Expected = nil
	web, err := h.web.Preview(h.Context(), reader)
	if err != nil || !isShown(web) {
		t.Errorf("the plan does not warn: %v, %+v", err, web)
	}
	h.web.Expected = engine.Expect(web)
	result, err := h.web.Apply(h.Context(), reader)
	denied, is := errors.AsType[*engine.HandOverDeniedError](err)
	if _, unfollowed := errors.AsType[*engine.UnfollowedError](err); unfollowed {
		t.Errorf("the apply could not follow the change: %v", err)
	}
	if !is || denied.Cluster != member || denied.Verb != "patch" || denied.Resource == "" || result == nil || result.TimedOut {
		t.Fatalf("the apply: %+v, %v", result, err)
	}
	h.owned(h.bulk)
	h.kept("after the denial")
	h.web = h.web.After(result.Status)
	h.plan()
	h.apply(&h.web)
	h.apply(&h.bulk)
	h.done()
}

// A response of 403 to one of the writes ends the apply as well, although the credentials have the right: an admission rule denies the write.
func TestHandOverThatAdmissionDenies(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	h := newHandOver(t, 1)
	h.plan()
	defer h.Inject(clusters.Fault{Context: h.Members[0], Status: http.StatusForbidden, Match: func(r clusters.Request) bool {
		return strings.Contains(r.Path, "/configmaps/") && r.Write()
	}})()
	_, err := h.web.Apply(h.Context(), h.Engine())
	denied, is := errors.AsType[*engine.HandOverDeniedError](err)
	if !is || denied.Verb != "" || denied.Object.Kind != "ConfigMap" {
		t.Errorf("the apply: %v", err)
	}
	h.kept("after the denial")
}

// If an object is recreated immediately after its move, the apply does not wait until it times out. The result says that the object is not as the plan showed
// it.
func TestHandOverOfRecreated(t *testing.T) {
	t.Parallel()
	h := newHandOver(t, 1)
	member := h.Members[0]
	h.plan()
	if agents != nil { // bulk's agent would take it over
		defer agents.PausePlacement(h.bulk.Name)()
	}
	release := func() {}
	var moving, recreated sync.Once
	defer h.Inject(clusters.Fault{
		Context: member, Match: func(r clusters.Request) bool { return r.Write() && strings.HasSuffix(r.Path, "/configmaps/db") },
		Hook: func(clusters.Request) {
			moving.Do(func() {
				if agents != nil { // web's agent could apply the object before it is recreated
					release = agents.PausePlacement(h.web.Name)
				}
			})
		},
		Then: func(clusters.Request) {
			recreated.Do(func() {
				defer release()
				if err := h.On(member).Delete(h.Context(), "v1", "ConfigMap", h.Expand("$ns-db"), "db"); err != nil {
					t.Error(err)
				}
				h.Put(member, "{apiVersion: v1, kind: ConfigMap, metadata: {name: db, namespace: $ns-db}, data: {mode: theirs}}")
			})
		},
	})()
	ctx, cancel := context.WithTimeout(h.Context(), time.Minute)
	defer cancel()
	result, err := h.web.Apply(ctx, h.Engine())
	if err != nil || result.TimedOut {
		t.Fatalf("the apply: timed out %t, %v", result != nil && result.TimedOut, err)
	}
	for _, o := range result.Objects {
		if isIt := o.Kind == "ConfigMap"; isIt != (o.Failure != nil) || isIt && o.Obstacle != takeover.ObstacleNotAgreed {
			t.Errorf("the result has %s %s %q, %+v", o.Action, o.Identifier, o.Obstacle, o.Failure)
		}
	}
	if live := h.Must(member, "v1 ConfigMap $ns-db/db"); agents != nil && len(live.GetOwnerReferences()) > 0 {
		t.Errorf("the recreated object has the owners %v", live.GetOwnerReferences())
	}
}

// If an object was recreated between the plan and the apply, the apply returns an error and takes nothing over.
func TestHandOverOfAnother(t *testing.T) {
	t.Parallel()
	h := newHandOver(t, 1)
	h.web.Spec.Strategy.ApplyStrategy.WhenToTakeOver = placement.TakeOverAlways
	h.plan()
	if agents != nil {
		defer agents.PausePlacement(h.bulk.Name)()
	}
	if err := h.On(h.Members[0]).Delete(h.Context(), "v1", "ConfigMap", h.Expand("$ns-db"), "db"); err != nil {
		t.Fatal(err)
	}
	h.Put(h.Members[0], "{apiVersion: v1, kind: ConfigMap, metadata: {name: db, namespace: $ns-db}, data: {mode: theirs}}")
	_, err := h.web.Apply(h.Context(), h.Engine())
	if _, contradicts := errors.AsType[*engine.ContradictionError](err); !contradicts {
		t.Errorf("the apply: %v", err)
	}
	for _, object := range givenObjects {
		if object == "v1 ConfigMap $ns-db/db" {
			continue
		}
		if owners := h.Must(h.Members[0], object).GetOwnerReferences(); len(owners) != 1 || !strings.HasPrefix(owners[0].Name, h.bulk.Name+"-") {
			t.Errorf("%s has the owners %v", object, owners)
		}
	}
}

// If the apply of the taker or of the giver is killed at any write, or gets an error in response to it, nothing is deleted, and the next run completes the
// hand-over.
func TestInterruptedHandOver(t *testing.T) {
	t.Parallel()
	writes := map[string]int{}
	h := newHandOver(t, 2)
	h.plan()
	h.Reset()
	h.apply(&h.web)
	writes["web"] = len(h.Writes())
	h.Reset()
	h.apply(&h.bulk)
	writes["bulk"] = len(h.Writes())
	t.Log(h.Writes())
	h.done()
	if writes["web"] != 9 || writes["bulk"] == 0 {
		t.Errorf("the writes are %v: %v", writes, h.Writes())
	}
	for name, fault := range map[string]clusters.Fault{
		"before": {}, "after": {LoseResponse: true}, "refused": {Status: http.StatusInternalServerError},
	} {
		for _, side := range []string{"web", "bulk"} {
			for k := 1; k <= writes[side]; k++ {
				title := fmt.Sprintf("%s %s %d", side, name, k)
				if testing.Short() && !slices.Contains([]string{"web before 2", "web after 6", "bulk refused 1"}, title) {
					continue
				}
				t.Run(title, func(t *testing.T) {
					t.Parallel()
					h := newHandOver(t, 2)
					h.plan()
					request := &h.web
					if side == "bulk" {
						h.apply(&h.web)
						request = &h.bulk
					}
					h.interrupt(fault, k, name != "refused", func(ctx context.Context) error {
						result, err := request.Apply(ctx, h.Engine())
						if err == nil && result.TimedOut {
							err = context.Canceled
						}
						return err
					})
					again := *h
					again.World = h.Another()
					again.kept("after the interruption")
					again.web.Again = again.web.Again || again.exists(again.web.Name)
					again.plan()
					again.apply(&again.web)
					again.apply(&again.bulk)
					again.done()
				})
			}
		}
	}
}

func (h *handOver) exists(name string) bool {
	h.Helper()
	return h.Find(h.Env.Hub, hubKinds+" ClusterResourcePlacement "+name) != nil
}

// interrupt injects a fault into the k-th write of an operation. With kill, the operation sends nothing more.
func (h *handOver) interrupt(fault clusters.Fault, k int, kill bool, operation func(context.Context) error) {
	h.Helper()
	var mu sync.Mutex
	seen := 0
	ctx, cancel := context.WithCancel(h.Context())
	defer cancel()
	fault.Times, fault.Match = 1, func(r clusters.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		if r.Write() {
			seen++
		}
		return r.Write() && seen == k
	}
	fault.Refuse = kill && !fault.LoseResponse
	defer h.Inject(fault)()
	if kill {
		defer h.Inject(clusters.Fault{Refuse: true, Hook: func(clusters.Request) { cancel() }, Match: func(r clusters.Request) bool {
			mu.Lock()
			defer mu.Unlock()
			return seen > k || seen == k && !r.Write()
		}})()
	}
	if err := operation(ctx); err == nil && kill {
		h.Errorf("it is not killed at write %d", k)
	}
}

// An object that the API server rejects remains with the giver. The apply of the giver returns an error and writes nothing, because the agents would
// otherwise delete the object.
func TestHandOverOfRejected(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	h := newHandOver(t, 1)
	if agents != nil { // bulk's agent is rejected, too
		defer agents.PausePlacement(h.bulk.Name)()
	}
	h.Edit(h.Env.Hub, "placement.kubernetes-fleet.io/v1beta1 ResourceEnvelope $ns-db/db", `{"data":{"db.yaml":{"spec":{"serviceName":"immutable"}}}}`)
	web, bulk := h.plan()
	const rejected = "StatefulSet $ns-db/db"
	if got := does(web, h.Members[0]); !strings.Contains(got, h.Expand("reject "+rejected)) {
		t.Errorf("web's plan shows %q", got)
	}
	if got := does(bulk, h.Members[0]); !strings.Contains(got, h.Expand("hand_over "+rejected)) {
		t.Errorf("bulk's plan shows %q", got)
	}
	result, err := h.web.Apply(h.Context(), h.Engine())
	if err != nil {
		t.Fatal(err)
	}
	h.web = h.web.After(result.Status)
	if _, err := h.bulk.Apply(h.Context(), h.Engine()); !isPending(err, h.web.Name) {
		t.Errorf("bulk is applied: %v", err)
	}
	h.kept("after both")
}

// A Work of the taker that is being deleted does not become the owner of an object that it contains, because the object would be deleted with it.
func TestHandOverBesideDeletedWork(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	const (
		role     = "rbac.authorization.k8s.io/v1 ClusterRole "
		manifest = "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: $ns"
	)
	for _, names := range [][2]string{{"a", "b"}, {"b", "a"}} { // the names of Works are hashes of these
		t.Run(names[0]+" to "+names[1], func(t *testing.T) {
			t.Parallel()
			w := fleet.World(t, 1)
			member := w.Members[0]
			w.Put(w.Env.Hub, manifest+"}}")
			for i, extra := range []string{manifest + "-stays, finalizers: [fleet.test/stays]}}", manifest + "-other}}"} {
				w.Put(w.Env.Hub, "{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterResourceEnvelope, metadata: {name: $ns-"+names[i]+"}, "+
					"data: {extra.yaml: "+extra+", role.yaml: "+manifest+"}}}}")
			}
			bulk, web := selecting(w, "bulk"), selecting(w, "web")
			bulk.Spec.ResourceSelectors = []placement.ResourceSelector{{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole", Name: w.Name}}
			web.Spec.ResourceSelectors = []placement.ResourceSelector{{
				Group: "placement.kubernetes-fleet.io", Version: "v1beta1", Kind: "ClusterResourceEnvelope", Name: w.Name + "-" + names[0],
			}}
			w.DeleteAtEnd(bulk)
			w.DeleteAtEnd(web)
			w.ApplyBy(w.Past(), bulk)
			result, err := web.Apply(w.Context(), w.Past()) // this Work has the role of bulk
			if err != nil {
				t.Fatal(err)
			}
			free := func() error {
				return w.On(member).Patch(context.WithoutCancel(w.Context()), "rbac.authorization.k8s.io/v1", "ClusterRole", "", w.Name+"-stays", `{"metadata":{"finalizers":null}}`)
			}
			t.Cleanup(func() { _ = free() })
			uid := w.Must(member, role+"$ns").GetUID()
			web = web.After(result.Status)
			web.Spec.ResourceSelectors[0].Name = w.Name + "-" + names[1]
			web.TakesOverFrom = []engine.Giver{{Name: bulk.Name}}
			ctx, cancel := context.WithCancel(w.Context())
			defer cancel()
			go func() { // the deletion of the Work waits for the object that remains
				_, _ = web.Apply(ctx, w.Engine())
			}()
			owned := func() bool {
				live := w.Find(member, role+"$ns")
				return live != nil && strings.HasPrefix(live.GetOwnerReferences()[0].Name, web.Name+"-")
			}
			w.Eventually("web has the role", owned)
			if err := free(); err != nil {
				t.Fatal(err)
			}
			w.AwaitGone(member, role+"$ns-stays")
			if live := w.Find(member, role+"$ns"); live == nil || live.GetUID() != uid || live.GetDeletionTimestamp() != nil {
				t.Errorf("the role is not the one that it was: %v", live)
			}
		})
	}
}
