package direct_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestTakeOverFromRemoved checks that the taker also removes the objects from the record of a giver that no resource manages any more. Objects that it does
// not place remain, and the preview shows them. The record is removed when it has no objects left.
func TestTakeOverFromRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSplit("merge")
	s.web.TakesOverFrom[0].Removed = true
	preview, err := s.web.Preview(t.Context(), s.Engine())
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, r := range preview.Remaining {
		left = append(left, r.Cluster+" "+r.Name+" "+r.From)
	}
	want := []string{"member-1 merge-dropped " + s.bulk.Name, "member-1 merge-kept " + s.bulk.Name, "member-2 merge-dropped " + s.bulk.Name, "member-2 merge-kept " + s.bulk.Name}
	if strings.Join(left, "\n") != strings.Join(want, "\n") {
		t.Errorf("shown as remaining: %q", left)
	}
	s.web.Expected = s.digest(preview)
	s.checkComplete(s.applyWeb().Status)
	s.checkSurvival("after the merge")
	for _, cluster := range s.Members {
		if got := keys(s.inventory(cluster, "merge-bulk")); strings.Join(got, " ") != "ConfigMap merge-dropped ConfigMap merge-kept" {
			t.Errorf("%s: bulk has %v", cluster, got)
		}
		if e := s.inventory(cluster, "merge-web")["ConfigMap merge-moved"]; e.UID == "" || e.Adopted {
			t.Errorf("%s: the inventory of web has %+v for an object that bulk created", cluster, e)
		}
	}
	s.web.Expected = nil
	s.checkIdle(s.web)

	s.web.Manifests = s.Manifests(configMap("merge-moved", "2"), configMap("merge-old", "1"), configMap("merge-new", "1"), configMap("merge-kept", "1"), configMap("merge-dropped", "1"))
	s.web.Expected = s.expect(s.web)
	s.checkComplete(s.applyWeb().Status)
	s.checkSurvival("after all of it is taken over")
	for _, cluster := range s.Members {
		if s.inventory(cluster, "merge-bulk") != nil || s.Find(cluster, record("Secret", "merge-bulk")) != nil {
			t.Errorf("%s: the record of bulk remains", cluster)
		}
	}
	s.web.Expected = nil
	s.checkIdle(s.web)
	s.web.TakesOverFrom = nil
	s.checkIdle(s.web)
	s.Delete(s.web)
	for _, cluster := range s.Members {
		if s.value(cluster, "merge-kept") != "absent" || s.value(cluster, "merge-moved") != "absent" || s.value(cluster, "merge-old") != "1" {
			t.Errorf("%s: the removal of web does not delete exactly the created objects", cluster)
		}
	}
}

// TestForgedRecordGivesNothing checks that nothing is taken over from a record that was edited: the plan of the giver, which has the key, returns an error.
func TestForgedRecordGivesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSplit("forged")
	plant(w, "member-2", "forged-bulk", objectsText, func(entries *[]map[string]any) {
		for _, e := range *entries {
			delete(e, "adopted") // so that the removal of web would delete a pre-existing object
		}
	})
	web, err := s.web.Preview(t.Context(), s.Engine())
	if err != nil {
		t.Fatal(err)
	}
	s.bulk.Takers = s.takers(web)
	var unconfirmed *engine.UnconfirmedError
	if _, err := s.bulk.Preview(t.Context(), s.Engine()); !errors.As(err, &unconfirmed) || unconfirmed.Cluster != "member-2" {
		t.Errorf("the plan of bulk: %v", err)
	} else {
		w.Contains(err.Error(), `placement "`+s.web.Name, "member-2", "signature", "forged-moved", "forged-old")
	}
	if _, err := s.bulk.PreviewDelete(t.Context(), s.Engine()); !errors.As(err, &unconfirmed) {
		t.Errorf("the plan of the removal of bulk: %v", err)
	}
}

