package direct_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/ignore"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// scaledDeployment is the text of a Deployment with an image.
func scaledDeployment(image string) string {
	return strings.ReplaceAll(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: scaled}
spec:
  replicas: 2
  selector: {matchLabels: {app: scaled}}
  template:
    metadata: {labels: {app: scaled}}
    spec: {containers: [{name: a, image: "example.com/a:IMAGE"}]}
`, "IMAGE", image)
}

const scaled, autoscaler = "apps/v1 Deployment scaled", "kube-controller-manager"

// replicas fails the test unless the Deployment has so many replicas on each member.
func (w *world) replicas(what string, want int64) {
	w.Helper()
	for _, member := range w.Members {
		if got, _, _ := unstructured.NestedInt64(w.Must(member, scaled).Object, "spec", "replicas"); got != want {
			w.Errorf("%s: %s has %d replicas, want %d", what, member, got, want)
		}
	}
}

// changesImage applies another image, of which the preview shows nothing else.
func (w *world) changesImage(request enginetest.Request, image string) enginetest.Request {
	w.Helper()
	request.Manifests = w.Manifests(scaledDeployment(image))
	preview, err := request.Preview(w.Context(), w.Engine())
	if err != nil {
		w.Fatal(err)
	}
	for _, cluster := range preview.Clusters {
		for _, o := range cluster.Objects {
			if o.Name == "scaled" && (o.Action != takeover.ActionUpdate || len(o.Differences) != 1 || !strings.HasSuffix(o.Differences[0].Field, "image")) {
				w.Errorf("%s: %s with %+v is planned", cluster.Name, o.Action, o.Differences)
			}
		}
	}
	result := w.Apply(request)
	if !result.Status.Is(placement.Applied) {
		w.Errorf("not applied: %+v", result.Status)
	}
	request = request.After(result.Status)
	w.idle(request)
	return request
}

// TestIgnoredFields checks for each way to apply that replicas which an autoscaler writes are created as configured, and remain as they are after that.
func TestIgnoredFields(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]placement.ApplyStrategy{
		"client-side": {Type: placement.ClientSideApply}, "server-side": {Type: placement.ServerSideApply},
		"server-side, forced": {Type: placement.ServerSideApply, ServerSideApplyConfig: &placement.ServerSideApplyConfig{Force: new(true)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			request := w.placing("ignored", scaledDeployment("1")).Strategy(how)
			request.IgnoreFields = ignore.Rules{{Kind: "Deployment", Fields: []string{"spec.replicas"}}}
			w.DeleteAtEnd(request)
			request = request.After(w.Apply(request).Status)
			w.replicas("created", 2)
			request = w.changesImage(request, "2")
			w.replicas("updated before anybody scales it", 2)
			for _, member := range w.Members {
				w.EditAs(member, autoscaler, "scale", scaled, "{spec: {replicas: 5}}")
			}
			w.idle(request)
			request = w.changesImage(request, "3")
			w.replicas("updated", 5)
			for _, member := range w.Members {
				w.EditAs(member, autoscaler, "scale", scaled, "{spec: {replicas: 7}}")
				if writer := diff.WriterOf(w.Must(member, scaled), "spec", "replicas"); writer.Name != autoscaler {
					t.Errorf("%s: %s writes the replicas", member, writer)
				}
			}
			w.idle(request)

			heeded := request
			heeded.IgnoreFields = nil
			preview, err := heeded.Preview(t.Context(), w.Engine())
			if err != nil || !preview.Pending() {
				t.Fatal("the replicas are ignored still", err)
			}
			if how.Type != placement.ServerSideApply { // there, the autoscaler has to be overruled
				w.Apply(heeded)
				w.replicas("no longer ignored", 2)
			}
		})
	}
}

// TestIgnoredFieldsInFull checks that a full comparison reports no difference in ignored fields, whether the manifest has them or not, and that a takeover
// leaves them as they are.
func TestIgnoredFieldsInFull(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Put(w.Members[0], "{apiVersion: v1, kind: ConfigMap, metadata: {name: injected, namespace: $ns}, data: {value: theirs, more: theirs}}")
	request := w.placing("injected", configMap("injected", "1")).Strategy(placement.ApplyStrategy{
		ComparisonOption: placement.FullComparison, WhenToApply: placement.ApplyIfNotDrifted, WhenToTakeOver: placement.TakeOverIfNoDiff,
	})
	request.IgnoreFields = ignore.Rules{{Name: "injected", Fields: []string{"data.value", "data.more"}}}
	w.DeleteAtEnd(request)
	result := w.Apply(request)
	w.complete(result.Status)
	request = request.After(result.Status)
	w.idle(request)
	if a, b := w.value(w.Members[0], "injected"), w.value(w.Members[1], "injected"); a != "theirs" || b != "1" {
		t.Errorf("the values are %q and %q", a, b)
	}
	w.EditAs(w.Members[1], "webhook", "", "v1 ConfigMap injected", "{data: {value: injected, more: injected}}")
	w.idle(request)
	read, err := request.Read(t.Context(), w.Engine())
	if err != nil || read.Status.Problems() != "" {
		t.Errorf("a refresh says %q, %v", read.Status.Problems(), err)
	}
	// Another field still counts.
	w.EditAs(w.Members[1], "somebody", "", "v1 ConfigMap injected", "{data: {other: injected}}")
	if read, err = request.Read(t.Context(), w.Engine()); err != nil || !strings.Contains(read.Status.Problems(), "FoundDrifts") {
		t.Errorf("another field: a refresh says %q, %v", read.Status.Problems(), err)
	}
}
