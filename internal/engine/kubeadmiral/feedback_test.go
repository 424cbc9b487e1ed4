package kubeadmiral_test

import (
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
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
