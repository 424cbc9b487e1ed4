package kube

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// serviceApplied is a Service with fields of a server-side apply and of other managers.
const serviceApplied = `
apiVersion: v1
kind: Service
metadata:
  name: s
  namespace: web
  uid: u-1
  labels: {app: s, theirs: "1"}
  managedFields:
  - manager: ours
    operation: Apply
    apiVersion: v1
    fieldsType: FieldsV1
    fieldsV1:
      "f:metadata": {"f:labels": {"f:app": {}}}
      "f:spec":
        "f:ports": {'k:{"port":80,"protocol":"TCP"}': {".": {}, "f:port": {}, "f:targetPort": {}}}
        "f:selector": {}
  - manager: ours
    operation: Update
    apiVersion: v1
    fieldsType: FieldsV1
    fieldsV1:
      "f:spec":
        "f:ports":
          ".": {}
          'k:{"port":80,"protocol":"TCP"}': {".": {}, "f:port": {}, "f:name": {}}
          'k:{"port":443,"protocol":"TCP"}': {".": {}, "f:port": {}}
        "f:type": {}
  - manager: theirs
    operation: Update
    apiVersion: v1
    fieldsType: FieldsV1
    fieldsV1: {"f:metadata": {"f:labels": {"f:theirs": {}}}, "f:spec": {"f:ports": {'k:{"port":443,"protocol":"TCP"}': {"f:name": {}}}}}
spec:
  type: ClusterIP
  clusterIP: 10.0.0.1
  selector: {app: s}
  ports: [{name: web, port: 80, protocol: TCP, targetPort: 8080}, {name: tls, port: 443, protocol: TCP, targetPort: 443}]
`

func TestWhatAManagerHasWritten(t *testing.T) {
	var got any
	if err := json.Unmarshal(writtenConfiguration(fromYAML(t, serviceApplied), "ours"), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"metadata": map[string]any{"labels": map[string]any{"app": "s"}},
		"spec": map[string]any{
			"ports": []any{
				map[string]any{"name": "web", "port": 80.0, "protocol": "TCP", "targetPort": 8080.0},
				map[string]any{"port": 443.0, "protocol": "TCP"},
			},
			"selector": map[string]any{"app": "s"}, "type": "ClusterIP",
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if data := writtenConfiguration(fromYAML(t, serviceApplied), "another-manager"); data != nil {
		t.Errorf("a manager without fields: %s", data)
	}
}

// A manager has not written what others have added to a map since it wrote the whole map.
func TestWhatOthersHaveAdded(t *testing.T) {
	live := fromYAML(t, `
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  managedFields:
  - {manager: ours, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {}, "f:immutable": {}}}
  - {manager: theirs, operation: Update, apiVersion: v1, fieldsType: FieldsV1, fieldsV1: {"f:data": {"f:b": {}}}}
immutable: false
data: {a: '1', b: '2'}
`)
	if got, want := string(writtenConfiguration(live, "ours")), `{"data":{"a":"1"},"immutable":false}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	desired := fromYAML(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: m}}")
	merged := MergeClientSide(desired, live, ApplyOptions{FieldManager: "ours", Own: true})
	if got, want := asJSON(t, merged.Object["data"]), `{"b":"2"}`; got != want {
		t.Errorf("merged: %s, want %s", got, want)
	}
}

// An element with fields of another manager remains.
func TestWhatGoesWithAnOwnershipByUpdate(t *testing.T) {
	live := fromYAML(t, serviceApplied)
	updated := updatedBy("ours")
	retained := ownedFields(live, func(entry metav1.ManagedFieldsEntry) bool { return !updated(entry) })
	removeFields(live.Object, ownedFields(live, updated).Difference(retained), retained)
	want := map[string]any{
		"clusterIP": "10.0.0.1", "selector": map[string]any{"app": "s"},
		"ports": []any{
			map[string]any{"port": int64(80), "protocol": "TCP", "targetPort": int64(8080)},
			map[string]any{"name": "tls", "port": int64(443), "protocol": "TCP", "targetPort": int64(443)},
		},
	}
	if diff := cmp.Diff(asJSON(t, want), asJSON(t, live.Object["spec"])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
