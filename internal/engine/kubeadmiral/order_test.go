package kubeadmiral_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// preferringLabel returns a PickN policy that prefers clusters with a label.
func preferringLabel(number int32, label, value string) *placement.Policy {
	return &placement.Policy{
		PlacementType: placement.PickN, NumberOfClusters: &number, Affinity: &placement.Affinity{ClusterAffinity: &placement.ClusterAffinity{
			Preferred: []placement.PreferredClusterSelector{{Weight: 100, Preference: placement.ClusterSelectorTerm{
				LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{label: value}},
			}}},
		}},
	}
}

func modeOf(when placement.WhenToTakeOver) placement.Strategy {
	return placement.Strategy{ApplyStrategy: &placement.ApplyStrategy{WhenToTakeOver: when}}
}

const foreign = "{apiVersion: v1, kind: ConfigMap, metadata: {name: %s, namespace: $ns}, data: {value: theirs}}"

// onHost returns a world whose namespace is on the host.
func onHost(t *testing.T) *enginetest.World {
	t.Helper()
	w := fleet.World(t, 3)
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	return w
}

// If the number of clusters and the preferred clusters change together, the scheduler never uses the new number with the old preference.
func TestNumberAndPreference(t *testing.T) {
	t.Parallel()
	w := onHost(t)
	w.Put(w.Members[0], fmt.Sprintf(foreign, "a"))
	values := map[string]string{"a": "1"}
	request := next(t, w, requestOf(w, values, preferringLabel(1, "environment", "staging"), modeOf(placement.TakeOverAlways)), values)
	changed := requestOf(w, values, preferringLabel(2, "critical-level", "2"), modeOf(placement.TakeOverAlways))
	changed.Again, changed.Prior = true, request.Prior
	next(t, w, changed, values)
	w.Must(w.Members[1], "v1 ConfigMap $ns/a")
}

// TestClusterModeAndContent checks a change that adds a cluster and changes the mode and the content: the cluster never receives the old content, and no
// object on it is taken over in the old mode.
func TestClusterModeAndContent(t *testing.T) {
	t.Parallel()
	w := onHost(t)
	w.Put(w.Members[1], fmt.Sprintf(foreign, "a"))
	fixed := func(members ...string) *placement.Policy {
		return &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: members}
	}
	values := map[string]string{"a": "1", "b": "1", "c": "1"}
	request := next(t, w, requestOf(w, values, fixed(w.Members[0]), modeOf(placement.TakeOverAlways)), values)
	values = map[string]string{"a": "2", "b": "2", "d": "2"}
	changed := requestOf(w, values, fixed(w.Members[0], w.Members[1]), modeOf(placement.TakeOverNever))
	changed.Again, changed.Prior = true, request.Prior
	next(t, w, changed, values)
}

// An apply that is killed after any write has changed only objects that its plan shows. The next apply completes the change.
func TestKilledAfterEveryWrite(t *testing.T) {
	t.Parallel()
	for write := 1; write <= 10; write++ {
		if testing.Short() && write != 2 {
			continue
		}
		t.Run(fmt.Sprint(write), func(t *testing.T) {
			t.Parallel()
			w := onHost(t)
			w.Put(w.Members[0], fmt.Sprintf(foreign, "a"))
			values := map[string]string{"a": "1", "b": "1"}
			request := next(t, w, requestOf(w, values, preferringLabel(1, "environment", "staging"), modeOf(placement.TakeOverAlways)), values)
			values = map[string]string{"a": "2", "c": "2"}
			changed := requestOf(w, values, preferringLabel(2, "critical-level", "2"), modeOf(placement.TakeOverAlways))
			changed.Again, changed.Prior = true, request.Prior
			preview := previewed(t, w, changed)
			changed.Expected = engine.Expect(preview)
			killed := w.Another()
			ctx, kill := context.WithCancel(w.Context())
			defer kill()
			watched := watch(killed, preview, values)
			watched.After = func(n int) {
				if n == write {
					kill()
				}
			}
			_, err := changed.Apply(ctx, killed.Engine())
			watched.Stop()
			t.Logf("killed after write %d of %d: %v", write, watched.Writes(), err)
			last := next(t, w, changed, values)
			if again := previewed(t, w, last); again.Pending() {
				t.Errorf("there is something left to do: %+v", again.Clusters)
			}
			w.Must(w.Members[1], "v1 ConfigMap $ns/c")
			w.Delete(last)
		})
	}
}

