package direct_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

var recordedVersion = regexp.MustCompile(`,\s*"resourceVersion":\s*"\d+"`)

// observedAt matches the observation times of drifts, which differ between reads.
var observedAt = regexp.MustCompile(`("ObservationTime":|"FirstObservedTime":)"[^"]*"`)

// TestUnchangedObjectsAreNotRead checks that previews and refreshes that skip objects with the resourceVersion of the last apply have the same results as those
// that read all objects, regardless of changes by others.
func TestUnchangedObjectsAreNotRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	edits := []struct{ name, patch string }{
		{"same", ""},
		{"data", `{"data":{"value":"theirs"}}`},
		{"more", `{"data":{"other":"theirs"}}`},
		{"label", `{"metadata":{"labels":{"team":"red"}}}`},
		{"unmarked", `{"metadata":{"labels":{"applyset.kubernetes.io/part-of":null}}}`},
		{"finalizer", `{"metadata":{"finalizers":["example.org/keep"]}}`},
		{"leaving", `{"metadata":{"finalizers":["example.org/keep"]}}`},
		{"owned", `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"x","uid":"1"}]}}`},
		{"recreated", ""},
		{"gone", ""},
	}
	var manifests []string
	for _, e := range edits {
		manifests = append(manifests, configMap("glance-"+e.name, "ours"))
	}
	request := w.newRequest("glance", manifests...)
	request.Key = nil // the test edits the records
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	w.checkIdle(request)
	for _, e := range edits {
		object := "v1 ConfigMap glance-" + e.name
		if e.patch != "" {
			w.Edit("member-1", object, e.patch)
		}
		if e.name == "leaving" || e.name == "recreated" || e.name == "gone" {
			w.Remove("member-1", object)
		}
		switch e.name {
		case "recreated":
			w.Put("member-1", configMap("glance-recreated", "theirs"))
		case "finalizer", "leaving":
			w.FreeAtEnd("member-1", object)
		}
	}

	var seen *engine.Preview
	member := func() (string, string) {
		preview, err := request.Preview(t.Context(), w.Engine())
		if err != nil {
			t.Fatal(err)
		}
		seen = preview
		recorded, err := request.Read(t.Context(), w.Engine())
		if err != nil {
			t.Fatal(err)
		}
		return jsonOf(t, preview.Clusters), observedAt.ReplaceAllString(jsonOf(t, recorded.Status), "$1")
	}
	preview, status := member()
	for cluster, want := range map[string]int{"member-1": 1, "member-2": len(edits)} {
		none := 0
		for _, e := range edits {
			object := previewOf(seen, cluster, "glance-"+e.name)
			if object.Action == takeover.ActionNone && object.Owned {
				none++
			}
		}
		if none < want {
			t.Errorf("%s: %d objects need no change, want %d", cluster, none, want)
		}
	}

	for _, cluster := range []string{"member-1", "member-2"} {
		record := record("ConfigMap", "glance")
		objects := w.Value(cluster, record, "data", "objects.json").(string)
		if got := len(recordedVersion.FindAllString(objects, -1)); got != len(edits) {
			t.Fatalf("%s: the inventory has %d versions of %d objects: %s", cluster, got, len(edits), objects)
		}
		w.Edit(cluster, record, fmt.Sprintf(`{"data":{"objects.json":%s}}`, jsonOf(t, recordedVersion.ReplaceAllString(objects, ""))))
	}
	wholePreview, wholeStatus := member()
	if preview != wholePreview {
		t.Errorf("with the shortcut:\n%s\nwithout:\n%s", preview, wholePreview)
	}
	if status != wholeStatus {
		t.Errorf("with the shortcut:\n%s\nwithout:\n%s", status, wholeStatus)
	}
	if !strings.Contains(preview, "theirs") {
		t.Errorf("the preview shows no edit: %s", preview)
	}
}
