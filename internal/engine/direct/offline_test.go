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

// failFrom returns a fault that makes all requests to a member fail, starting with the first that matches.
func failFrom(cluster string, first func(clusters.Request) bool) clusters.Fault {
	down := false
	return clusters.Fault{Context: cluster, Refuse: true, Match: func(r clusters.Request) bool {
		down = down || r.Context == cluster && first(r)
		return down
	}}
}

// TestMemberFallsOut checks that a member that stops responding at any point does not block the others and is reported in the status, and that the next apply
// continues on it.
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
			request := strategy(w.newRequest("falls-"+name, configMap("falls-"+name, "1")), placement.ClientSideApply, placement.TakeOverIfNoDiff)
			w.DeleteAtEnd(request)
			status := w.Apply(request).Status
			request.Manifests = w.Manifests(configMap("falls-"+name, "2"), configMap("falls-more-"+name, "2"))
			w.Put("member-2", configMap("falls-more-"+name, "3")) // the object differs, so the comparison sends a dry run

			undo := w.Inject(failFrom("member-2", first))
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
				t.Errorf("the plan is empty: %v", err)
			}
			result = w.Apply(request.After(result.Status))
			w.checkComplete(result.Status)
			w.checkIdle(request.After(result.Status))
		})
	}
}

// TestMemberFallsOutWaiting checks an apply that waits for two members until it times out, while one of them stops responding: the status reports both, and the
// inventory of the other member is completed.
func TestMemberFallsOutWaiting(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	deployment := "{apiVersion: apps/v1, kind: Deployment, metadata: {name: falls-waiting}, spec: {selector: {matchLabels: " +
		"{a: b}}, template: {metadata: {labels: {a: b}}, spec: {nodeSelector: {no: node}, containers: [{name: c, image: x}]}}}}"
	request := w.newRequest("falls-waiting", deployment)
	request.Wait = true
	w.DeleteAtEnd(request)
	created := false
	ctx, expire := enginetest.Expiring(t.Context())
	defer expire()
	fallen, previews := false, 0
	w.Inject(clusters.Fault{Match: func(r clusters.Request) bool {
		if created && r.Method == http.MethodGet && strings.HasSuffix(r.Path, "/deployments/falls-waiting") {
			fallen = fallen || r.Context == "member-2"
			if fallen && r.Context == "member-1" {
				previews++
			}
		}
		if previews > 2 { // the engine has detected that member-2 does not respond, and still waits for member-1
			expire()
		}
		return false
	}})
	w.Inject(failFrom("member-2", func(r clusters.Request) bool {
		created = created || r.Method == http.MethodPost && strings.HasSuffix(r.Path, "/deployments")
		return created && r.Method == http.MethodGet && strings.HasSuffix(r.Path, "/deployments/falls-waiting")
	}))
	result, err := request.Apply(ctx, w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	if !result.TimedOut {
		t.Error("the apply did not time out")
	}
	if c, _ := result.Status.Clusters["member-1"].Condition(placement.Available); c.Status != placement.False {
		t.Errorf("member-1: %+v", result.Status.Clusters["member-1"])
	}
	if c, _ := result.Status.Clusters["member-2"].Condition(placement.Applied); c.Status != placement.Unknown {
		t.Errorf("member-2: %+v", result.Status.Clusters["member-2"])
	}
	if w.isApplying("member-1", "falls-waiting") {
		t.Error("the inventory was not completed after the timeout")
	}
}

// TestInventoryForbidden checks that a member whose inventory must not be written is skipped and reported, and that the apply continues on the others.
func TestInventoryForbidden(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("forbidden", configMap("forbidden", "1"))
	w.DeleteAtEnd(request)
	undo := w.Inject(clusters.Fault{Match: onPath("member-2", http.MethodPost, "/fleet-system/configmaps"), Status: http.StatusForbidden})
	result, err := request.Apply(t.Context(), w.Engine())
	if err == nil || result == nil {
		t.Fatalf("%v, %v", result, err)
	}
	w.Contains(err.Error(), "nothing was written to cluster \"member-2\"", "403")
	w.Contains(failures(result.Status, "member-2")["forbidden"], "ManifestApplyFailed", "record of the placement")
	if w.value("member-1", "forbidden") != "1" || w.value("member-2", "forbidden") != "absent" {
		t.Errorf("member-1 has %q, member-2 %q", w.value("member-1", "forbidden"), w.value("member-2", "forbidden"))
	}
	undo()
	w.checkComplete(w.Apply(request.After(result.Status)).Status)

	// If all members reject it, nothing is written.
	w.Inject(clusters.Fault{Match: onPath("", http.MethodPost, "/fleet-system/configmaps"), Status: http.StatusForbidden})
	other := w.newRequest("forbidden-all", configMap("forbidden-all", "1"))
	if result, err := other.Apply(t.Context(), w.Engine()); result != nil || err == nil {
		t.Errorf("%v, %v", result, err)
	}
}

// TestPolicyMovesAway checks that objects are pruned from a cluster that the policy no longer names, even if it was unreachable at first.
func TestPolicyMovesAway(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	fixed := func(names ...string) placement.Spec {
		return placement.Spec{Policy: &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: names}}
	}
	request := w.newRequest("moves", configMap("moves", "1"), configMap("moves-theirs", "placed"))
	request.Spec = fixed("member-1", "member-2")
	w.DeleteAtEnd(request)
	w.Put("member-2", configMap("moves-theirs", "theirs"))
	status := w.Apply(request).Status

	request.Spec = fixed("member-1")
	undo := w.Inject(clusters.Fault{Context: "member-2", Refuse: true})
	result := w.Apply(request.After(status))
	if _, err := request.After(result.Status).Delete(t.Context(), w.Engine()); err == nil {
		t.Error("the deletion ignored an unreachable cluster")
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
	w.checkIdle(request.After(result.Status))
}

// TestObjectNotSeen checks that an object that cannot be read stays in the inventory, and does not count as deleted.
func TestObjectNotSeen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("unseen", configMap("unseen-kept", "1"), configMap("unseen-pruned", "1"))
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
	w.Contains(failures(result.Status, "member-1")["unseen-kept"], "FailedToFindObjInMemberCluster")
	if got := keys(w.inventory("member-1", "unseen")); len(got) != 2 {
		t.Errorf("the inventory has %v", got)
	}
	result = w.Apply(request.After(result.Status))
	w.checkComplete(result.Status)
	if w.value("member-1", "unseen-pruned") != "absent" {
		t.Error("the object was not pruned")
	}
}

