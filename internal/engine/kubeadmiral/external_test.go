package kubeadmiral_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/dispatch"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestExternalPolicyKept checks that applies after an import keep the fields of an external policy that a placement cannot express, even if they change its
// clusters: for example, the policy still schedules followers.
func TestExternalPolicyKept(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 3)
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	const policy = "core.kubeadmiral.io/v1alpha1 ClusterPropagationPolicy $ns"
	putFederated(w, `{apiVersion: core.kubeadmiral.io/v1alpha1, kind: ClusterPropagationPolicy, metadata: {name: $ns}, spec: {schedulingMode: Duplicate,
  clusterSelector: {environment: production}, maxClusters: 1, reschedulePolicy: {rescheduleWhen: {policyContentChanged: false}}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: $ns, labels: {kubeadmiral.io/cluster-propagation-policy-name: $ns}}, data: {value: "1"}}`)
	spec := func() map[string]any {
		out, _, _ := unstructured.NestedMap(w.Must(w.Env.Hub, policy).Object, "spec")
		return out
	}
	before := spec()
	request := enginetest.Request{Name: w.Name, Again: true}
	read, err := request.Read(w.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	w.Contains(read.Warning, "Applies keep them unchanged: disableFollowerScheduling, reschedulePolicy")
	request.Spec, request.Prior = read.Spec, &read.Status
	w.Eventually("the host has placed it", func() bool { return w.Find(w.Members[0], "v1 ConfigMap $ns/a") != nil })
	if preview := previewed(t, w, request); preview.Pending() {
		t.Errorf("the plan after the import is not empty: %+v", preview)
	}
	unmarked := w.Must(w.Env.Hub, "v1 ConfigMap $ns/a")
	request = request.After(applied(t, w, request).Status)
	if now := w.Must(w.Env.Hub, "v1 ConfigMap $ns/a"); !maps.Equal(now.GetLabels(), unmarked.GetLabels()) || convert.KeysIn(now).Annotations["kubeadmiral.io/orphan"] != "" {
		t.Errorf("an apply without a change has changed the object: %v %v", now.GetLabels(), now.GetAnnotations())
	}
	if diff := cmp.Diff(before, spec()); diff != "" {
		t.Errorf("an apply without a change has changed the policy: %s", diff)
	}
	again, err := request.Read(w.Context(), w.Engine())
	if diff := cmp.Diff(request.Spec.Policy, again.Spec.Policy); diff != "" || err != nil {
		t.Errorf("it is read back as another one: %s %v", diff, err)
	}
	request.Spec.Policy = &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: w.Members[:2]}
	request = request.After(applied(t, w, request).Status)
	w.Must(w.Members[1], "v1 ConfigMap $ns/a")
	want := maps.Clone(before)
	delete(want, "clusterSelector")
	delete(want, "maxClusters")
	want["placement"] = []any{map[string]any{"cluster": w.Members[0]}, map[string]any{"cluster": w.Members[1]}}
	want["tolerations"] = []any{map[string]any{"operator": "Exists"}}
	if diff := cmp.Diff(want, spec()); diff != "" {
		t.Errorf("a change of the clusters has changed other fields of the policy: %s", diff)
	}
	if preview := previewed(t, w, request); preview.Pending() {
		t.Errorf("a second apply would do something: %+v", preview)
	}
}

