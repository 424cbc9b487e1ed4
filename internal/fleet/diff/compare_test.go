package diff_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

func TestStripIsTheHashInput(t *testing.T) {
	stripped := diff.Strip(config(t, "metadata: {name: a, namespace: ns}\ndata: {k: v}"))
	text, err := json.Marshal(stripped)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"apiVersion":"v1","data":{"k":"v"},"kind":"ConfigMap","metadata":{"annotations":{},"finalizers":[],"labels":{},"managedFields":[],"ownerReferences":[]}}`
	if string(text) != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(text)); got != "3c65892f4bb53a0e08fa497252d75d6146f3ed9a24a925f83aa5536296fa4563" {
		t.Errorf("hash is %s", got)
	}
}

func TestStrip(t *testing.T) {
	u := object(t, `
apiVersion: batch/v1
kind: CronJob
metadata:
  name: a
  namespace: ns
  generateName: a-
  uid: u
  resourceVersion: "1"
  generation: 2
  selfLink: s
  creationTimestamp: "2024-01-01T00:00:00Z"
  deletionTimestamp: "2024-01-01T00:00:00Z"
  deletionGracePeriodSeconds: 3
  finalizers: [f]
  managedFields: [{manager: m}]
  ownerReferences: [{kind: A}]
  unknown: kept
  labels: {app.kubernetes.io/name: x, helm.sh/chart: c, foo.k8s.io/bar: z, sigs.k8s.io/a: b, app: web}
  annotations:
    kubernetes-fleet.io/spec-hash: x
    fleet.terraform.io/last-applied-configuration: x
    kubectl.kubernetes.io/last-applied-configuration: x
    argocd.argoproj.io/tracking-id: shop
    meta.helm.sh/release-name: web
spec:
  template: {metadata: {creationTimestamp: null, labels: {app.kubernetes.io/name: kept}}}
  jobTemplate: {spec: {template: {metadata: {creationTimestamp: null, annotations: {a: b}}}}}
