package direct_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

var recordedVersion = regexp.MustCompile(`,\s*"resourceVersion":\s*"\d+"`)

// A preview takes an object that has the resourceVersion of the last apply for what that apply left. It must say what it says when it
// looks at everything, whatever others have done to the objects, and so must a refresh.
func TestUnchangedObjectsAreNotLookedAt(t *testing.T) {
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
		{"anew", ""},
		{"gone", ""},
	}
	var manifests []string
	for _, e := range edits {
		manifests = append(manifests, configMap("glance-"+e.name, "ours"))
	}
	request := placing("glance", manifests...)
	w.deleteAtEnd(request)
	request = after(request, w.apply(request).Status)
	w.idle(request)
	for _, e := range edits {
		u := w.get("member-1", configMapGVK, "default", "glance-"+e.name)
		if e.patch != "" {
			w.edit("member-1", u, e.patch)
		}
		if e.name == "leaving" || e.name == "anew" || e.name == "gone" {
			if err := w.direct["member-1"].Delete(t.Context(), kube.RefOf(u), u.GetUID(), metav1.DeletePropagationBackground); err != nil {
				t.Fatal(err)
			}
		}
		switch e.name {
		case "anew":
			w.put("member-1", configMap("glance-anew", "theirs"))
		case "finalizer", "leaving":
			t.Cleanup(func() {
				free := []byte(`{"metadata":{"finalizers":null}}`)
				_, err := w.direct["member-1"].Patch(context.Background(), kube.RefOf(u), types.MergePatchType, free, kube.WriteOptions{})
				if err != nil {
					t.Error(err)
				}
			})
		}
	}

	look := func() (string, string) {
		e := w.engine()
		preview, err := e.Preview(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		recorded, err := w.engine().ReadPlacement(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		return jsonOf(t, preview.Clusters), jsonOf(t, recorded.Status)
	}
	preview, status := look()
	for cluster, want := range map[string]int{"member-1": 1, "member-2": len(edits)} {
		none := 0
		for _, e := range edits {
			object, _ := w.previewed(w.engine(), request, cluster, "glance-"+e.name)
			if object.Action == engine.ActionNone && object.Owned {
				none++
			}
		}
		if none < want {
			t.Errorf("%s: %d objects are as they are to be, want %d", cluster, none, want)
		}
	}

	for _, cluster := range []string{"member-1", "member-2"} {
		record := w.get(cluster, configMapGVK, direct.Namespace, "placement-glance")
		objects := record.Object["data"].(map[string]any)["objects.json"].(string)
		if got := len(recordedVersion.FindAllString(objects, -1)); got != len(edits) {
			t.Fatalf("%s: the inventory has %d versions of %d objects: %s", cluster, got, len(edits), objects)
		}
		w.edit(cluster, record, fmt.Sprintf(`{"data":{"objects.json":%s}}`, jsonOf(t, recordedVersion.ReplaceAllString(objects, ""))))
	}
	wholePreview, wholeStatus := look()
	if preview != wholePreview {
		t.Errorf("a glance:\n%s\na look:\n%s", preview, wholePreview)
	}
	if status != wholeStatus {
		t.Errorf("a glance:\n%s\na look:\n%s", status, wholeStatus)
	}
	if !strings.Contains(preview, "theirs") {
		t.Errorf("the preview tells of no edit: %s", preview)
	}
}
