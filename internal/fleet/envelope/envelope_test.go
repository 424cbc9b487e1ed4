package envelope

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// seed is the envelope in Microsoft's article on reserved resources, with the indentation that is missing there.
const seed = `
apiVersion: v1
kind: ConfigMap
metadata:
  name: envelope-configmap
  namespace: app
  annotations:
    kubernetes-fleet.io/envelope-configmap: "true"
data:
  resourceQuota.yaml: |
    apiVersion: v1
    kind: ResourceQuota
    metadata:
      name: mem-cpu-demo
      namespace: app
    spec:
      hard:
        requests.cpu: "1"
        requests.memory: 1Gi
        limits.cpu: "2"
        limits.memory: 2Gi
  webhook.yaml: |
    apiVersion: admissionregistration.k8s.io/v1
    kind: MutatingWebhookConfiguration
    metadata:
      creationTimestamp: null
      labels:
        azure-workload-identity.io/system: "true"
      name: azure-wi-webhook-mutating-webhook-configuration
    webhooks:
    - admissionReviewVersions:
      - v1
      - v1beta1
      clientConfig:
        service:
          name: azure-wi-webhook-webhook-service
          namespace: app
          path: /mutate-v1-pod
      failurePolicy: Fail
      matchPolicy: Equivalent
      name: mutation.azure-workload-identity.io
      rules:
      - apiGroups:
        - ""
        apiVersions:
        - v1
        operations:
        - CREATE
        - UPDATE
        resources:
        - pods
      sideEffects: None
`

func parse(t *testing.T, text string) []manifest.Object {
	t.Helper()
	objects, err := manifest.Parse("test", text)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// describeAll lists objects with their envelopes.
func describeAll(objects []manifest.Object) []string {
	var texts []string
	for _, o := range objects {
		text := o.String()
		if o.Envelope != nil {
			text += " from " + o.Envelope.String()
		}
		texts = append(texts, text)
	}
	return texts
}

func TestOpenTheSeed(t *testing.T) {
	objects, errs := Open(parse(t, seed))
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	want := []string{
		"ResourceQuota app/mem-cpu-demo from ConfigMap app/envelope-configmap",
		"MutatingWebhookConfiguration azure-wi-webhook-mutating-webhook-configuration from ConfigMap app/envelope-configmap",
	}
	if diff := cmp.Diff(want, describeAll(objects)); diff != "" {
		t.Error(diff)
	}
}

func TestOpen(t *testing.T) {
	tests := map[string]struct {
		text string
		want []string
		errs []string
	}{
		"5.1 entries of a ConfigMap": {
			text: `
apiVersion: v1
kind: ConfigMap
metadata: {name: e, namespace: app, annotations: {kubernetes-fleet.io/envelope-configmap: "false"}}
data:
  b: '{apiVersion: v1, kind: ConfigMap, metadata: {name: no-namespace}}'
  a: '{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "app"}}'
  c: '{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: app}}'
binaryData: {d: eA==}`,
			want: []string{
				"Namespace app from ConfigMap app/e", "ConfigMap no-namespace from ConfigMap app/e", "ConfigMap app/c from ConfigMap app/e",
			},
		},
		"5.1 entries that are wrong": {
			text: `
apiVersion: v1
kind: ConfigMap
metadata: {name: e, namespace: app, annotations: {kubernetes-fleet.io/envelope-configmap: "true"}}
data:
  empty: ""
  good: '{apiVersion: v1, kind: Namespace, metadata: {name: app}}'
  other: '{apiVersion: v1, kind: Secret, metadata: {name: x, namespace: other}}'
  text: hunter2
  two: |
    {apiVersion: v1, kind: Namespace, metadata: {name: a}}
    ---
    {apiVersion: v1, kind: Namespace, metadata: {name: b}}`,
			want: []string{"Namespace app from ConfigMap app/e"},
			errs: []string{
				`ConfigMap app/e, key "empty": has 0 objects, and a key of an envelope must have exactly one: use a separate key for every object`,
				`ConfigMap app/e, key "other": Secret other/x is in namespace other, and the envelope in namespace app: an envelope contains only objects of its own namespace and cluster-scoped objects`,
				`ConfigMap app/e, key "text": this is not a Kubernetes object but a single value or a list`,
				`ConfigMap app/e, key "two": has 2 objects, and a key of an envelope must have exactly one: use a separate key for every object`,
			},
		},
		"data that is no text": {
			text: `{apiVersion: v1, kind: ConfigMap, metadata: {name: e, namespace: app, annotations: {kubernetes-fleet.io/envelope-configmap: "1"}}, data: {a: {b: hunter2}}}`,
			errs: []string{"ConfigMap app/e: data has a value that is not a string"},
		},
		"what is no envelope stays": {
			text: `
{apiVersion: v1, kind: ConfigMap, metadata: {name: plain, namespace: app, annotations: {kubernetes-fleet.io/envelope-configmap: ""}}, data: {a: "x"}}
---
{apiVersion: example.org/v1, kind: ConfigMap, metadata: {name: other, annotations: {kubernetes-fleet.io/envelope-configmap: "true"}}}`,
			want: []string{"ConfigMap app/plain", "ConfigMap.example.org other"},
		},
		"5.2 ResourceEnvelope": {
			text: `
{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ResourceEnvelope, metadata: {name: e, namespace: app}, data: {
  b: {apiVersion: v1, kind: ResourceQuota, metadata: {name: q, namespace: app}},
  a: {apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: app}}}}`,
			want: []string{"ConfigMap app/c from ResourceEnvelope app/e", "ResourceQuota app/q from ResourceEnvelope app/e"},
		},
		"5.2 ResourceEnvelope with what it must not hold": {
			text: `
{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ResourceEnvelope, metadata: {name: envelope, namespace: w}, data: {
  webhook.yaml: {apiVersion: v1, kind: Namespace, metadata: {name: hook}},
  cm: {apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: other}},
  text: "apiVersion: v1",
  nameless: {apiVersion: v1, kind: ConfigMap}}}`,
			errs: []string{
				`ResourceEnvelope w/envelope, key "cm": a namespaced object cm (other/x) has been wrapped in a resource envelope from another namespace (w/envelope)`,
				`ResourceEnvelope w/envelope, key "nameless": metadata is missing`,
				`ResourceEnvelope w/envelope, key "text": this is not an object: write the content of an envelope inline, not as a string`,
				`ResourceEnvelope w/envelope, key "webhook.yaml": a cluster scope object webhook.yaml (hook) has been wrapped in a resource envelope w/envelope`,
			},
		},
		"5.2 ClusterResourceEnvelope": {
			text: `
{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterResourceEnvelope, metadata: {name: e}, data: {
  a: {apiVersion: v1, kind: Namespace, metadata: {name: app}}, cm: {apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: app}}}}`,
			want: []string{"Namespace app from ClusterResourceEnvelope e"},
			errs: []string{`ClusterResourceEnvelope e, key "cm": a namespaced object cm (app/x) has been wrapped in a cluster resource envelope e`},
		},
		"data that is no mapping": {
			text: `{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterResourceEnvelope, metadata: {name: e}, data: [a]}`,
			errs: []string{"ClusterResourceEnvelope e: data is not a mapping"},
		},
		"an envelope inside an envelope stays closed": {
			text: `
{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterResourceEnvelope, metadata: {name: e}, data: {
  a: {apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterResourceEnvelope, metadata: {name: inner}, data: {}}}}`,
			want: []string{"ClusterResourceEnvelope.placement.kubernetes-fleet.io inner from ClusterResourceEnvelope e"},
		},
		"duplicates": {
			text: `
{apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: app}}
---
{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ResourceEnvelope, metadata: {name: e, namespace: app}, data: {
  a: {apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: app}}, b: {apiVersion: v1, kind: ConfigMap, metadata: {name: d, namespace: app}},
  c: {apiVersion: v1, kind: ConfigMap, metadata: {name: d, namespace: app}}}}`,
			want: []string{"ConfigMap app/c", "ConfigMap app/d from ResourceEnvelope app/e"},
			errs: []string{
				"ConfigMap app/c is listed twice: on its own and in ResourceEnvelope app/e",
				"ConfigMap app/d is listed twice in ResourceEnvelope app/e",
			},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			in := parse(t, tt.text)
			hash := in[0].Hash()
			opened, errs := Open(in)
			if diff := cmp.Diff(tt.want, describeAll(opened)); diff != "" {
				t.Error(diff)
			}
			var texts []string
			for _, err := range errs {
				texts = append(texts, err.Error())
			}
			if diff := cmp.Diff(tt.errs, texts); diff != "" {
				t.Error(diff)
			}
			if strings.Contains(strings.Join(texts, ""), "hunter2") {
				t.Error("an error contains a value")
			}
			if in[0].Hash() != hash {
				t.Error("the envelope changed")
			}
		})
	}
}