status: {active: 1}
`)
	before := manifest.Hash(u.Object)
	want := map[string]any{
		"apiVersion": "batch/v1", "kind": "CronJob",
		"metadata": map[string]any{
			"finalizers": []any{}, "managedFields": []any{}, "ownerReferences": []any{}, "unknown": "kept",
			"labels":      map[string]any{"helm.sh/chart": "c", "app": "web"},
			"annotations": map[string]any{"argocd.argoproj.io/tracking-id": "shop", "meta.helm.sh/release-name": "web"},
		},
		"spec": map[string]any{
			"template":    map[string]any{"metadata": map[string]any{"labels": map[string]any{"app.kubernetes.io/name": "kept"}}},
			"jobTemplate": map[string]any{"spec": map[string]any{"template": map[string]any{"metadata": map[string]any{"annotations": map[string]any{"a": "b"}}}}},
		},
	}
	if diff := cmp.Diff(want, diff.Strip(u)); diff != "" {
		t.Error(diff)
	}
	if manifest.Hash(u.Object) != before {
		t.Error("the original changed")
	}
	if got := diff.Strip(&unstructured.Unstructured{}); len(got) != 1 {
		t.Errorf("an empty object became %v", got)
	}
}

// TestFullComparison compares manifests without a dry run, as KubeFleet does under FullComparison.
func TestFullComparison(t *testing.T) {
	secret := func(rest string) *unstructured.Unstructured {
		return object(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: a, namespace: ns}\n"+rest)
	}
	meta := "metadata: {name: a, namespace: ns"
	tests := map[string]struct {
		desired, live *unstructured.Unstructured
		want          []string
	}{
		"a label": {
			object(t, "{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {owner: redfield}}}"),
			object(t, "{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {owner: wesker}}}"),
			[]string{`/metadata/labels/owner "wesker" / "redfield"`},
		},
		"a label and finalizers that the member has": {
			object(t, "{apiVersion: v1, kind: Namespace, metadata: {name: a}}"),
			object(t, "{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {use: hack}}, spec: {finalizers: [kubernetes]}}"),
			[]string{`/metadata/labels/use "hack" / -`, `/spec {"finalizers":["kubernetes"]} / -`},
		},
		"a container that was put first, in a custom resource": {
			sample(t, "{containers: [{name: app, image: a}]}"), sample(t, "{containers: [{name: side, image: s}, {name: app, image: a}]}"),
			[]string{`/spec/containers/0/image "s" / "a"`, `/spec/containers/0/name "side" / "app"`, `/spec/containers/- {"image":"a","name":"app"} / -`},
		},
		"an argument more": {sample(t, "{args: [x, y]}"), sample(t, "{args: [x, y, z]}"), []string{`/spec/args/- "z" / -`}},
		"elements that are missing, with the value and index of each": {
			sample(t, "{l: [a, b, c, d]}"), sample(t, "{l: [a, b]}"), []string{`/spec/l/2 - / "c"`, `/spec/l/3 - / "d"`},
		},
		"elements that are missing, in a list of lists": {
			sample(t, "{l: [[a, b], [c, d]]}"), sample(t, "{l: [[], []]}"),
			[]string{`/spec/l/0/0 - / "a"`, `/spec/l/0/1 - / "b"`, `/spec/l/1/0 - / "c"`, `/spec/l/1/1 - / "d"`},
		},
		"a label that is not compared": {
			config(t, meta+", labels: {app.kubernetes.io/name: x}}"), config(t, meta+", labels: {app.kubernetes.io/name: z}}"), nil,
		},
		"an annotation of Helm": {
			config(t, meta+"}"), config(t, meta+", annotations: {meta.helm.sh/release-name: web}}"),
			[]string{`/metadata/annotations/meta.helm.sh~1release-name "web" / -`},
		},
		"a Secret": {
			secret("data: {k: aHVudGVyMg==}"), secret("data: {k: aHVudGVyMw==}"),
			[]string{"/data/k (redacted for security reasons) / (redacted for security reasons)"},
		},
		"stringData": {
			secret("stringData: {k: hunter2}"), secret("data: {k: aHVudGVyMg==}\ntype: Opaque"),
			[]string{"/data (redacted for security reasons) / -", "/stringData - / (redacted for security reasons)", `/type "Opaque" / -`},
		},
		"a Secret that is copied into an annotation": {
			secret("data: {k: aHVudGVyMg==}"),
			object(t, `{apiVersion: v1, kind: Secret, metadata: {name: a, annotations: {example.org/last-applied: "{}", example.org/copy: "it is hunter2", example.org/team: red}}, data: {k: aHVudGVyMg==}}`),
			[]string{
				"/metadata/annotations/example.org~1copy (redacted for security reasons) / -",
				"/metadata/annotations/example.org~1last-applied (redacted for security reasons) / -", `/metadata/annotations/example.org~1team "red" / -`,
			},
		},
		"Secret of another group": {
			object(t, "{apiVersion: example.org/v1, kind: Secret, metadata: {name: a}, data: {k: v}}"),
			object(t, "{apiVersion: example.org/v1, kind: Secret, metadata: {name: a}, data: {k: w}}"),
			[]string{`/data/k "w" / "v"`},
		},
		"a quantity of a custom resource": {sample(t, "{cpu: 1000m}"), sample(t, "{cpu: '1'}"), []string{`/spec/cpu "1" / "1000m"`}},
		"escapes":                         {config(t, meta+", labels: {team/owner: a}}\ndata: {b/c~d: x}"), config(t, meta+"}\ndata: {}"), []string{`/data/b~1c~0d - / "x"`, `/metadata/labels/team~1owner - / "a"`}},
		"order of scalars":                {sample(t, "{l: [a, b]}"), sample(t, "{l: [b, a]}"), []string{`/spec/l/0 "b" / "a"`, `/spec/l/1 "a" / "b"`}},
		"types":                           {sample(t, "{a: {}, b: null, c: '80', d: []}"), sample(t, "{a: x, b: 1, c: 80, d: {}}"), []string{`/spec/a "x" / {}`, `/spec/b 1 / null`, `/spec/c 80 / "80"`, `/spec/d {} / []`}},
		"null and empty":                  {sample(t, "{a: null, b: {}, c: [], d: ''}"), sample(t, "{x: 1}"), []string{"/spec/a - / null", "/spec/b - / {}", "/spec/c - / []", `/spec/d - / ""`, "/spec/x 1 / -"}},
		"numbers":                         {sample(t, "{a: 1, b: 1.0, c: 1.5}"), sample(t, "{a: 1.0, b: 1, c: 1.5}"), nil},
		"large numbers, exact":            {sample(t, "{a: 1000000, b: 9007199254740993}"), sample(t, "{a: 2000000, b: 9007199254740995}"), []string{"/spec/a 2000000 / 1000000", "/spec/b 9007199254740995 / 9007199254740993"}},
		"numbers that are one float for KubeFleet": {sample(t, "{a: 9007199254740993}"), sample(t, "{a: 9007199254740992}"), nil},
		"our own annotation":                       {config(t, meta+"}"), config(t, meta+", annotations: {fleet.terraform.io/last-applied-configuration: x}}"), nil},
		"a removal among others": {
			sample(t, "{l: [{a: 1, b: 2}, {a: 3}], m: [x]}"), sample(t, "{l: [{a: 2}], m: []}"),
			[]string{"/spec/l/0/a 2 / 1", "/spec/l/0/b - / 2", `/spec/l/1 - / {"a":3}`, `/spec/m/0 - / "x"`},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := describe(compare(tt.desired, tt.live))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if text := strings.Join(got, " "); strings.Contains(text, "hunter") || strings.Contains(text, "aHVudGVy") {
				t.Errorf("a Secret is shown: %s", text)
			}
		})
	}
}

// undefaulted is a manifest as users write it; defaulted is the object that an API server creates from it, except for the replicas.
const (
	undefaulted = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: ns}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  strategy: {}
  template:
    metadata: {creationTimestamp: null, labels: {app: web}}
    spec:
      containers:
      - {name: web, image: nginx, ports: [{containerPort: 80}], resources: {}}
status: {}
`
	defaulted = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: ns, uid: u, generation: 3, annotations: {deployment.kubernetes.io/revision: "2"}}
