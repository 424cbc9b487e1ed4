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

// scaledDeployment returns the manifest of a Deployment with an image.
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

// checkReplicas fails the test unless the Deployment has the number of replicas on each member.
func (w *world) checkReplicas(what string, want int64) {
	w.Helper()
	for _, member := range w.Members {
		if got, _, _ := unstructured.NestedInt64(w.Must(member, scaled).Object, "spec", "replicas"); got != want {
			w.Errorf("%s: %s has %d replicas, want %d", what, member, got, want)
		}
	}
}

// changeImage applies another image, and fails the test if the preview shows any other change.
func (w *world) changeImage(request enginetest.Request, image string) enginetest.Request {
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
	w.checkIdle(request)
	return request
}

// TestIgnoredFields checks for each apply type that ignored replicas are created as configured, and keep the values of an autoscaler after that.
func TestIgnoredFields(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]placement.ApplyStrategy{
		"client-side": {Type: placement.ClientSideApply}, "server-side": {Type: placement.ServerSideApply},
		"server-side, forced": {Type: placement.ServerSideApply, ServerSideApplyConfig: &placement.ServerSideApplyConfig{Force: new(true)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			request := w.newRequest("ignored", scaledDeployment("1")).Strategy(how)
			request.IgnoreFields = ignore.Rules{{Kind: "Deployment", Fields: []string{"spec.replicas"}}}
			w.DeleteAtEnd(request)
			request = request.After(w.Apply(request).Status)
			w.checkReplicas("created", 2)
			request = w.changeImage(request, "2")
			w.checkReplicas("updated before anybody scales it", 2)
			for _, member := range w.Members {
				w.EditAs(member, autoscaler, "scale", scaled, "{spec: {replicas: 5}}")
			}
			w.checkIdle(request)
			request = w.changeImage(request, "3")
			w.checkReplicas("updated", 5)
			for _, member := range w.Members {
				w.EditAs(member, autoscaler, "scale", scaled, "{spec: {replicas: 7}}")
				if writer := diff.WriterOf(w.Must(member, scaled), "spec", "replicas"); writer.Name != autoscaler {
					t.Errorf("%s: %s writes the replicas", member, writer)
				}
			}
			w.checkIdle(request)

			heeded := request
			heeded.IgnoreFields = nil
			preview, err := heeded.Preview(t.Context(), w.Engine())
			if err != nil || !preview.Pending() {
				t.Fatal("the replicas are still ignored", err)
			}
			if how.Type != placement.ServerSideApply { // server-side apply has to force the conflict with the autoscaler
				w.Apply(heeded)
				w.checkReplicas("no longer ignored", 2)
			}
		})
	}
}

// TestIgnoredFieldsInFull checks that a full comparison reports no difference in ignored fields, whether the manifest has them or not, and that a takeover
// does not change them.
func TestIgnoredFieldsInFull(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Put(w.Members[0], "{apiVersion: v1, kind: ConfigMap, metadata: {name: injected, namespace: $ns}, data: {value: theirs, more: theirs}}")
	request := w.newRequest("injected", configMap("injected", "1")).Strategy(placement.ApplyStrategy{
		ComparisonOption: placement.FullComparison, WhenToApply: placement.ApplyIfNotDrifted, WhenToTakeOver: placement.TakeOverIfNoDiff,
	})
	request.IgnoreFields = ignore.Rules{{Name: "injected", Fields: []string{"data.value", "data.more"}}}
	w.DeleteAtEnd(request)
	result := w.Apply(request)
	w.checkComplete(result.Status)
	request = request.After(result.Status)
	w.checkIdle(request)
	if a, b := w.value(w.Members[0], "injected"), w.value(w.Members[1], "injected"); a != "theirs" || b != "1" {
		t.Errorf("the values are %q and %q", a, b)
	}
	w.EditAs(w.Members[1], "webhook", "", "v1 ConfigMap injected", "{data: {value: injected, more: injected}}")
	w.checkIdle(request)
	read, err := request.Read(t.Context(), w.Engine())
	if err != nil || read.Status.Problems() != "" {
		t.Errorf("a refresh reports %q, %v", read.Status.Problems(), err)
	}
	// Other fields are still compared.
	w.EditAs(w.Members[1], "somebody", "", "v1 ConfigMap injected", "{data: {other: injected}}")
	if read, err = request.Read(t.Context(), w.Engine()); err != nil || !strings.Contains(read.Status.Problems(), "FoundDrifts") {
		t.Errorf("another field: a refresh reports %q, %v", read.Status.Problems(), err)
	}
}
