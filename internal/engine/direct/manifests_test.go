package direct_test

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// TestManifestsAreGone checks that a refresh reports Secrets with manifests that were deleted, damaged or replaced on all members, and uses the Secret of
// another member if there is one. The next apply restores the Secrets even if nothing else has changed.
func TestManifestsAreGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("unkept", configMap("unkept", "1"))
	request.WriteOnly = map[string]string{"wo.yaml": w.Expand("{apiVersion: v1, kind: Secret, metadata: {name: unkept, namespace: $ns}, stringData: {a: b}}")}
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status)
	w.checkIdle(request)
	remove := func(member string) { w.Remove(member, record("Secret", "unkept")) }
	damage := func(member string) {
		w.Edit(member, record("Secret", "unkept"), `{"data":{"manifests_wo.json.gz":"bm90aGluZw=="}}`)
	}
	replace := func(member string) {
		other, err := manifest.Pack(map[string]string{"wo.yaml": "{apiVersion: v1, kind: Secret, metadata: {name: other}}"})
		if err != nil {
			t.Fatal(err)
		}
		w.Edit(member, record("Secret", "unkept"), jsonOf(t, map[string]any{"data": map[string]any{"manifests_wo.json.gz": other}}))
	}
	for _, lost := range []struct {
		members []string
		lose    func(member string)
	}{{w.Members[1:], remove}, {w.Members, remove}, {w.Members, damage}, {w.Members, replace}} {
		for _, member := range lost.members {
			lost.lose(member)
		}
		refreshed := request
		refreshed.WriteOnly = nil // no state has them
		recorded, err := refreshed.Read(t.Context(), w.Engine())
		if err != nil {
			t.Fatal(err)
		}
		if len(lost.members) == len(w.Members) {
			w.Contains(recorded.Warning, "fleet-system/placement-", "deleted or damaged on member-1, member-2", "from the configuration again")
		} else if recorded.Warning != "" || recorded.WriteOnly["wo.yaml"] == "" {
			t.Errorf("with another member's Secret: %q, %d manifests", recorded.Warning, len(recorded.WriteOnly))
		}
		request = request.After(recorded.Status)
		preview, err := request.Preview(t.Context(), w.Engine())
		if err != nil || !preview.Pending() {
			t.Errorf("the plan is empty: %v", err)
		}
		result := w.Apply(request)
		w.checkComplete(result.Status)
		for _, member := range w.Members {
			if w.Find(member, record("Secret", "unkept")) == nil {
				t.Errorf("%s: the Secret is not restored", member)
			}
		}
		request = request.After(result.Status)
		w.checkIdle(request)
	}
}

// TestImportWithoutManifests checks that a placement can be imported if its manifests are lost, because the configuration has them.
func TestImportWithoutManifests(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("unkept-import", configMap("unkept-import", "1"))
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
	w.Contains(recorded.Warning, "deleted or damaged on member-1, member-2")
	w.checkIdle(request.After(status))
}
