package direct_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// failRemoval deletes a placement, expects it to fail because of one object on member-1, and returns the reason.
func (w *world) failRemoval(request enginetest.Request, object string) string {
	w.Helper()
	_, err := request.Delete(w.Context(), w.Engine())
	var failed *engine.RemovalError
	if !errors.As(err, &failed) || failed.Cluster != "member-1" || len(failed.Objects) != 1 || failed.Objects[0].Name != w.Expand(object) {
		w.Fatalf("the removal returned %v", err)
	}
	return failed.Objects[0].Condition.Message
}

// outages returns faults that make the list of Secrets in a Namespace fail.
func outages() map[string]clusters.Fault {
	return map[string]clusters.Fault{
		"503": {Status: http.StatusServiceUnavailable}, "429": {Status: http.StatusTooManyRequests}, "504": {Status: http.StatusGatewayTimeout},
		"404": {Status: http.StatusNotFound},
	}
}

// TestContentsInAnOutage checks that a Namespace is not orphaned because the API server cannot serve a list: the removal fails, and the next removal continues.
func TestContentsInAnOutage(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	for name, outage := range outages() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			request := w.newRequest("outage", house, furniture)
			request = request.After(w.Apply(request).Status)
			w.RemoveAtEnd("member-1", w.Ref("member-1", theHouse))
			outage.Context, outage.Match = "member-1", func(r clusters.Request) bool {
				return r.Method == http.MethodGet && strings.HasSuffix(r.Path, w.Expand("/$ns-house/secrets"))
			}
			undo := w.Inject(outage)
			preview, err := request.PreviewDelete(t.Context(), w.Engine())
			if err != nil {
				t.Fatal(err)
			}
			o := previewOf(preview, "member-1", w.Expand("$ns-house"))
			if o.Action != takeover.ActionUnknown || o.Obstacle != takeover.ObstacleNotReadable {
				t.Errorf("predicted: %+v", o)
			}
			w.Contains(o.Problem, "Secret", "could not be listed", "next run")
			w.Contains(w.failRemoval(request, "$ns-house"), "Secret", "could not be listed")
			if w.Find("member-1", "v1 ConfigMap $ns-house/own") != nil || w.Find("member-2", theHouse) != nil || w.inventory("member-2", "outage") != nil {
				t.Error("the object that could be checked was not removed")
			}
			if u := w.Must("member-1", theHouse); u.GetDeletionTimestamp() != nil || u.GetLabels()[partOf] == "" {
				t.Errorf("the Namespace is %v", u)
			}
			if got := keys(w.inventory("member-1", "outage")); len(got) == 0 {
				t.Error("the record was removed")
			}
			undo()
			if result := w.Delete(request); len(result.Warnings) > 0 || w.Find("member-1", theHouse) != nil || w.inventory("member-1", "outage") != nil {
				t.Errorf("the next removal warns %v", result.Warnings)
			}
		})
	}
}

// TestNamespaceDroppedInAnOutage checks that an apply reports a Namespace that was removed from the configuration as failed if the API server cannot list its
// contents, and that the next apply deletes it.
func TestNamespaceDroppedInAnOutage(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("drops", house, furniture, configMap("drops", "1"))
	request = request.After(w.Apply(request).Status)
	w.RemoveAtEnd("member-1", w.Ref("member-1", theHouse))
	request.Manifests = w.Manifests(configMap("drops", "1"))
	undo := w.Inject(clusters.Fault{Context: "member-1", Status: http.StatusServiceUnavailable, Match: func(r clusters.Request) bool {
		return r.Method == http.MethodGet && strings.HasSuffix(r.Path, w.Expand("/$ns-house/secrets"))
	}})
	result, err := request.Apply(t.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	w.Contains(failures(result.Status, "member-1")[w.Expand("$ns-house")], "Secret", "could not be listed")
	if u := w.Must("member-1", theHouse); u.GetDeletionTimestamp() != nil || u.GetLabels()[partOf] == "" {
		t.Errorf("the Namespace is %v", u)
	}
	if got := w.inventory("member-1", "drops"); got["Namespace "+w.Expand("$ns-house")].UID == "" {
		t.Errorf("the record has %+v", got)
	}
	undo()
	request = request.After(result.Status)
	result = w.Apply(request)
	w.checkComplete(result.Status)
	if w.Find("member-1", theHouse) != nil {
		t.Error("the next apply did not delete the Namespace")
	}
	w.Delete(request.After(result.Status))
}

// TestContentsOfAnAPIServiceThatIsDown checks that a removal expects a Namespace to contain objects of an API service that does not respond.
func TestContentsOfAnAPIServiceThatIsDown(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("aggregated", house, furniture)
	request = request.After(w.Apply(request).Status)
	w.RemoveAtEnd("member-1", w.Ref("member-1", theHouse))
	const down = `{"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": [
		{"metadata": {"name": "down.example.org"}, "versions": [{"version": "v1", "freshness": "Stale"}]}]}`
	undo := w.Inject(clusters.Fault{
		Match: onPath("member-1", http.MethodGet, "/apis"), Answer: func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
			_, _ = io.WriteString(rw, down)
		},
	})
	w.Contains(w.failRemoval(request, "$ns-house"), "down.example.org/v1", "does not respond", "APIService v1.down.example.org")
	undo()
	if result := w.Delete(request); len(result.Warnings) > 0 || w.Find("member-1", theHouse) != nil {
		t.Errorf("the next removal warns %v", result.Warnings)
	}
}