// TestRecordForgedSincePlan checks that an apply does not take over an object whose entry in the giver's record was edited after the plan. It takes over the
// others.
func TestRecordForgedSincePlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSplit("since")
	s.plan()
	plant(w, "member-2", "since-bulk", objectsText, func(entries *[]map[string]any) {
		for _, e := range *entries {
			delete(e, "adopted")
		}
	})
	result := s.applyWeb()
	w.Contains(failures(result.Status, "member-2")["since-old"], "plan")
	if failures(result.Status, "member-2")["since-moved"] != "" || len(failures(result.Status, "member-1")) > 0 {
		t.Errorf("%v", result.Status)
	}
	if _, found := s.inventory("member-2", "since-web")["ConfigMap since-old"]; found {
		t.Error("web has taken over an object by a forged record")
	}
	s.checkSurvival("after the apply")
}

// TestCopyIsNotHandedOver checks that a recreated object, or a copy with the giver's label, does not belong to the giver and is not handed over.
func TestCopyIsNotHandedOver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSplit("copies")
	recreated := w.Must("member-1", "v1 ConfigMap copies-moved")
	w.Remove("member-1", "v1 ConfigMap copies-moved")
	recreated.SetResourceVersion("")
	if _, err := w.On("member-1").Add(t.Context(), recreated, false); err != nil {
		t.Fatal(err)
	}
	copied := w.Must("member-2", "v1 ConfigMap copies-kept")
	copied.SetResourceVersion("")
	copied.SetName("copies-new")
	if _, err := w.On("member-2").Add(t.Context(), copied, false); err != nil {
		t.Fatal(err)
	}
	web, _ := s.plan()
	if got := s.actions(web, "member-1")["moved"]; got != takeover.ActionLeaveAlone {
		t.Errorf("a recreated object is %s", got)
	}
	if got := s.actions(web, "member-2")["new"]; got != takeover.ActionLeaveAlone {
		t.Errorf("a copy is %s", got)
	}
}

// TestNamespaceOfHandedOver checks that a Namespace is not deleted while objects in it are handed over, whichever placement has the Namespace.
func TestNamespaceOfHandedOver(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	for _, side := range []string{"stays", "moves", "dropped"} {
		w := newWorld(t)
		namespace := "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-" + side + "}}"
		inside := func(name, value string) string {
			return "{apiVersion: v1, kind: ConfigMap, metadata: {name: " + name + ", namespace: $ns-" + side + "}, data: {value: \"" + value + "\"}}"
		}
		s := &split{world: w, name: side}
		s.bulk, s.web = withIdentity(w.newRequest(side+"-bulk", namespace, inside("moved", "1"), inside("kept", "1")), "1"), withIdentity(w.newRequest(side+"-web", inside("moved", "2")), "2")
		s.web.TakesOverFrom = []engine.Giver{{Name: s.bulk.Name}}
		s.bulk.Spec.Strategy = &placement.Strategy{DeleteStrategy: &placement.DeleteStrategy{Contents: placement.TakeContents}}
		w.DeleteAtEnd(s.bulk)
		w.DeleteAtEnd(s.web)
		s.bulk = s.bulk.After(w.ApplyBy(w.Past(), s.bulk).Status)
		uid := w.Must("member-1", "v1 ConfigMap $ns-"+side+"/moved").GetUID()
		switch side {
		case "stays":
			s.bulk.Manifests = w.Manifests(namespace, inside("kept", "1"))
		case "moves":
			s.web.Manifests = w.Manifests(namespace, inside("moved", "2"))
			s.bulk.Manifests = w.Manifests(inside("kept", "1"))
		case "dropped":
			s.bulk.Manifests = w.Manifests(inside("kept", "1"))
		}
		s.run()
		s.checkSettled()
		// Remove the placement with the Namespace while the other one has an object in it.
		s.web.Expected, s.bulk.Expected, s.bulk.Takers = nil, nil, nil
		if side == "moves" {
			w.Delete(s.web)
			if u := w.Find("member-1", "v1 ConfigMap $ns-"+side+"/kept"); u == nil || u.GetDeletionTimestamp() != nil {
				t.Errorf("%s: the removal of web deletes the object of bulk in the Namespace", side)
			}
			continue
		}
		w.Delete(s.bulk)
		if u := w.Find("member-1", "v1 ConfigMap $ns-"+side+"/moved"); u == nil || u.GetUID() != uid || u.GetDeletionTimestamp() != nil {
			t.Errorf("%s: the removal of bulk deletes the object of web in the Namespace", side)
		}
	}
}