func TestOpenLeavesOthersAsTheyAre(t *testing.T) {
	namespace := parse(t, "{apiVersion: v1, kind: Namespace, metadata: {name: a}}")
	if got, errs := Open(namespace); len(errs) > 0 || len(got) != 1 || got[0].Envelope != nil {
		t.Errorf("got %v, %v", describeAll(got), errs)
	}
}

func TestErrorsNameTheEntry(t *testing.T) {
	got, errs := Open(parse(t, `{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ResourceEnvelope, metadata: {name: e, namespace: n-s}, data: {a: x}}`))
	if len(got) > 0 || len(errs) != 1 {
		t.Fatalf("got %v, %v", describeAll(got), errs)
	}
	if entry, ok := errors.AsType[*Error](errs[0]); !ok || entry.Key != "a" || entry.Envelope.Type != string(TypeResourceEnvelope) {
		t.Errorf("got %v", errs[0])
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(seed)
	f.Add(`{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ResourceEnvelope, metadata: {name: e, namespace: a}, data: {a: {b: c}}}`)
	f.Add(`{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterResourceEnvelope, metadata: {name: e}, data: [1]}`)
	f.Fuzz(func(t *testing.T, text string) {
		objects, err := manifest.Parse("fuzz", text)
		if err != nil {
			return
		}
		opened, errs := Open(objects)
		for _, o := range opened {
			if o.Kind == "" || o.Name == "" {
				t.Errorf("incomplete: %+v", o.Identifier)
			}
		}
		if again := manifest.Duplicates(opened); len(again) > 0 {
			t.Errorf("remaining duplicates: %v, %v", again, errs)
		}
	})
}