// TestStatusOfUnreachableMember checks that the status reports an unreachable member whose objects are unknown because there is no earlier status, for PickAll
// and PickFixed.
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
			request := w.newRequest("unanswered-"+name, configMap("unanswered-"+name, "1"))
			request.Spec.Policy = policy
			w.DeleteAtEnd(request)
			w.Apply(request)
			undo := w.Inject(failFrom("member-2", func(clusters.Request) bool { return true }))
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

// TestRequests checks that a preview of an up-to-date placement needs a bounded number of requests, and that its apply writes nothing.
func TestRequests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var texts []string
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		texts = append(texts, configMap("cost-"+name, "1"))
	}
	texts = append(texts, "{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: $ns}}")
	request := w.newRequest("cost", texts...)
	w.DeleteAtEnd(request)
	status := w.ApplyBy(subject.New(w.Connect(enginetest.Access{WithHub: true})), request).Status

	clients := w.Connect(enginetest.Access{Kubeconfig: w.Kubeconfig(), WithHub: true})
	e := subject.New(clients)
	preview, err := request.After(status).Preview(t.Context(), e)
	if err != nil || preview.Pending() {
		t.Fatalf("%+v, %v", preview, err)
	}
	// Two requests for discovery, then the UID, the records, one LIST of ConfigMaps and one GET of the ClusterRole.
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
			t.Errorf("%s: %d requests after the second preview", name, n)
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

// TestMemberWithoutConnection checks that a refresh removes a member from the status if the provider no longer has a connection to it, and reports that; the
// plan is then empty. A plan without a refresh reports it as well, and its apply removes the member. If the connection returns, the record on the cluster
// lists the objects.
func TestMemberWithoutConnection(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("unconnected", configMap("unconnected", "1"))
	w.DeleteAtEnd(request)
	status := w.Apply(request).Status

	fewer := w.restarted()
	fewer.Members = fewer.Members[:1]
	recorded, err := request.After(status).Read(t.Context(), fewer.Engine())
	if err != nil {
		t.Fatal(err)
	}
	if _, known := recorded.Status.Clusters["member-2"]; known || !slices.Equal(recorded.UnconnectedClusters, []string{"member-2"}) {
		t.Errorf("the status of a refresh has the member: %v; removed: %v", known, recorded.UnconnectedClusters)
	}
	fewer.checkIdle(request.After(recorded.Status))
	again, err := request.After(recorded.Status).Read(t.Context(), fewer.Engine())
	if err != nil || len(again.UnconnectedClusters) > 0 {
		t.Errorf("the next refresh removes %v, %v", again.UnconnectedClusters, err)
	}
	preview, err := request.After(status).Preview(t.Context(), fewer.Engine())
	if err != nil || !preview.Pending() {
		t.Fatalf("the plan is empty: %v", err)
	}
	gone := preview.Clusters[1]
	if gone.Err != nil || gone.Picked {
		t.Errorf("the member is picked: %+v", gone)
	}
	w.Contains(gone.Cause, "no longer contains the cluster", "the objects placed there remain")
	status = fewer.Apply(request.After(status)).Status
	fewer.checkComplete(status)
	if _, known := status.Clusters["member-2"]; known {
		t.Error("the member is still in the status")
	}
	fewer.checkIdle(request.After(status))

	if w.value("member-2", "unconnected") != "1" {
		t.Error("the object was deleted")
	}
	status = w.Apply(request.After(status)).Status
	w.checkComplete(status)
	if w.inventory("member-2", "unconnected")["ConfigMap unconnected"].Adopted {
		t.Error("an object that the placement created counts as pre-existing")
	}
}
