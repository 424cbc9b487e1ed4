package direct_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
)

// TestFormerWriteOnlyValues checks that a plan does not show the value that an object has from write-only manifests after its manifest has moved to manifests
// that are in the state, even if an apply in between was killed. After the next apply, plans show the values of the object.
func TestFormerWriteOnlyValues(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	for name, isMoved := range map[string]bool{"wo-changed": false, "wo-moved": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			request := w.newRequest(name, configMap(name, "1"))
			writeOnly := func(value string) map[string]string {
				return map[string]string{"wo.yaml": w.Manifests(configMap(name+"-key", value))["00.yaml"]}
			}
			request.WriteOnly = writeOnly("planted-1")
			w.DeleteAtEnd(request)
			request = request.After(w.Apply(request).Status)

			moved, killed := request, request
			moved.Manifests, moved.WriteOnly = w.Manifests(configMap(name, "1"), configMap(name+"-key", "planted-3")), nil
			if killed.WriteOnly = writeOnly("planted-2"); isMoved {
				killed = moved
			}
			const secret = 2 // the write after the record of the first member
			if !w.interrupt(interruptions[0], secret, killed) {
				t.Fatal("the apply was not killed")
			}
			again := w.restarted()
			if !again.isApplying("member-1", name) {
				t.Error("the record has no lease")
			}
			o, _ := again.previewObject(again.Engine(), moved, "member-1", name+"-key")
			if text := jsonOf(t, o); !strings.Contains(text, diff.Redacted) || strings.Contains(text, "planted") {
				t.Errorf("the plan shows %s", text)
			}

			result := again.Apply(moved)
			again.checkComplete(result.Status)
			again.checkIdle(moved.After(result.Status))
			text, _, _ := unstructured.NestedString(w.Must("member-1", record("ConfigMap", name)).Object, "data", objectsText)
			if strings.Contains(text, "writeOnly") {
				t.Errorf("the record still lists former write-only values: %s", text)
			}
			moved = moved.After(result.Status)
			moved.Manifests = w.Manifests(configMap(name, "1"), configMap(name+"-key", "planted-4"))
			o, _ = again.previewObject(again.Engine(), moved, "member-1", name+"-key")
			if text := jsonOf(t, o); !strings.Contains(text, "planted-3") || !strings.Contains(text, "planted-4") {
				t.Errorf("the plan does not show the values: %s", text)
			}
		})
	}
}
