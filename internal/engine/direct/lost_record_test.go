package direct_test

import (
	"strings"
	"testing"
)

// What a placement has on a member whose record is gone is not deleted by a destroy, because nobody knows any more who made it, and it is named.
// The manifests that were kept beside the record go.
func TestDeleteWithoutRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.placing("unrecorded", configMap("unrecorded", "1"))
	w.DeleteAtEnd(request)
	status := w.Apply(request).Status
	w.Remove("member-1", record("ConfigMap", "unrecorded"))
	result := w.Delete(request.After(status))
	w.Says(strings.Join(result.Warnings, "\n"), "record of the placement", "missing on the member \"member-1\"", "unrecorded", "kubectl get KIND", partOf+"=")
	if w.value("member-1", "unrecorded") != "1" || w.value("member-2", "unrecorded") != "absent" {
		t.Errorf("there is %s and %s", w.value("member-1", "unrecorded"), w.value("member-2", "unrecorded"))
	}
	if w.Find("member-1", record("Secret", "unrecorded")) != nil {
		t.Error("the manifests are left")
	}
}

// A placement whose records are all gone is not forgotten while its objects are there: the next apply records them anew.
func TestAllRecordsAreGone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.placing("forgotten", configMap("forgotten", "1"))
	w.DeleteAtEnd(request)
	status := w.Apply(request).Status
	for _, member := range w.Members {
		w.Remove(member, record("ConfigMap", "forgotten"))
	}
	recorded, err := request.After(status).Read(t.Context(), w.Engine())
	if err != nil {
		t.Fatal(err)
	}
	w.Says(recorded.Warning, "records have been deleted", "member-1", "ConfigMap", "carry its label")
	result := w.Apply(request.After(recorded.Status))
	w.complete(result.Status)
	w.idle(request.After(result.Status))
	if !w.inventory("member-1", "forgotten")["ConfigMap forgotten"].Adopted {
		t.Error("an object of which nobody knows who made it counts as created")
	}
}
