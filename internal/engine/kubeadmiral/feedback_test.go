package kubeadmiral_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// TestAnnotationBetweenReadAndDryRun checks that a plan is empty even if the control plane writes its scheduling annotations to an object after the plan has
// read the object and before the dry run.
func TestAnnotationBetweenReadAndDryRun(t *testing.T) {
	t.Parallel()
	w := onHost(t)
	request := requestOf(w, map[string]string{"a": "1"}, nil, modeOf(placement.TakeOverAlways))
	request = request.After(applied(t, w, request).Status)
	again, written := w.Another(), 0
	again.Inject(clusters.Fault{Context: w.Env.Hub, Times: 1, Match: func(r clusters.Request) bool {
		return r.DryRun && strings.HasSuffix(r.Path, "/configmaps/a")
	}, Hook: func(clusters.Request) {
		written++
		w.EditAs(w.Env.Hub, "control-plane", "", "v1 ConfigMap $ns/a", "{metadata: {annotations: {"+v1alpha1.SchedulingAnnotation+": '{\"fedGeneration\": 7}'}}}")
	}})
	if preview := previewed(t, again, request); preview.Pending() || written != 1 {
		t.Errorf("after %d writes of the control plane there is something left to do: %+v", written, preview.Clusters)
	}
}

// TestRecreationBetweenDryRunAndRead checks that a plan does not fail if another client writes an object before the dry run and recreates it after that. The
// plan then shows what the apply does to the new object.
func TestRecreationBetweenDryRunAndRead(t *testing.T) {
	t.Parallel()
	w := onHost(t)
	request := requestOf(w, map[string]string{"a": "1"}, nil, modeOf(placement.TakeOverAlways))
	request = request.After(applied(t, w, request).Status)
	again, recreated := w.Another(), 0
	again.Inject(clusters.Fault{Context: w.Env.Hub, Times: 1, Match: func(r clusters.Request) bool {
		return r.DryRun && strings.HasSuffix(r.Path, "/configmaps/a")
	}, Hook: func(clusters.Request) {
		w.EditAs(w.Env.Hub, "control-plane", "", "v1 ConfigMap $ns/a", "{metadata: {annotations: {"+v1alpha1.SchedulingAnnotation+": '{\"fedGeneration\": 7}'}}}")
	}, Then: func(clusters.Request) {
		recreated++
		if err := w.On(w.Env.Hub).Delete(w.Context(), "v1", "ConfigMap", w.Expand("$ns"), "a"); err != nil {
			t.Error(err)
		}
		w.Put(w.Env.Hub, "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: $ns}, data: {a: theirs}}")
	}})
	if preview := previewed(t, again, request); !preview.Pending() || recreated != 1 {
		t.Errorf("after %d recreations there is nothing to do: %+v", recreated, preview.Clusters)
	}
}

// TestFeedback checks that an apply waits until the control plane has written its annotation to the placed objects and has processed them again. A plan before
// that would show updates.
func TestFeedback(t *testing.T) {
	t.Parallel()
	needFake(t)
	w := onHost(t)
	request := federating(w, "nginx", placement.TakeOverAlways)
	plane.PauseFeedback(w.Name)
	var result *engine.Result
	var err error
	var apply sync.WaitGroup
	apply.Go(func() { result, err = request.Apply(w.Context(), w.Engine()) })
	w.Eventually("the placement", func() bool { return w.Find(w.Members[0], "apps/v1 Deployment $ns/my-nginx") != nil })
	time.Sleep(time.Second) // an apply that does not wait ends in this time
	plane.ResumeFeedback(w.Name)
	if apply.Wait(); err != nil || result.TimedOut {
		t.Fatalf("%+v %v", result, err)
	}
	if w.Must(w.Env.Hub, "apps/v1 Deployment $ns/my-nginx").GetAnnotations()[v1alpha1.SchedulingAnnotation] == "" {
		t.Error("the apply has ended before the control plane wrote its annotation")
	}
	if preview := previewed(t, w, request.After(result.Status)); preview.Pending() {
		t.Errorf("the next plan is not empty: %+v", preview.Clusters)
	}
}
