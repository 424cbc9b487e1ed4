package memberpreview_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// workload returns a workload of the group apps, with a Pod label and additional fields of its spec.
func (w *world) workload(kind, name, ofPods, more string) *unstructured.Unstructured {
	w.t.Helper()
	return w.parse(fmt.Sprintf(`
apiVersion: apps/v1
kind: %s
metadata: {name: %s, namespace: default}
spec:
  selector: {matchLabels: {app: %s}}
  template:
    metadata: {labels: {app: %s, of-pods: %q}}
    spec: {containers: [{name: app, image: nginx}]}
%s`, kind, name, name, name, ofPods, more))
}

// TestPreviewOfRestarts checks that a preview shows which writes restart Pods, without additional dry runs. It shows nothing for an object that is not written.
func TestPreviewOfRestarts(t *testing.T) {
	w := newWorld(t)
	const partition = "  replicas: 2\n  updateStrategy: {rollingUpdate: {partition: "
	const onDelete = "  updateStrategy: {type: OnDelete}\n"
	w.putOwned("web", w.workload("Deployment", "updated", "1", ""))
	w.put(w.workload("Deployment", "equal", "1", ""))
	w.put(w.workload("Deployment", "kept", "1", ""))
	w.put(w.workload("Deployment", "rolled-out", "1", ""))
	w.put(w.workload("Deployment", "paused", "1", "  paused: true\n"))
	w.put(w.workload("Deployment", "resumed", "1", "  paused: true\n"))
	w.put(w.workload("StatefulSet", "set", "1", ""))
	w.put(w.workload("StatefulSet", "set-in-part", "1", partition+"1}}\n"))
	w.put(w.workload("StatefulSet", "set-held", "1", partition+"2}}\n"))
	w.put(w.workload("DaemonSet", "daemon", "1", ""))
	w.put(w.workload("DaemonSet", "on-delete", "1", onDelete))
	w.put(w.workload("ReplicaSet", "replicas", "1", ""))
	w.put(w.configMap("data", "1"))
	contents := []*unstructured.Unstructured{
		w.workload("Deployment", "updated", "2", ""),
		w.workload("Deployment", "equal", "1", ""),
		w.workload("Deployment", "kept", "1", "  revisionHistoryLimit: 5\n"),
		w.workload("Deployment", "rolled-out", "2", ""),
		w.workload("Deployment", "paused", "2", ""),
		w.workload("Deployment", "resumed", "2", "  paused: false\n"),
		w.workload("Deployment", "created", "1", ""),
		w.workload("StatefulSet", "set", "2", ""),
		w.workload("StatefulSet", "set-in-part", "2", ""),
		w.workload("StatefulSet", "set-held", "2", ""),
		w.workload("DaemonSet", "daemon", "2", ""),
		w.workload("DaemonSet", "on-delete", "2", ""),
		w.workload("ReplicaSet", "replicas", "2", ""),
		w.configMap("data", "2"),
	}
	wantAlways := map[string]string{
		"updated": "update rollout", "equal": "take_over none", "kept": "take_over none", "rolled-out": "take_over rollout",
		"paused": "take_over once_resumed", "resumed": "take_over rollout", "created": "create", "set": "take_over rollout",
		"set-in-part": "take_over rollout_in_part", "set-held": "take_over below_partition", "daemon": "take_over rollout",
		"on-delete": "take_over on_deletion", "replicas": "take_over", "data": "take_over",
	}
	wantUnchanged := map[string]string{
		"updated": "update rollout", "equal": "take_over none", "kept": "leave_alone", "rolled-out": "leave_alone", "paused": "leave_alone",
		"resumed": "leave_alone", "created": "create", "set": "leave_alone",
		"set-in-part": "leave_alone", "set-held": "leave_alone", "daemon": "leave_alone", "on-delete": "leave_alone", "replicas": "leave_alone",
		"data": "leave_alone",
	}
	wantReadOnly := map[string]string{}
	for name, is := range wantAlways {
		wantReadOnly[name] = is
	}
	for _, name := range []string{"kept", "paused", "resumed", "on-delete", "set-held"} {
		wantReadOnly[name] = "take_over unknown" // only the API server knows this
	}
	for name, c := range map[string]struct {
		context  string
		takeOver placement.WhenToTakeOver
		want     map[string]string
		dryRuns  int
	}{
		// One for each object that is created or differs, and a second one for the object that the engine itself has created; see
		// [kube.Cluster.ApplyServerSide].
		"Always":    {env.Members[0], placement.TakeOverAlways, wantAlways, len(contents)},
		"IfNoDiff":  {env.Members[0], placement.TakeOverIfNoDiff, wantUnchanged, len(contents)},
		"read only": {clusters.Readonly(env.Members[0]), placement.TakeOverAlways, wantReadOnly, 0},
	} {
		t.Run(name, func(t *testing.T) {
			w.Reset()
			before := w.versions(contents)
			preview, err := w.engine(c.context).preview(t.Context(), applyStrategy(func(s *placement.ApplyStrategy) { s.WhenToTakeOver = c.takeOver }), nil, contents...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, restarts(preview)); diff != "" {
				t.Error(diff)
			}
			// The preview repeats the dry run of an object that its controller has changed in the meantime.
			changed := 0
			for name, version := range w.versions(contents) {
				if version != before[name] {
					changed++
				}
			}
			if n := len(w.dryRuns()); n < c.dryRuns || n > c.dryRuns+changed {
				t.Errorf("%d dry runs, want %d, and one for each of %d objects that have changed", n, c.dryRuns, changed)
			}
		})
	}
}

// versions returns the resource versions of the objects that exist, by name.
func (w *world) versions(objects []*unstructured.Unstructured) map[string]string {
	w.t.Helper()
	out := map[string]string{}
	for _, o := range objects {
		live, err := w.direct.Get(w.t.Context(), o.GroupVersionKind(), o.GetNamespace(), o.GetName())
		if kube.IsNotFound(err) {
			continue
		}
		if err != nil {
			w.t.Fatal(err)
		}
		out[o.GetName()] = live.GetResourceVersion()
	}
	return out
}

// restarts returns the action and the restart of each object of a preview, by name.
func restarts(preview engine.ClusterPreview) map[string]string {
	out := map[string]string{}
	for _, o := range preview.Objects {
		out[o.Name] = string(o.Action)
		if o.Restart != "" {
			out[o.Name] += " " + string(o.Restart)
		}
	}
	return out
}