spec:
  progressDeadlineSeconds: 600
  replicas: 2
  revisionHistoryLimit: 10
  selector: {matchLabels: {app: web}}
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 25%}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: nginx
        imagePullPolicy: Always
        ports: [{containerPort: 80, protocol: TCP}]
        resources: {}
        terminationMessagePath: /dev/termination-log
        terminationMessagePolicy: File
      dnsPolicy: ClusterFirst
      restartPolicy: Always
      schedulerName: default-scheduler
      securityContext: {}
      terminationGracePeriodSeconds: 30
status: {replicas: 2}
`
)

// TestFullComparisonOfAnUndefaultedDeployment expects the 14 paths of KubeFleet's own test, in this order.
func TestFullComparisonOfAnUndefaultedDeployment(t *testing.T) {
	want := []string{
		"/spec/progressDeadlineSeconds 600 / -", "/spec/replicas 2 / 1", "/spec/revisionHistoryLimit 10 / -",
		`/spec/strategy/rollingUpdate {"maxSurge":"25%","maxUnavailable":"25%"} / -`, `/spec/strategy/type "RollingUpdate" / -`,
		`/spec/template/spec/containers/0/imagePullPolicy "Always" / -`, `/spec/template/spec/containers/0/ports/0/protocol "TCP" / -`,
		`/spec/template/spec/containers/0/terminationMessagePath "/dev/termination-log" / -`,
		`/spec/template/spec/containers/0/terminationMessagePolicy "File" / -`, `/spec/template/spec/dnsPolicy "ClusterFirst" / -`,
		`/spec/template/spec/restartPolicy "Always" / -`, `/spec/template/spec/schedulerName "default-scheduler" / -`,
		`/spec/template/spec/securityContext {} / -`, `/spec/template/spec/terminationGracePeriodSeconds 30 / -`,
	}
	if diff := cmp.Diff(want, describe(compare(object(t, undefaulted), object(t, defaulted)))); diff != "" {
		t.Error(diff)
	}
	// The partial comparison finds only the replicas.
	if diff := cmp.Diff([]string{"/spec/replicas 2 / 1"}, describe(comparePartially(object(t, undefaulted), object(t, defaulted)))); diff != "" {
		t.Error(diff)
	}
}

func TestRender(t *testing.T) {
	tests := map[string]struct {
		value any
		want  string
	}{
		"text": {"a<b>", `"a<b>"`}, "number": {int64(2000000), "2000000"}, "null": {nil, "null"}, "text that is a number": {"80", `"80"`},
		"map":      {map[string]any{"b": int64(1), "a": []any{true}}, `{"a":[true],"b":1}`},
		"redacted": {diff.Redacted, diff.Redacted}, "nothing that is JSON": {func() {}, "(func())"},
		"long": {strings.Repeat("ä", 300), `"` + strings.Repeat("ä", 199) + "… (302 characters)"},
	}
	for name, tt := range tests {
		if got := diff.Render(tt.value); got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
	}
}

