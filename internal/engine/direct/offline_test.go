package direct_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// from makes every request to a member fail from the first one on that matches.
func from(cluster string, first func(clusters.Request) bool) clusters.Fault {
	down := false
	return clusters.Fault{Context: cluster, Refuse: true, Match: func(r clusters.Request) bool {
		down = down || r.Context == cluster && first(r)
		return down
	}}
}

// A member that stops answering at whichever point holds up nobody else, is in the status, and is gone on with by the next apply.
func TestMemberFallsOut(t *testing.T) {
	t.Parallel()
	const configMaps = "/configmaps"
	inventory := func(method string) func(clusters.Request) bool {
		return func(r clusters.Request) bool {
			return r.Method == method && strings.Contains(r.Path, "/fleet-system/configmaps")
		}
	}
	for name, first := range map[string]func(clusters.Request) bool{
		"look": func(clusters.Request) bool { return true },
		"list": inventory(http.MethodGet),
		"fetch": func(r clusters.Request) bool {
			return strings.Contains(r.Path, configMaps) && !strings.Contains(r.Path, "/fleet-system/")
		},
		"access":   func(r clusters.Request) bool { return strings.Contains(r.Path, "accessreviews") },
		"dry-run":  func(r clusters.Request) bool { return r.DryRun },
		"announce": func(r clusters.Request) bool { return r.Write() },
		"execute": func(r clusters.Request) bool {
			return r.Write() && strings.Contains(r.Path, configMaps) && !strings.Contains(r.Path, "/fleet-system/")
		},
	} {
		t.Run(name, func(t *testing.T) {
			// The first read, and the first write of an object.
			if brief := []string{"look", "execute"}; testing.Short() && !slices.Contains(brief, name) {
				t.Skip("make test-all runs it")
			}
			t.Parallel()
			w := newWorld(t)
			request := strategy(w.placing("falls-"+name, configMap("falls-"+name, "1")), placement.ClientSideApply, placement.TakeOverIfNoDiff)
			w.DeleteAtEnd(request)
			status := w.Apply(request).Status
			request.Manifests = w.Manifests(configMap("falls-"+name, "2"), configMap("falls-more-"+name, "2"))
			w.Put("member-2", configMap("falls-more-"+name, "3")) // only a dry run can tell how it differs

			undo := w.Inject(from("member-2", first))
			result, err := request.After(status).Apply(t.Context(), w.Engine())
			undo()
			w.Edit("member-2", "v1 ConfigMap falls-more-"+name, `{"data":{"value":"2"}}`)
			if err != nil {
				t.Fatal(err)
			}
			if got := w.value("member-1", "falls-"+name); got != "2" {
				t.Errorf("member-1 has %q", got)
			}
			if c, _ := result.Status.Clusters["member-2"].Condition(placement.Applied); c.Status != placement.Unknown {
				t.Errorf("member-2: %+v", result.Status.Clusters["member-2"])
			}
			preview, err := request.After(result.Status).Preview(t.Context(), w.Engine())
			if err != nil || !preview.Pending() {
				t.Errorf("nothing is left to do: %v", err)
			}
			result = w.Apply(request.After(result.Status))
			w.complete(result.Status)
			w.idle(request.After(result.Status))
		})
	}
}

