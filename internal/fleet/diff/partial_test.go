package diff_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
)

// pods returns a Deployment with a pod spec.
func pods(t *testing.T, spec string) *unstructured.Unstructured {
	t.Helper()
	return object(t, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {template: {spec: "+spec+"}}}")
}

func thing(t *testing.T, apiVersion, kind, rest string) *unstructured.Unstructured {
	t.Helper()
	return object(t, fmt.Sprintf("{apiVersion: %s, kind: %s, metadata: {name: a}, %s}", apiVersion, kind, rest))
}

func TestPartial(t *testing.T) {
	const spec = "/spec/template/spec"
	tests := map[string]struct {
		desired, live *unstructured.Unstructured
		want          []string
	}{
		"a label that others have set": {
			object(t, "{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {owner: redfield}}}"),
			object(t, "{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {owner: redfield, use: hack}}, spec: {finalizers: [kubernetes]}}"), nil,
		},
		"replicas that the manifest leaves out": {thing(t, "apps/v1", "Deployment", "spec: {}"), thing(t, "apps/v1", "Deployment", "spec: {replicas: 5}"), nil},
		"a container that was injected":         {pods(t, "{containers: [{name: app, image: a}]}"), pods(t, "{containers: [{name: app, image: a}, {name: side, image: s}]}"), nil},
		"a container that was put first":        {pods(t, "{containers: [{name: app, image: a}]}"), pods(t, "{containers: [{name: side, image: s}, {name: app, image: b}]}"), []string{spec + `/containers/1/image "b" / "a"`}},
		"an argument more":                      {pods(t, "{containers: [{name: app, args: [x, y]}]}"), pods(t, "{containers: [{name: app, args: [x, y, z]}]}"), []string{spec + `/containers/0/args/- "z" / -`}},
		"arguments that are missing": {
			pods(t, "{containers: [{name: app, args: [x, '', z]}]}"), pods(t, "{containers: [{name: app, args: [x]}]}"),
			[]string{spec + `/containers/0/args/1 - / ""`, spec + `/containers/0/args/2 - / "z"`},
		},
		"a container that is missing": {
			pods(t, "{containers: [{name: app}, {name: side}]}"), pods(t, "{containers: [{name: app}, {name: other}]}"), []string{spec + `/containers/2 - / {"name":"side"}`},
		},
		"env, put first": {
			pods(t, "{containers: [{name: app, env: [{name: A, value: '1'}]}]}"), pods(t, "{containers: [{name: app, env: [{name: B}, {name: A, value: '2'}]}]}"),
			[]string{spec + `/containers/0/env/1/value "2" / "1"`},
		},
		"ports without noise": {
			pods(t, "{containers: [{name: app, ports: [{containerPort: 80}, {containerPort: 81}]}]}"),
			pods(t, "{containers: [{name: app, ports: [{containerPort: 81, protocol: TCP}, {containerPort: 82, protocol: TCP}]}]}"),
			[]string{spec + `/containers/0/ports/2 - / {"containerPort":80}`},
		},
		"ports of two protocols": {
			pods(t, "{containers: [{name: app, ports: [{containerPort: 53, protocol: UDP}]}]}"),
			pods(t, "{containers: [{name: app, ports: [{containerPort: 53, protocol: TCP}, {containerPort: 53, protocol: UDP}]}]}"), nil,
		},
		"ports of a Service": {
			thing(t, "v1", "Service", "spec: {ports: [{port: 81, name: b}, {port: 80, targetPort: 8080}]}"),
			thing(t, "v1", "Service", "spec: {ports: [{port: 80, protocol: TCP, targetPort: 80, nodePort: 30000}, {port: 81, protocol: TCP, name: b}]}"),
			[]string{`/spec/ports ["port=80","port=81"] / ["port=81","port=80"]`, "/spec/ports/0/targetPort 80 / 8080"},
		},
		"ports of an EndpointSlice are replaced as a whole": {
			thing(t, "discovery.k8s.io/v1", "EndpointSlice", "ports: [{port: 80}]"), thing(t, "discovery.k8s.io/v1", "EndpointSlice", "ports: [{port: 81}, {port: 80}]"),
			[]string{"/ports/0/port 81 / 80", `/ports/- {"port":80} / -`},
		},
		"elements that the key does not distinguish": {
			pods(t, "{containers: [{name: app, ports: [{containerPort: 80}, {containerPort: 80}]}]}"), pods(t, "{containers: [{name: app, ports: [{containerPort: 80}]}]}"),
			[]string{spec + `/containers/0/ports/1 - / {"containerPort":80}`},
		},
		"volumes, mounts, secrets, init containers": {
			pods(t, "{volumes: [{name: b, emptyDir: {sizeLimit: 1Gi}}], imagePullSecrets: [{name: x}], initContainers: [{name: i, volumeMounts: [{mountPath: /b, name: b}]}]}"),
			pods(t, "{volumes: [{name: a}, {name: b, emptyDir: {sizeLimit: 1024Mi}}], imagePullSecrets: [{name: z}, {name: x}], initContainers: [{name: h}, {name: i, volumeMounts: [{mountPath: /a, name: a}, {mountPath: /b, name: b}]}]}"), nil,
		},
		"webhooks by name, with the CA that was injected": {
			thing(t, "admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "webhooks: [{name: b, clientConfig: {url: u}, rules: [{operations: [CREATE]}]}]"),
			thing(t, "admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "webhooks: [{name: a}, {name: b, clientConfig: {url: u, caBundle: x}, rules: [{operations: [CREATE], scope: '*'}]}]"), nil,
		},
		"lists of custom resources go by index": {
			sample(t, "{containers: [{name: app}]}"), sample(t, "{containers: [{name: side}, {name: app}]}"),
			[]string{`/spec/containers/0/name "side" / "app"`, `/spec/containers/- {"name":"app"} / -`},
		},
		"quantities": {
			pods(t, "{containers: [{name: app, resources: {limits: {cpu: 1000m, memory: 1024Mi}, requests: {cpu: 1}}}]}"),
			pods(t, "{containers: [{name: app, resources: {limits: {cpu: '1', memory: 1Gi}, requests: {cpu: 1}}}]}"), nil,
		},
		"quantities that are equal and stay as they are": {
			pods(t, "{containers: [{name: app, resources: {limits: {memory: 1073741824}}}]}"), pods(t, "{containers: [{name: app, resources: {limits: {memory: 1Gi}}}]}"),
			[]string{spec + `/containers/0/resources/limits/memory "1Gi" / 1073741824`},
		},
		"quantities that differ": {
			thing(t, "v1", "ResourceQuota", "spec: {hard: {requests.cpu: '1', pods: many}}"), thing(t, "v1", "ResourceQuota", "spec: {hard: {requests.cpu: '2', pods: '10'}}"),
			[]string{`/spec/hard/pods "10" / "many"`, `/spec/hard/requests.cpu "2" / "1"`},
		},
		"quantities of an autoscaler": {
			thing(t, "autoscaling/v2", "HorizontalPodAutoscaler", "spec: {metrics: [{pods: {target: {averageValue: 1k}}}]}"),
			thing(t, "autoscaling/v2", "HorizontalPodAutoscaler", "spec: {metrics: [{pods: {target: {averageValue: '1000'}}}]}"), nil,
		},
		"a value is no quantity elsewhere": {
			pods(t, "{containers: [{name: app, env: [{name: A, value: 1k}]}]}"), pods(t, "{containers: [{name: app, env: [{name: A, value: '1000'}]}]}"),
			[]string{spec + `/containers/0/env/0/value "1000" / "1k"`},
		},
		"custom resources keep what was written":       {sample(t, "{limits: {cpu: 1000m}}"), sample(t, "{limits: {cpu: '1'}}"), []string{`/spec/limits/cpu "1" / "1000m"`}},
		"definitions have no quantities":               {thing(t, "apiextensions.k8s.io/v1", "CustomResourceDefinition", "spec: {default: {a: 1}}"), thing(t, "apiextensions.k8s.io/v1", "CustomResourceDefinition", "spec: {default: {a: '1'}}"), []string{`/spec/default/a "1" / 1`}},
		"stringData is data":                           {thing(t, "v1", "Secret", "stringData: {k: v}"), thing(t, "v1", "Secret", "type: Opaque, data: {k: dg==, other: eA==}"), nil},
		"stringData wins":                              {thing(t, "v1", "Secret", "data: {k: eA==}, stringData: {k: v}"), thing(t, "v1", "Secret", "data: {k: eA==}"), []string{"/data/k " + diff.Redacted + " / " + diff.Redacted}},
		"data with line breaks":                        {thing(t, "v1", "Secret", `data: {k: "d\ng=="}`), thing(t, "v1", "Secret", "data: {k: dg==}"), nil},
		"data that is missing":                         {thing(t, "v1", "Secret", "data: {k: dg==}"), thing(t, "v1", "Secret", "type: Opaque"), []string{"/data - / " + diff.Redacted}},
		"null asks for nothing":                        {thing(t, "v1", "ConfigMap", "data: null, immutable: null"), thing(t, "v1", "ConfigMap", "data: {a: b}"), nil},
		"empty maps and lists ask for nothing":         {pods(t, "{containers: [{name: a, resources: {limits: {}}, env: []}], nodeSelector: {}, tolerations: []}"), pods(t, "{containers: [{name: a}]}"), nil},
		"empty structures are kept":                    {pods(t, "{affinity: {nodeAffinity: {}}, volumes: [{name: a, emptyDir: {}}]}"), pods(t, "{volumes: [{name: a, hostPath: {path: /}}]}"), []string{spec + `/affinity - / {"nodeAffinity":{}}`, spec + "/volumes/0/emptyDir - / {}"}},
		"an empty list where there is one":             {pods(t, "{tolerations: []}"), pods(t, "{tolerations: [{key: a}]}"), []string{spec + `/tolerations/- {"key":"a"} / -`}},
		"zeros that the types leave out":               {pods(t, "{hostNetwork: false, containers: [{name: a, env: [{name: A, value: ''}], livenessProbe: {initialDelaySeconds: 0}}]}"), pods(t, "{containers: [{name: a, env: [{name: A}], livenessProbe: {periodSeconds: 10}}]}"), nil},
		"zeros that are there":                         {pods(t, "{hostNetwork: false}"), pods(t, "{hostNetwork: true}"), []string{spec + "/hostNetwork true / false"}},
		"zeros of a custom resource":                   {sample(t, "{enabled: false}"), sample(t, "{}"), []string{"/spec/enabled - / false"}},
		"other types":                                  {sample(t, "{a: {b: 1}, c: [1], d: x}"), sample(t, "{a: x, c: {}, d: [x]}"), []string{`/spec/a "x" / {"b":1}`, "/spec/c {} / [1]", `/spec/d ["x"] / "x"`}},
		"numbers":                                      {sample(t, "{a: 1, b: 2}"), sample(t, "{a: 1.0, b: 2.5}"), []string{"/spec/b 2.5 / 2"}},
		"a subtree is one difference":                  {sample(t, "{a: {b: {c: 1}}}"), sample(t, "{}"), []string{`/spec/a - / {"b":{"c":1}}`}},
		"injected labels of a pod template are extras": {pods(t, "{}"), pods(t, "{containers: [{name: a}]}"), nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := comparePartially(tt.desired, tt.live)
			if diff := cmp.Diff(tt.want, describe(got)); diff != "" {
				t.Error(diff)
			}
			if isCovered(tt.desired, tt.live) != (len(tt.want) == 0) {
				t.Errorf("covered is %t", len(tt.want) != 0)
			}
		})
	}
}

func TestPathsDoNotShareMemory(t *testing.T) {
	desired, live := sample(t, "{a: {b: {c: 1, d: 2, e: 3}}}"), sample(t, "{a: {b: {x: 1}}}")
	want := []string{"/spec/a/b/c - / 1", "/spec/a/b/d - / 2", "/spec/a/b/e - / 3"}
	if diff := cmp.Diff(want, describe(comparePartially(desired, live))); diff != "" {
		t.Error(diff)
	}
}