// TestControlPlaneDoesNothing checks that an apply reports that the controller manager does not run, and reports no change as made. Scheduling remains
// suspended, and the next apply continues.
func TestControlPlaneDoesNothing(t *testing.T) {
	t.Parallel()
	needFake(t)
	w := onHost(t)
	idle := func(request enginetest.Request) {
		t.Helper()
		plane.PauseNamespace(w.Name)
		defer plane.ResumeNamespace(w.Name)
		ctx, cancel := context.WithCancel(w.Context())
		defer cancel()
		again := w.Another()
		var wrote atomic.Bool
		var reads atomic.Int32
		again.Inject(clusters.Fault{Context: w.Env.Hub, Match: func(r clusters.Request) bool {
			if r.Write() {
				wrote.Store(true)
			}
			return wrote.Load() && strings.HasSuffix(r.Path, "/federatedobjects")
		}, Hook: func(clusters.Request) {
			if reads.Add(1) > 5 { // the control plane has not observed the writes
				cancel()
			}
		}})
		result, err := request.Apply(ctx, again.Engine())
		if err != nil || !result.TimedOut {
			t.Fatalf("%+v %v", result, err)
		}
		for _, o := range result.Objects {
			if o.Failure == nil {
				t.Errorf("counts as done: %+v", o)
			}
		}
		if said := strings.Join(result.Warnings, "\n"); !strings.Contains(said, `host cluster "`+w.Env.Hub+`" has done nothing`) {
			t.Errorf("it says %q", said)
		}
	}
	values := map[string]string{"a": "1", "b": "1"}
	first := requestOf(w, values, preferringLabel(1, "environment", "staging"), modeOf(placement.TakeOverAlways))
	idle(first)
	first.Again = true
	result := applied(t, w, first)
	done := 0
	for _, o := range result.Objects {
		if o.Failure == nil {
			done++
		}
	}
	if done != 2 {
		t.Errorf("%d are done of 2: %+v", done, result.Objects)
	}
	values = map[string]string{"a": "2", "c": "2"}
	changed := requestOf(w, values, preferringLabel(2, "critical-level", "2"), modeOf(placement.TakeOverAlways))
	changed.Again, changed.Prior = true, &result.Status
	idle(changed)
	policy, err := codec.Decode[v1alpha1.ClusterPropagationPolicy](w.Must(w.Env.Hub, v1alpha1.GroupVersion.String()+" ClusterPropagationPolicy "+changed.Name))
	if err != nil || !convert.IsSuspended(policy.Spec) {
		t.Errorf("%+v %v", policy, err)
	}
	unfinished := previewed(t, w, changed)
	if !unfinished.Pending() || len(unfinished.Dangers) == 0 || !strings.Contains(unfinished.Dangers[0].Message, "An earlier apply did not complete") {
		t.Errorf("the next plan does not say that scheduling is suspended: %+v", unfinished)
	}
	last := next(t, w, changed, values)
	if again := previewed(t, w, last); again.Pending() {
		t.Errorf("there is something left to do: %+v", again.Clusters)
	}
}

// TestChangeThatIsNotObserved checks that a plan shows a change of the host that the control plane has not observed: one of an earlier apply that
// timed out.
func TestChangeThatIsNotObserved(t *testing.T) {
	t.Parallel()
	needFake(t)
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	request := federating(w, "nginx", placement.TakeOverAlways)
	written := applied(t, w, request)
	plane.PauseNamespace(w.Name)
	w.Edit(w.Env.Hub, "apps/v1 Deployment $ns/my-nginx", "{spec: {template: {spec: {containers: [{name: my-nginx, image: httpd, ports: [{containerPort: 80}]}]}}}}")
	changed := federating(w, "httpd", placement.TakeOverAlways)
	changed.Again, changed.Prior = true, &written.Status
	preview := previewed(t, w, changed)
	if action := actions(preview)[w.Members[0]+" Deployment my-nginx"]; action != takeover.ActionUpdate || !preview.Pending() {
		t.Errorf("the plan shows %s, pending: %t: %+v", action, preview.Pending(), preview.Clusters)
	}
	plane.ResumeNamespace(w.Name)
	result := applied(t, w, changed)
	if again := previewed(t, w, changed.After(result.Status)); again.Pending() {
		t.Errorf("the next plan is not empty: %+v", again.Clusters)
	}
}

// If another client removes the label of the policy from an object, the next apply restores it. Annotations that the provider has written earlier do not
// cause an error.
func TestLabelTakenOff(t *testing.T) {
	t.Parallel()
	w := onHost(t)
	values := map[string]string{"a": "1"}
	request := next(t, w, requestOf(w, values, preferringLabel(1, "environment", "staging"), modeOf(placement.TakeOverAlways)), values)
	w.Edit(w.Env.Hub, "v1 ConfigMap $ns/a", "{metadata: {labels: {"+v1alpha1.ClusterPolicyLabel+": null}}}")
	w.AwaitGone(w.Members[2], "v1 ConfigMap $ns/a")
	last := next(t, w, request, values)
	w.Must(w.Members[2], "v1 ConfigMap $ns/a")
	w.Delete(last)
}