// A member that stops answering while it is waited for is no longer waited for when patience is over, or time.
func TestMemberFallsOutWaiting(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	deployment := "{apiVersion: apps/v1, kind: Deployment, metadata: {name: falls-waiting}, spec: {selector: {matchLabels: " +
		"{a: b}}, template: {metadata: {labels: {a: b}}, spec: {nodeSelector: {no: node}, containers: [{name: c, image: x}]}}}}"
	request := w.placing("falls-waiting", deployment)
	request.Wait = true
	w.DeleteAtEnd(request)
	created := false
	ctx, expire := enginetest.Expiring(t.Context())
	defer expire()
	fallen, looks := false, 0
	w.Inject(clusters.Fault{Match: func(r clusters.Request) bool {
		if created && r.Method == http.MethodGet && strings.HasSuffix(r.Path, "/deployments/falls-waiting") {
			fallen = fallen || r.Context == "member-2"
			if fallen && r.Context == "member-1" {
				looks++
			}
		}
		if looks > 2 { // the engine has heard that member-2 does not answer, and goes on waiting for member-1
			expire()
		}
		return false
	}})
	w.Inject(from("member-2", func(r clusters.Request) bool {
		created = created || r.Method == http.MethodPost && strings.HasSuffix(r.Path, "/deployments")
		return created && r.Method == http.MethodGet && strings.HasSuffix(r.Path, "/deployments/falls-waiting")
	}))
	result, err := request.Apply(ctx, w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	if !result.TimedOut {
		t.Error("time did not run out")
	}
	if c, _ := result.Status.Clusters["member-1"].Condition(placement.Available); c.Status != placement.False {
		t.Errorf("member-1: %+v", result.Status.Clusters["member-1"])
	}
	if c, _ := result.Status.Clusters["member-2"].Condition(placement.Applied); c.Status != placement.Unknown {
		t.Errorf("member-2: %+v", result.Status.Clusters["member-2"])
	}
	if w.applying("member-1", "falls-waiting") {
		t.Error("the inventory was not completed after time had run out")
	}
}

// A member whose inventory must not be written is left out, and the user is told; the others go on.
func TestInventoryForbidden(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.placing("forbidden", configMap("forbidden", "1"))
	w.DeleteAtEnd(request)
	undo := w.Inject(clusters.Fault{Match: onPath("member-2", http.MethodPost, "/fleet-system/configmaps"), Status: http.StatusForbidden})
	result, err := request.Apply(t.Context(), w.Engine())
	if err == nil || result == nil {
		t.Fatalf("%v, %v", result, err)
	}
	w.Says(err.Error(), "nothing was written to cluster \"member-2\"", "403")
	w.Says(failures(result.Status, "member-2")["forbidden"], "ManifestApplyFailed", "record of the placement")
	if w.value("member-1", "forbidden") != "1" || w.value("member-2", "forbidden") != "absent" {
		t.Errorf("member-1 has %q, member-2 %q", w.value("member-1", "forbidden"), w.value("member-2", "forbidden"))
	}
	undo()
	w.complete(w.Apply(request.After(result.Status)).Status)

	// Refused everywhere, nothing has begun.
	w.Inject(clusters.Fault{Match: onPath("", http.MethodPost, "/fleet-system/configmaps"), Status: http.StatusForbidden})
	other := w.placing("forbidden-all", configMap("forbidden-all", "1"))
	if result, err := other.Apply(t.Context(), w.Engine()); result != nil || err == nil {
		t.Errorf("%v, %v", result, err)
	}
}

// A cluster that the policy no longer names is pruned, also when it did not answer at first.
func TestPolicyMovesAway(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	fixed := func(names ...string) placement.Spec {
		return placement.Spec{Policy: &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: names}}
	}
	request := w.placing("moves", configMap("moves", "1"), configMap("moves-theirs", "placed"))
	request.Spec = fixed("member-1", "member-2")
	w.DeleteAtEnd(request)
	w.Put("member-2", configMap("moves-theirs", "theirs"))
	status := w.Apply(request).Status

	request.Spec = fixed("member-1")
	undo := w.Inject(clusters.Fault{Context: "member-2", Refuse: true})
	result := w.Apply(request.After(status))
	if _, err := request.After(result.Status).Delete(t.Context(), w.Engine()); err == nil {
		t.Error("the deletion forgot a cluster that it could not reach")
	}
	undo()
	if got := w.value("member-2", "moves"); got != "1" {
		t.Fatalf("member-2 has %q", got)
	}
	result = w.Apply(request.After(result.Status))
	if w.value("member-2", "moves") != "absent" || w.value("member-2", "moves-theirs") != "placed" || w.inventory("member-2", "moves") != nil {
		t.Error("member-2 was not pruned")
	}
	if _, found := result.Status.Clusters["member-2"]; found {
		t.Errorf("member-2 is still in the status: %+v", result.Status.Clusters["member-2"])
	}
	w.idle(request.After(result.Status))
}

// An object that cannot be looked at stays in the inventory, and is not taken for gone.
func TestObjectNotSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.placing("unseen", configMap("unseen-kept", "1"), configMap("unseen-pruned", "1"))
	w.DeleteAtEnd(request)
	status := w.Apply(request).Status
	request.Manifests = w.Manifests(configMap("unseen-kept", "2"))
	undo := w.Inject(clusters.Fault{Context: "member-1", Status: http.StatusForbidden, Match: func(r clusters.Request) bool {
		return r.Method == http.MethodGet && strings.Contains(r.Path, w.configMaps())
	}})
	result, err := request.After(status).Apply(t.Context(), w.Engine())
	undo()
	if err != nil {
		t.Fatal(err)
	}
	w.Says(failures(result.Status, "member-1")["unseen-kept"], "FailedToFindObjInMemberCluster")
	if got := keys(w.inventory("member-1", "unseen")); len(got) != 2 {
		t.Errorf("the inventory has %v", got)
	}
	result = w.Apply(request.After(result.Status))
	w.complete(result.Status)
	if w.value("member-1", "unseen-pruned") != "absent" {
		t.Error("the object was not pruned")
	}
}

