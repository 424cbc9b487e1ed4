package takeover

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestFindMarks checks that all marks are found, with the last write of the manager that set each.
func TestFindMarks(t *testing.T) {
	live := object(t, `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app.kubernetes.io/managed-by: Helm, kubeadmiral.io/managed: "true"}
  annotations: {meta.helm.sh/release-name: web, meta.helm.sh/release-namespace: shop}
  managedFields:
  - {manager: helm, operation: Update, time: "2026-01-01T00:00:00Z", fieldsV1: {"f:metadata": {"f:annotations": {"f:meta.helm.sh/release-name": {}}}}}
  - {manager: host, operation: Update, time: "2026-01-02T00:00:00Z", fieldsV1: {"f:metadata": {"f:labels": {"f:kubeadmiral.io/managed": {}}}}}
  - {manager: kubectl-edit, operation: Update, time: "2026-01-03T00:00:00Z", fieldsV1: {"f:spec": {"f:replicas": {}}}}
  - {manager: kubectl-patch, operation: Update, time: "2026-01-05T00:00:00Z", fieldsV1: {"f:spec": {"f:paused": {}}}}
  - {manager: kubectl, operation: Update, subresource: scale, time: "2026-01-09T00:00:00Z", fieldsV1: {"f:spec": {"f:replicas": {}}}}
`)
	type found struct{ Owner, Since string }
	var got []found
	for _, mark := range FindMarks(live) {
		if mark.Text == "" {
			t.Errorf("%s has no text", mark.Owner)
		}
		got = append(got, found{mark.Owner.String(), mark.Since})
	}
	want := []found{
		{"KubeAdmiral", "2026-01-02T00:00:00Z"}, {"Helm release shop/web", "2026-01-01T00:00:00Z"}, {"Helm", "2026-01-01T00:00:00Z"},
		{"kubectl", "2026-01-05T00:00:00Z"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if first := OwnerOf(live, Ours{}); first != FindMarks(live)[0].Owner {
		t.Errorf("the first mark is not that of the owner %v", first)
	}
}

func TestControllerOf(t *testing.T) {
	for references, want := range map[string]string{
		"[]":                      "",
		"[{kind: Team, name: a}]": "a",
		"[{kind: Team, name: a}, {kind: ReplicaSet, name: b, controller: true}]":                                             "b",
		"[{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: AppliedWork, name: a}, {kind: Team, name: b, uid: '1'}]": "b",
	} {
		ref, found := ControllerOf(object(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: a, ownerReferences: "+references+"}}"))
		if ref.Name != want || found != (want != "") {
			t.Errorf("%s: %+v, %t", references, ref, found)
		}
	}
}