// A destroy after another client has removed the label of the policy deletes the object on the host, and the policy.
func TestDestroyWithLabelTakenOff(t *testing.T) {
	t.Parallel()
	w := onHost(t)
	w.Put(w.Members[0], fmt.Sprintf(foreign, "a"))
	values := map[string]string{"a": "1", "b": "1"}
	request := next(t, w, requestOf(w, values, nil, modeOf(placement.TakeOverAlways)), values)
	w.Edit(w.Env.Hub, "v1 ConfigMap $ns/b", "{metadata: {labels: {"+v1alpha1.ClusterPolicyLabel+": null}}}")
	for _, member := range w.Members {
		w.AwaitGone(member, "v1 ConfigMap $ns/b")
	}
	request.ExpectedRemoval = engine.Expect(previewedRemoval(t, w, request))
	w.Delete(request)
	gone(t, w, "v1 ConfigMap $ns/b", everywhere(w)...)
	gone(t, w, "v1 ConfigMap $ns/a", w.Env.Hub, w.Members[1], w.Members[2])
	wantPresent(t, w, "v1 ConfigMap $ns/a", w.Members[0])
	gone(t, w, v1alpha1.GroupVersion.String()+" ClusterPropagationPolicy $ns", w.Env.Hub)
}

// TestPlanAfterChangedPolicy checks that the plan immediately after an apply that changes only the policy is empty, and that the status is complete, because
// the scheduler changes nothing after the last write of the policy.
func TestPlanAfterChangedPolicy(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := onHost(t)
	values := map[string]string{"a": "1", "b": "1"}
	request := requestOf(w, values, preferringLabel(1, "environment", "staging"), modeOf(placement.TakeOverAlways))
	request = request.After(applied(t, w, request).Status)
	for _, policy := range []*placement.Policy{
		preferringLabel(2, "critical-level", "2"), {PlacementType: placement.PickN, NumberOfClusters: new(int32(3))}, preferringLabel(1, "environment", "staging"),
	} {
		request.Spec.Policy = policy
		request = request.After(applied(t, w, request).Status)
		if preview := previewed(t, w, request); preview.Pending() {
			t.Errorf("%s: a second apply would do something: %+v", enginetest.DescribePolicy(policy), preview.Clusters)
		}
		read, err := request.Read(w.Context(), w.Engine())
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range read.Status.Clusters {
			if c.Phase() != request.Prior.Clusters[name].Phase() || len(c.FailedPlacements) > 0 {
				t.Errorf("%s: a refresh reads %s of %s, and the apply has read %s", enginetest.DescribePolicy(policy), c.Phase(), name, request.Prior.Clusters[name].Phase())
			}
		}
	}
	w.Delete(request)
}

// The result of an apply names the objects that were taken over, and those that were created.
func TestResultNamesTakeovers(t *testing.T) {
	t.Parallel()
	w := onHost(t)
	w.Put(w.Members[1], fmt.Sprintf(foreign, "a"))
	request := requestOf(w, map[string]string{"a": "1"}, nil, modeOf(placement.TakeOverAlways))
	done := map[string]takeover.Action{}
	for _, o := range applied(t, w, request).Objects {
		if o.Failure == nil && o.Name == "a" {
			done[o.Cluster] = o.Action
		}
	}
	want := map[string]takeover.Action{w.Members[0]: takeover.ActionCreate, w.Members[1]: takeover.ActionTakeOver, w.Members[2]: takeover.ActionCreate}
	if diff := cmp.Diff(want, done); diff != "" {
		t.Error(diff)
	}
}

// TestUnreadableWhileSuspended checks that an apply ends if it cannot read the host any more while scheduling is suspended, and that the next apply completes
// the change.
func TestUnreadableWhileSuspended(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := onHost(t)
	values := map[string]string{"a": "1"}
	request := next(t, w, requestOf(w, values, &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: w.Members[:1]}, modeOf(placement.TakeOverNever)), values)
	values["a"] = "2"
	changed := requestOf(w, values, &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: w.Members[:2]}, modeOf(placement.TakeOverNever))
	changed.Again, changed.Prior = true, request.Prior
	var suspended atomic.Bool
	undo := w.Inject(clusters.Fault{Context: w.Env.Hub, Status: http.StatusForbidden, Match: func(r clusters.Request) bool {
		if r.Method != http.MethodGet && strings.Contains(r.Path, "/clusterpropagationpolicies") {
			suspended.Store(true)
		}
		return suspended.Load() && r.Method == http.MethodGet && strings.HasSuffix(r.Path, "/federatedobjects")
	}})
	result, err := changed.Apply(w.Context(), w.Engine())
	undo()
	if err == nil || !strings.Contains(err.Error(), "scheduling of the placement is suspended on the host") || result == nil || result.TimedOut {
		t.Errorf("%+v, %v", result, err)
	}
	if w.Find(w.Members[1], "v1 ConfigMap $ns/a") != nil {
		t.Error("the host has scheduled meanwhile")
	}
	next(t, w, changed, values)
	w.Must(w.Members[1], "v1 ConfigMap $ns/a")
}