// TestHandOverOfACluster checks that the objects remain on a cluster if one placement no longer picks the cluster and another placement takes the objects over
// there.
func TestHandOverOfACluster(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fixed := func(names ...string) *placement.Policy {
		return &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: names}
	}
	s := &split{world: w, name: "cluster"}
	s.bulk, s.web = withIdentity(w.newRequest("cluster-bulk", configMap("cluster-kept", "1")), "1"), withIdentity(w.newRequest("cluster-web", configMap("cluster-kept", "1")), "2")
	s.bulk.Spec.Policy, s.web.Spec.Policy = fixed("member-1", "member-2"), fixed("member-2")
	s.web.TakesOverFrom = []engine.Giver{{Name: s.bulk.Name}}
	w.DeleteAtEnd(s.bulk)
	w.DeleteAtEnd(s.web)
	s.bulk = s.bulk.After(w.ApplyBy(w.Past(), s.bulk).Status)
	s.bulk.Spec.Policy = fixed("member-1")
	s.uids = s.liveUIDs()
	s.run()
	s.checkSurvival("after the move")
	if got := s.inventory("member-2", "cluster-web")["ConfigMap cluster-kept"]; got.UID == "" || got.Adopted || s.inventory("member-2", "cluster-bulk") != nil {
		t.Errorf("web has %+v, bulk %v", got, s.inventory("member-2", "cluster-bulk"))
	}
	s.checkSettled()
}

// TestHandOverOfWhatWasNotChecked checks that objects that the taker could not check or preview stay with the giver, and are not deleted.
func TestHandOverOfWhatWasNotChecked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.newSplit("unseen")
	undo := w.Inject(clusters.Fault{Context: "member-2", Refuse: true})
	web, err := s.web.Preview(t.Context(), s.Engine())
	undo()
	if err != nil {
		t.Fatal(err)
	}
	s.bulk.Takers = s.takers(web)
	bulk, err := s.bulk.Preview(t.Context(), s.Engine())
	if err != nil {
		t.Fatal(err)
	}
	if got := s.actions(bulk, "member-2"); got["moved"] != takeover.ActionHandOver || got["dropped"] != takeover.ActionPrune {
		t.Errorf("member-2: %v", got)
	}
	for _, o := range bulk.Clusters[1].Objects {
		if o.Name == "unseen-moved" {
			w.Contains(o.Problem, s.web.Name, "could not check the cluster")
		}
	}
	s.bulk.Takers = engine.Takers{engine.NewTaker(s.web.Name, engine.Giver{Name: s.bulk.Name}, nil)}
	if bulk, err = s.bulk.Preview(t.Context(), s.Engine()); err != nil {
		t.Fatal(err)
	}
	for _, cluster := range s.Members {
		if got := s.actions(bulk, cluster); got["moved"] != takeover.ActionHandOver || got["dropped"] != takeover.ActionHandOver {
			t.Errorf("%s: %v", cluster, got)
		}
	}
	s.bulk.Expected = s.digest(bulk)
	s.applyBulk()
	s.checkSurvival("after the apply of bulk")
	if s.value("member-1", "unseen-dropped") != "1" {
		t.Error("an object is deleted that another placement may take over")
	}
	s.run()
	s.checkDone()
}

// TestMissingGiver checks that the preview names a giver without a record on any cluster.
func TestMissingGiver(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := withIdentity(w.newRequest("giverless", configMap("giverless", "1")), "id")
	request.TakesOverFrom = []engine.Giver{{Name: "missing"}}
	preview, err := request.Preview(t.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(preview.MissingGivers, []string{"missing"}) {
		t.Errorf("the missing givers are %q", preview.MissingGivers)
	}
}