// TestUnmarked checks objects of an external policy, which have no orphan annotation. An apply adds the annotation if the object was taken over on a member,
// or if a member cannot be checked, and the plan says why.
func TestUnmarked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		members     int
		taken       bool
		annotations string
		why         string
	}{
		"taken over":           {members: 3, taken: true, annotations: `{kubeadmiral.io/conflict-resolution: adopt, kubeadmiral.io/clusters-to-adopt: '{"clusters":["member-1"]}'}`, why: `it was taken over on "member-1"`},
		"an unchecked cluster": {members: 1, annotations: "{}", why: `it could not be checked on "member-2"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := fleet.World(t, c.members)
			w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
			if c.taken {
				w.Put(w.Members[0], fmt.Sprintf(foreign, "a"))
			}
			putFederated(w, `{apiVersion: core.kubeadmiral.io/v1alpha1, kind: ClusterPropagationPolicy, metadata: {name: $ns}, spec: {schedulingMode: Duplicate,
  placement: [{cluster: member-1}, {cluster: member-2}]}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: $ns, labels: {kubeadmiral.io/cluster-propagation-policy-name: $ns}, annotations: `+c.annotations+`}, data: {value: "1"}}`)
			w.Eventually("the host has placed it", func() bool {
				live := w.Find(w.Members[0], "v1 ConfigMap $ns/a")
				return live != nil && dispatch.Managed(live)
			})
			request := enginetest.Request{Name: w.Name, Again: true}
			read, err := request.Read(w.Context(), w.Engine())
			if err != nil {
				t.Fatal(err)
			}
			request.Spec, request.Prior = read.Spec, &read.Status
			preview := previewed(t, w, request)
			if !preview.Pending() || len(preview.Dangers) != 1 {
				t.Fatalf("%+v", preview)
			}
			w.Contains(preview.Dangers[0].Message, "adds the annotation kubeadmiral.io/orphan=adopted", w.Expand("ConfigMap $ns/a: "+c.why))
			request = request.After(applied(t, w, request).Status)
			if got := w.Must(w.Env.Hub, "v1 ConfigMap $ns/a").GetAnnotations()["kubeadmiral.io/orphan"]; got != "adopted" {
				t.Errorf("the annotation is %q", got)
			}
			if preview := previewed(t, w, request); preview.Pending() || len(preview.Dangers) > 0 {
				t.Errorf("a second apply would do something: %+v", preview)
			}
		})
	}
}

// TestDeletedOnHost checks that an object of a manifest that is being deleted on the host is created again afterwards. The plan shows this, and the objects
// that remain on the members.
func TestDeletedOnHost(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	needFake(t)
	w := onHost(t)
	w.Put(w.Members[0], fmt.Sprintf(foreign, "a"))
	request := requestOf(w, map[string]string{"a": "1"}, nil, modeOf(placement.TakeOverAlways))
	request = request.After(applied(t, w, request).Status)
	plane.PauseNamespace(w.Name)
	w.Remove(w.Env.Hub, "v1 ConfigMap $ns/a")
	if w.Must(w.Env.Hub, "v1 ConfigMap $ns/a").GetDeletionTimestamp() == nil {
		t.Fatal("the control plane does not hold it")
	}
	for mode, taken := range map[placement.WhenToTakeOver]takeover.Action{
		placement.TakeOverAlways: takeover.ActionTakeOver, placement.TakeOverNever: takeover.ActionLeaveAlone,
	} {
		changed := request
		changed.Spec.Strategy = new(modeOf(mode))
		preview := previewed(t, w, changed)
		for member, want := range map[string]takeover.Action{w.Members[0]: taken, w.Members[1]: takeover.ActionCreate} {
			if o := object(t, preview, member, "ConfigMap", "a"); o.Action != want {
				t.Errorf("%s, %s: %+v", mode, member, o)
			}
		}
		if len(preview.Dangers) != 1 || !preview.Pending() {
			t.Fatalf("%s: %+v", mode, preview)
		}
		w.Contains(preview.Dangers[0].Message, w.Expand("in progress: ConfigMap $ns/a."), "then creates them again")
	}
	released := false
	again := w.Another()
	release := func() {
		if !released {
			released = true
			plane.ResumeNamespace(w.Name)
		}
	}
	defer release()
	request.Spec.Strategy.ApplyStrategy.WhenToTakeOver = placement.TakeOverNever
	done := make(chan error, 1)
	go func() {
		_, err := request.Apply(w.Context(), again.Engine())
		done <- err
	}()
	w.Eventually("the apply reads the object", func() bool { return len(again.Requests()) > 0 })
	release()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for _, member := range w.Members {
		w.Must(member, "v1 ConfigMap $ns/a")
	}
	w.Must(w.Env.Hub, "v1 ConfigMap $ns/a")
}
