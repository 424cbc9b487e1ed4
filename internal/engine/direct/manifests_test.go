package direct_test

import (
	"testing"
)

// Where somebody has deleted the Secret that keeps the manifests, write-only ones above all, a refresh says so, goes by another member's if there is
// one, and the next apply writes it anew though nothing else has changed.
func TestManifestsAreGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.placing("unkept", configMap("unkept", "1"))
	request.WriteOnly = map[string]string{"wo.yaml": w.Expand("{apiVersion: v1, kind: Secret, metadata: {name: unkept, namespace: $ns}, stringData: {a: b}}")}
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	w.idle(request)
	for _, lost := range [][]string{w.Members[1:], w.Members} {
		for _, member := range lost {
			w.Remove(member, record("Secret", "unkept"))
		}
		refreshed := request
		refreshed.WriteOnly = nil // no state has them
		recorded, err := refreshed.Read(t.Context(), w.Engine())
		if err != nil {
			t.Fatal(err)
		}
		if len(lost) == len(w.Members) {
			w.Says(recorded.Warning, "fleet-system/placement-", "deleted on member-1, member-2", "next apply writes the Secret anew")
		} else if recorded.Warning != "" || recorded.WriteOnly["wo.yaml"] == "" {
			t.Errorf("with another member's Secret: %q, %d manifests", recorded.Warning, len(recorded.WriteOnly))
		}
		request = request.After(recorded.Status)
		preview, err := request.Preview(t.Context(), w.Engine())
		if err != nil || !preview.Pending() {
			t.Errorf("there is nothing to do: %v", err)
		}
		result := w.Apply(request)
		w.complete(result.Status)
		for _, member := range w.Members {
			if w.Find(member, record("Secret", "unkept")) == nil {
				t.Errorf("%s: the Secret is not written anew", member)
			}
		}
		request = request.After(result.Status)
		w.idle(request)
	}
}

// An import finds the placement also where its manifests are lost: the configuration has them.
func TestImportWithoutManifests(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.placing("unkept-import", configMap("unkept-import", "1"))
	w.DeleteAtEnd(request)
	status := w.Apply(request).Status
	for _, member := range w.Members {
		w.Remove(member, record("Secret", "unkept-import"))
	}
	imported := request
	imported.Manifests = nil
	recorded, err := imported.Read(t.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	w.Says(recorded.Warning, "deleted on member-1, member-2")
	w.idle(request.After(status))
}