// values generates JSON values as an API server returns them.
func values() *rapid.Generator[any] {
	scalar := rapid.OneOf(rapid.SampledFrom([]any{nil, true, false, "", "a", "b"}), rapid.Int64Range(-3, 3).AsAny(), rapid.Just[any](1.5))
	key := rapid.SampledFrom([]string{"a", "b", "name", "x/y"})
	inner := rapid.OneOf(scalar, rapid.SliceOfN(scalar, 0, 3).AsAny(), rapid.MapOfN(key, scalar, 0, 3).AsAny())
	return rapid.OneOf(inner, rapid.SliceOfN(inner, 0, 3).AsAny(), rapid.MapOfN(key, inner, 0, 3).AsAny())
}

func drawObject(t *rapid.T, name string) *unstructured.Unstructured {
	kinds := rapid.SampledFrom([]string{"ConfigMap", "Secret", "Sample"})
	fields := map[string]any{
		"apiVersion": "v1", "kind": kinds.Draw(t, name+" kind"), "metadata": map[string]any{
			"name": "a", "uid": "u", "labels": map[string]any{"app": "x", "app.kubernetes.io/name": "y"}, "finalizers": []any{"f"},
		},
	}
	for _, field := range []string{"spec", "data", "stringData", "containers"} {
		fields[field] = values().Draw(t, name+" "+field)
	}
	return &unstructured.Unstructured{Object: fields}
}

func TestComparisonProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawObject(t, "a"), drawObject(t, "b")
		once := diff.Strip(a)
		if diff := cmp.Diff(once, diff.Strip(&unstructured.Unstructured{Object: once})); diff != "" {
			t.Fatalf("stripping twice: %s", diff)
		}
		for name, compare := range map[string]func(_, _ *unstructured.Unstructured) []diff.Difference{"full": compare, "partial": comparePartially} {
			if got := compare(a, a.DeepCopy()); len(got) > 0 {
				t.Fatalf("%s: an object differs from itself: %v", name, describe(got))
			}
			for _, d := range compare(a, b) {
				if !d.HasHub && !d.HasMember || !strings.HasPrefix(d.Path, "/") {
					t.Fatalf("%s: got %+v", name, d)
				}
			}
			if again := cmp.Diff(describe(compare(a, b)), describe(compare(a, b))); again != "" {
				t.Fatalf("%s: another order: %s", name, again)
			}
		}
		// Objects that are equal in full have no partial differences, and there are differences in both directions or in none.
		forth, back := compare(a, b), compare(b, a)
		if (len(forth) == 0) != (len(back) == 0) || len(forth) == 0 && !isCovered(a, b) {
			t.Fatalf("forth %v, back %v", describe(forth), describe(back))
		}
	})
}
