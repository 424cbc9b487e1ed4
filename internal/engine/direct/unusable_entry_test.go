package direct_test

import (
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// plant adds an entry to a placement's record on a member.
func (w *world) plant(cluster, name string, entry map[string]any) {
	w.Helper()
	text, _, _ := unstructured.NestedString(w.Must(cluster, record("ConfigMap", name)).Object, "data", "objects.json")
	var entries []map[string]any
	if err := json.Unmarshal([]byte(text), &entries); err != nil {
		w.Fatal(err)
	}
	data := map[string]any{"data": map[string]any{"objects.json": jsonOf(w.TB.(*testing.T), append(entries, entry))}}
	w.Edit(cluster, record("ConfigMap", name), jsonOf(w.TB.(*testing.T), data))
}

// TestEntryThatIsNoObject checks that a destroy succeeds despite an entry that cannot identify an object. The entry is reported once, without its control
// characters.
func TestEntryThatIsNoObject(t *testing.T) {
	t.Parallel()
	for name, entry := range map[string]map[string]any{
		"a path":  {"kind": "ConfigMap", "version": "v1", "namespace": "default", "name": "../../secrets/a\u001b[31m", "uid": "x", "hash": "0"},
		"no kind": {"version": "v1", "namespace": "default", "name": "planted", "uid": "x", "hash": "0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			request := w.newRequest("entry", configMap("entry", "1"))
			request.Key = nil // the test edits the records
			w.DeleteAtEnd(request)
			request = request.After(w.Apply(request).Status)
			w.plant("member-1", "entry", entry)
			request.Manifests = w.Manifests(configMap("entry", "2"))
			result := w.Apply(request)
			w.checkComplete(result.Status)
			warnings := strings.Join(result.Warnings, "\n")
			w.Contains(warnings, "member-1", "cannot be an object", "entry was removed")
			if len(result.Warnings) != 1 || strings.ContainsRune(warnings, 0x1b) {
				t.Errorf("got warnings %q", result.Warnings)
			}
			request = request.After(result.Status)
			if got := keys(w.inventory("member-1", "entry")); len(got) != 1 {
				t.Errorf("the record has %v", got)
			}
			w.checkIdle(request)
			w.plant("member-1", "entry", entry)
			w.Contains(strings.Join(w.Delete(request).Warnings, "\n"), "member-1", "cannot be an object")
			w.checkNoRecords("entry")
			if w.value("member-1", "entry") != "absent" {
				t.Error("the destroy keeps the other objects")
			}
		})
	}
}