// Of a member that does not answer, nobody who has no earlier status knows what it has: the status says so, whatever the policy.
func TestStatusOfUnreachableMember(t *testing.T) {
	t.Parallel()
	for name, policy := range map[string]*placement.Policy{
		"all":   nil,
		"fixed": {PlacementType: placement.PickFixed, ClusterNames: []string{"member-1", "member-2"}},
	} {
		t.Run(name, func(t *testing.T) {
			if name != "fixed" && testing.Short() {
				t.Skip("make test-all runs it")
			}
			t.Parallel()
			w := newWorld(t)
			request := w.placing("unanswered-"+name, configMap("unanswered-"+name, "1"))
			request.Spec.Policy = policy
			w.DeleteAtEnd(request)
			w.Apply(request)
			undo := w.Inject(from("member-2", func(clusters.Request) bool { return true }))
			defer undo()
			recorded, err := request.Read(t.Context(), w.Engine())
			if err != nil {
				t.Fatal(err)
			}
			member := recorded.Status.Clusters["member-2"]
			if c, _ := member.Condition(placement.Applied); c.Status != placement.Unknown || c.Reason == "" || member.Phase() != placement.PhaseUnreachable {
				t.Errorf("%+v", member)
			}
		})
	}
}

// A look at what is as it should be costs a bounded number of requests, and an apply of it no write.
func TestRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var texts []string
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		texts = append(texts, configMap("cost-"+name, "1"))
	}
	texts = append(texts, "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: $ns}}")
	request := w.placing("cost", texts...)
	w.DeleteAtEnd(request)
	status := w.ApplyBy(subject.New(w.Connect(enginetest.Access{WithHub: true})), request).Status

	clients := w.Connect(enginetest.Access{Kubeconfig: w.Kubeconfig(), WithHub: true})
	e := subject.New(clients)
	preview, err := request.After(status).Preview(t.Context(), e)
	if err != nil || preview.Pending() {
		t.Fatalf("%+v, %v", preview, err)
	}
	// Discovery is two requests; then the UID, the records, one LIST of ConfigMaps and one GET of the ClusterRole.
	const bound = 6
	for name, cluster := range clients.Members {
		if n := cluster.Stats().Requests; n > bound {
			t.Errorf("%s: %d requests, want %d at most: %v", name, n, bound, w.Requests())
		}
	}
	if n := clients.Hub.Stats().Requests; n > 3 {
		t.Errorf("hub: %d requests", n)
	}
	again, err := request.After(status).Preview(t.Context(), e)
	if err != nil || again.Pending() {
		t.Fatal(err)
	}
	for name, cluster := range clients.Members {
		if n := cluster.Stats().Requests; n > bound+3 {
			t.Errorf("%s: %d requests after the second look", name, n)
		}
	}
	w.Reset()
	if _, err := request.After(status).Apply(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if writes := w.Writes(); len(writes) > 0 {
		t.Errorf("written: %v", writes)
	}
}

// A member that the provider has no connection to any more is forgotten: the refresh says so, and nothing is left to do. A plan without a refresh says so as
// well, and its apply forgets the member. With a connection again, the record on the cluster says what is there.
func TestMemberWithoutConnection(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.placing("unconnected", configMap("unconnected", "1"))
	w.DeleteAtEnd(request)
	status := w.Apply(request).Status

	fewer := w.another()
	fewer.Members = fewer.Members[:1]
	recorded, err := request.After(status).Read(t.Context(), fewer.Engine())
	if err != nil {
		t.Fatal(err)
	}
	if _, known := recorded.Status.Clusters["member-2"]; known || !slices.Equal(recorded.Forgotten, []string{"member-2"}) {
		t.Errorf("the status of a refresh has the member: %v; forgotten: %v", known, recorded.Forgotten)
	}
	fewer.idle(request.After(recorded.Status))
	again, err := request.After(recorded.Status).Read(t.Context(), fewer.Engine())
	if err != nil || len(again.Forgotten) > 0 {
		t.Errorf("the next refresh forgets %v, %v", again.Forgotten, err)
	}
	preview, err := request.After(status).Preview(t.Context(), fewer.Engine())
	if err != nil || !preview.Pending() {
		t.Fatalf("nothing is to be done: %v", err)
	}
	gone := preview.Clusters[1]
	if gone.Err != nil || gone.Picked {
		t.Errorf("the member is picked: %+v", gone)
	}
	w.Says(gone.Cause, "does not have it any more", "stays there")
	status = fewer.Apply(request.After(status)).Status
	fewer.complete(status)
	if _, known := status.Clusters["member-2"]; known {
		t.Error("the status has the member still")
	}
	fewer.idle(request.After(status))

	if w.value("member-2", "unconnected") != "1" {
		t.Error("the object is gone")
	}
	status = w.Apply(request.After(status)).Status
	w.complete(status)
	if w.inventory("member-2", "unconnected")["ConfigMap unconnected"].Adopted {
		t.Error("an object that the placement made counts as one that was there before")
	}
}
