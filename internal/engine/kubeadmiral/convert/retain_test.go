package convert

import (
	"encoding/json"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	u := &unstructured.Unstructured{}
	data, err := yaml.YAMLToJSON([]byte(text))
	if err == nil {
		err = u.UnmarshalJSON(data)
	}
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// TestRetain checks which fields of a replaced object a member keeps and which it loses.
func TestRetain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ host, live, want string }{
		"metadata": {
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, generation: 4, labels: {own: host, kubeadmiral.io/cluster-propagation-policy-name: web},
			  annotations: {note: host, kubeadmiral.io/orphan: adopted}}, data: {a: "1"}}`,
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, resourceVersion: "7", finalizers: [x/y], labels: {own: member, theirs: "1"}}, data: {b: "2"}}`,
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, resourceVersion: "7", finalizers: [x/y],
			  labels: {own: host, theirs: "1", kubeadmiral.io/managed: "true"}, annotations: {note: host, kubeadmiral.io/adopted: "true",
			  kubeadmiral.io/source-generation: "4", kubeadmiral.io/propagated-label-keys: own, kubeadmiral.io/propagated-annotation-keys: note}}, data: {a: "1"}}`,
		},
		"what came from the host before": {
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}`,
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, resourceVersion: "7", labels: {was: host, kubeadmiral.io/managed: "true"},
			  annotations: {kubeadmiral.io/propagated-label-keys: was, kubeadmiral.io/propagated-annotation-keys: ""}}}`,
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, resourceVersion: "7", labels: {kubeadmiral.io/managed: "true"},
			  annotations: {kubeadmiral.io/propagated-label-keys: "", kubeadmiral.io/propagated-annotation-keys: ""}}}`,
		},
		"service": {
			`{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {clusterIP: 10.1.1.1, clusterIPs: [10.1.1.1], ports: [{port: 80, nodePort: 31000}, {name: b, port: 81}]}}`,
			`{apiVersion: v1, kind: Service, metadata: {name: a, resourceVersion: "7", labels: {kubeadmiral.io/managed: "true"}}, spec: {clusterIP: 10.2.2.2,
			  ports: [{port: 80, protocol: TCP, nodePort: 32000}, {name: c, port: 81, nodePort: 32001}]}}`,
			`{apiVersion: v1, kind: Service, metadata: {name: a, resourceVersion: "7", labels: {kubeadmiral.io/managed: "true"},
			  annotations: {kubeadmiral.io/propagated-label-keys: "", kubeadmiral.io/propagated-annotation-keys: ""}}, spec: {clusterIP: 10.2.2.2,
			  ports: [{port: 80, nodePort: 32000}, {name: b, port: 81}]}}`,
		},
		"job": {
			`{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {selector: {matchLabels: {batch.kubernetes.io/controller-uid: h}}, template: {metadata: {labels: {controller-uid: h}}}}}`,
			`{apiVersion: batch/v1, kind: Job, metadata: {name: a, resourceVersion: "7", labels: {kubeadmiral.io/managed: "true"}},
			  spec: {selector: {matchLabels: {batch.kubernetes.io/controller-uid: m}}, template: {metadata: {labels: {controller-uid: m}}}}}`,
			`{apiVersion: batch/v1, kind: Job, metadata: {name: a, resourceVersion: "7", labels: {kubeadmiral.io/managed: "true"},
			  annotations: {kubeadmiral.io/propagated-label-keys: "", kubeadmiral.io/propagated-annotation-keys: ""}},
			  spec: {selector: {matchLabels: {batch.kubernetes.io/controller-uid: m}}, template: {metadata: {labels: {controller-uid: m}}}}}`,
		},
	} {
		template := Template(object(t, c.host))
		desired := ForMember(template)
		Mark(desired, template.GetGeneration())
		Retain(desired, object(t, c.live))
		desired.SetResourceVersion(object(t, c.live).GetResourceVersion())
		got, _ := json.Marshal(desired.Object)
		want, _ := json.Marshal(object(t, c.want).Object)
		if string(got) != string(want) {
			t.Errorf("%s:\n%s, want\n%s", name, got, want)
		}
	}
}
