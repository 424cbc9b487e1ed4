package kube

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

func fromYAML(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	out := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &out.Object); err != nil {
		t.Fatal(err)
	}
	return out
}

const deploymentBefore = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: web, labels: {team: a}}
spec:
  template:
    spec:
      containers:
      - {name: app, image: "app:1", env: [{name: OLD, value: "1"}]}
      - {name: old-sidecar, image: "x"}
`

const deploymentAfter = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: web}
spec:
  template:
    spec:
      containers:
      - {name: app, image: "app:2"}
`

// deploymentLive has additions by others: a replica count, a label, a sidecar.
const deploymentLive = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: api, namespace: web, uid: u-1, resourceVersion: "7", labels: {team: a, injected: "yes"}}
spec:
  replicas: 3
  template:
    spec:
      containers:
      - {name: app, image: "app:1", imagePullPolicy: Always, env: [{name: OLD, value: "1"}, {name: INJECTED, value: "2"}]}
      - {name: old-sidecar, image: "x"}
      - {name: mesh, image: "mesh:1"}
`

func TestThreeWayMergeOfKnownKinds(t *testing.T) {
	const annotation = "a/last"
	before, err := withLastApplied(fromYAML(t, deploymentBefore), annotation)
	if err != nil {
		t.Fatal(err)
	}
	live := fromYAML(t, deploymentLive)
	live.SetAnnotations(map[string]string{annotation: before.GetAnnotations()[annotation]})
	after, err := withLastApplied(fromYAML(t, deploymentAfter), annotation)
	if err != nil {
		t.Fatal(err)
	}
	kind, data, err := threeWay(lastApplied(live, annotation), after, live, true)
	if err != nil || kind != types.StrategicMergePatchType {
		t.Fatal(kind, err)
	}
	var patch map[string]any
	if err := json.Unmarshal(data, &patch); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"metadata": map[string]any{
			// If the manifest drops a whole map or list, it is removed including the entries of others, as with kubectl.
			"uid": "u-1", "resourceVersion": "7", "labels": nil,
			"annotations": map[string]any{annotation: after.GetAnnotations()[annotation]},
		},
		"spec": map[string]any{"template": map[string]any{"spec": map[string]any{
			"$setElementOrder/containers": []any{map[string]any{"name": "app"}},
			"containers": []any{
				map[string]any{"name": "app", "image": "app:2", "env": nil},
				map[string]any{"$patch": "delete", "name": "old-sidecar"},
			},
		}}},
	}
	if diff := cmp.Diff(want, patch); diff != "" {
		t.Errorf("patch (-want +got):\n%s", diff)
	}
}

const widgetLive = `
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, namespace: web, uid: u-1, resourceVersion: "7"}
spec: {size: 1, colors: [red, blue], extra: theirs, old: ours}
`

func TestThreeWayMergeOfOtherKinds(t *testing.T) {
	const annotation = "a/last"
	before, _ := withLastApplied(fromYAML(t, "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: web}, spec: {size: 1, old: ours}}"), annotation)
	live := fromYAML(t, widgetLive)
	live.SetAnnotations(map[string]string{annotation: before.GetAnnotations()[annotation]})
	after, _ := withLastApplied(fromYAML(t, "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: web}, spec: {size: 2, colors: [red]}}"), annotation)
	kind, data, err := threeWay(lastApplied(live, annotation), after, live, false)
	if err != nil || kind != types.MergePatchType {
		t.Fatal(kind, err)
	}
	var patch map[string]any
	if err := json.Unmarshal(data, &patch); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"metadata": map[string]any{"uid": "u-1", "annotations": map[string]any{annotation: after.GetAnnotations()[annotation]}},
		"spec":     map[string]any{"size": 2.0, "colors": []any{"red"}, "old": nil},
	}
	if diff := cmp.Diff(want, patch); diff != "" {
		t.Errorf("patch (-want +got):\n%s", diff)
	}
}

func TestThreeWayWithoutLastAppliedRemovesNothing(t *testing.T) {
	live := fromYAML(t, widgetLive)
	for _, value := range []string{"", "not JSON", "null", `"text"`} {
		live.SetAnnotations(map[string]string{"a": value})
		after, _ := withLastApplied(fromYAML(t, "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: web}, spec: {size: 2}}"), "a")
		_, data, err := threeWay(lastApplied(live, "a"), after, live, false)
		if err != nil || strings.Contains(string(data), "null") {
			t.Errorf("%q: %s, %v", value, data, err)
		}
	}
}

func TestNothingToChange(t *testing.T) {
	for _, text := range []string{deploymentAfter, "{apiVersion: example.com/v1, kind: Widget, metadata: {name: w, namespace: web}, spec: {size: 1}}"} {
		desired, _ := withLastApplied(fromYAML(t, text), DefaultLastAppliedAnnotation)
		live := desired.DeepCopy()
		live.SetUID("u-1")
		live.SetResourceVersion("7")
		_, data, err := threeWay(lastApplied(live, DefaultLastAppliedAnnotation), desired, live, true)
		if err != nil || data != nil {
			t.Errorf("%s, %v", data, err)
		}
		// The cluster has no address: a request would fail.
		cluster := NewCluster("none", connection.Connection{}, Options{}, nil)
		result, changed, err := cluster.ApplyClientSide(t.Context(), fromYAML(t, text), live, ApplyOptions{})
		if err != nil || changed || result != live {
			t.Errorf("%v, %v", changed, err)
		}
	}
}

// MergeClientSide predicts a client-side apply without a request, except for defaults: it keeps fields that were never applied, and removes applied fields that
// the manifest no longer has.
func TestMergeClientSide(t *testing.T) {
	const job = "{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {selector: {matchLabels: {batch.kubernetes.io/controller-uid: u}}}}"
	before := fromYAML(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, annotations: {theirs: x}}, data: {a: '1', b: '1'}}")
	applied, _ := withLastApplied(fromYAML(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: '1', b: '1'}}"), DefaultLastAppliedAnnotation)
	annotations := applied.GetAnnotations()
	annotations["theirs"] = "x"
	before.SetAnnotations(annotations)
	large := fromYAML(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: "+strings.Repeat("x", maxAnnotationBytes)+"}}")
	for name, tt := range map[string]struct {
		desired, live *unstructured.Unstructured
		options       ApplyOptions
		path          []string
		want          string
	}{
		"a label that was never applied": {
			fromYAML(t, "{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {selector: {matchLabels: {}}}}"), fromYAML(t, job), ApplyOptions{},
			[]string{"spec", "selector", "matchLabels", "batch.kubernetes.io/controller-uid"}, "u",
		},
		"a key that was applied": {fromYAML(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: '2'}}"), before, ApplyOptions{}, []string{"data", "b"}, ""},
		"a key that stays":       {fromYAML(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: '2'}}"), before, ApplyOptions{}, []string{"data", "a"}, "2"},
		"an annotation of others": {
			fromYAML(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: '2'}}"), before, ApplyOptions{}, []string{"metadata", "annotations", "theirs"}, "x",
		},
		"nothing to change": {fromYAML(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: '1', b: '1'}}"), before, ApplyOptions{}, []string{"data", "b"}, "1"},
	} {
		t.Run(name, func(t *testing.T) {
			merged := MergeClientSide(tt.desired, tt.live, tt.options)
			if merged == nil {
				t.Fatal("it cannot be merged")
			}
			if got, _, _ := unstructured.NestedString(merged.Object, tt.path...); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	if MergeClientSide(large, before, ApplyOptions{LargeServerSide: true}) != nil {
		t.Error("an object for a server-side apply was merged")
	}
	if MergeClientSide(fromYAML(t, "{apiVersion: v1, kind: Secret, metadata: {name: c}}"), before, ApplyOptions{}) != nil {
		t.Error("another object was merged")
	}
}

func TestThreeWayRefusesAnotherObject(t *testing.T) {
	live := fromYAML(t, widgetLive)
	for _, text := range []string{
		"{apiVersion: example.com/v1, kind: Widget, metadata: {name: other}}", "{apiVersion: example.com/v2, kind: Widget, metadata: {name: w}}",
		"{apiVersion: example.com/v1, kind: Gadget, metadata: {name: w}}",
	} {
		if _, _, err := threeWay(nil, fromYAML(t, text), live, false); !IsInvalid(err) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestMergeErrorsQuoteNothing(t *testing.T) {
	live := fromYAML(t, "{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {a: aHVudGVyMg==}}")
	for _, text := range []string{
		"{apiVersion: v1, kind: Secret, metadata: {name: s}, data: [hunter2]}", "{apiVersion: v1, kind: Secret, metadata: {name: s, ownerReferences: [{name: hunter2}]}}",
	} {
		_, _, err := threeWay([]byte(`{"data": "hunter2"}`), fromYAML(t, text), live, false)
		if err != nil && strings.Contains(err.Error(), "hunter2") {
			t.Error(err)
		}
	}
}

// The provider's annotation has the keys of a Secret, which a merge needs, and no values. A removed key leaves the live Secret.
func TestLastAppliedOfSecret(t *testing.T) {
	t.Parallel()
	secret := fromYAML(t, "{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {a: aHVudGVyMg==, b: aHVudGVyMg==}, stringData: {c: hunter2}}")
	out, err := withLastApplied(secret, DefaultLastAppliedAnnotation)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"apiVersion":"v1","data":{"a":"(hidden)","b":"(hidden)"},"kind":"Secret","metadata":{"name":"s"},"stringData":{"c":"(hidden)"}}`
	if got := out.GetAnnotations()[DefaultLastAppliedAnnotation]; got != want {
		t.Error(got)
	}
	sent, _, _ := unstructured.NestedString(out.Object, "data", "a")
	given, _, _ := unstructured.NestedString(secret.Object, "stringData", "c")
	if sent != "aHVudGVyMg==" || given != "hunter2" {
		t.Error("a value that is sent is hidden, or the argument was changed")
	}
	of := func(data string) *unstructured.Unstructured {
		out, err := withLastApplied(fromYAML(t, "{apiVersion: v1, kind: Secret, metadata: {name: s}, data: "+data+"}"), DefaultLastAppliedAnnotation)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	live := of("{a: QQ==, b: Qg==}")
	if _, patch, err := threeWay(lastApplied(live, DefaultLastAppliedAnnotation), of("{a: QQ==, b: Qg==}"), live, false); err != nil || patch != nil {
		t.Errorf("nothing changed: %s, %v", patch, err)
	}
	_, patch, err := threeWay(lastApplied(live, DefaultLastAppliedAnnotation), of("{a: Qw==}"), live, false)
	if err != nil || !strings.Contains(string(patch), `"data":{"a":"Qw==","b":null}`) {
		t.Errorf("%s, %v", patch, err)
	}

	malformed, err := withLastApplied(fromYAML(t, "{apiVersion: v1, kind: Secret, metadata: {name: s}, data: [aHVudGVyMg==]}"), DefaultLastAppliedAnnotation)
	if err != nil || strings.Contains(malformed.GetAnnotations()[DefaultLastAppliedAnnotation], "hunter2") ||
		strings.Contains(malformed.GetAnnotations()[DefaultLastAppliedAnnotation], "aHVu") {
		t.Errorf("%v, %v", malformed, err)
	}
	agents, _ := withLastApplied(secret, "agent/last")
	if !strings.Contains(agents.GetAnnotations()["agent/last"], "aHVudGVyMg==") {
		t.Error("the annotation of an agent differs from what the agent writes")
	}
}

func TestLastApplied(t *testing.T) {
	obj := fromYAML(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c, uid: u, resourceVersion: "3", annotations: {a/last: stale, keep: me}}, data: {k: v}}`)
	out, err := withLastApplied(obj, "a/last")
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"apiVersion":"v1","data":{"k":"v"},"kind":"ConfigMap","metadata":{"annotations":{"keep":"me"},"name":"c"}}`
	if got := out.GetAnnotations()["a/last"]; got != want {
		t.Error(got)
	}
	if out.GetUID() != "" || obj.GetUID() != "u" || obj.GetAnnotations()["a/last"] != "stale" {
		t.Error("the argument was changed, or fields that the server sets are sent")
	}
	bare, _ := withLastApplied(fromYAML(t, "{apiVersion: v1, kind: ConfigMap, metadata: {name: c, annotations: {a/last: stale}}}"), "a/last")
	if got := bare.GetAnnotations()["a/last"]; got != `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}` {
		t.Error(got)
	}

	// The limit applies to the keys and values of all annotations together.
	empty, _ := withLastApplied(fromYAML(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {k: ""}}`), "a/last")
	room := maxAnnotationBytes - annotationBytes(empty.GetAnnotations())
	for _, test := range []struct {
		size int
		kept bool
	}{{room, true}, {room + 1, false}} {
		big := fromYAML(t, `{apiVersion: v1, kind: ConfigMap, metadata: {name: c}}`)
		big.Object["data"] = map[string]any{"k": strings.Repeat("x", test.size)}
		out, err := withLastApplied(big, "a/last")
		value, present := out.GetAnnotations()["a/last"]
		if err != nil || !present || (value != "") != test.kept {
			t.Errorf("%d bytes: kept %v, %v", test.size, value != "", err)
		}
	}
}

// TestKeepFinalizers checks that a client-side apply adds and removes only its own finalizers, by a JSON merge and by a strategic merge.
func TestKeepFinalizers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ applied, desired, live, want string }{
		"others have added one":          {"[ours]", "[ours]", "[theirs, ours]", "[theirs, ours]"},
		"not written before":             {"", "[ours]", "[theirs]", "[theirs, ours]"},
		"no longer placed":               {"[ours]", "", "[ours, theirs]", "[theirs]"},
		"the last one, no longer placed": {"[ours]", "", "[ours]", ""},
		"none placed":                    {"", "", "[theirs]", "[theirs]"},
		"removed by others":              {"[ours]", "[ours]", "[]", "[ours]"},
	} {
		for _, kind := range []string{"apiVersion: v1, kind: Service", "apiVersion: example.org/v1, kind: Thing"} {
			object := func(finalizers, annotations string) *unstructured.Unstructured {
				metadata := "name: it, namespace: web"
				if finalizers != "" {
					metadata += ", finalizers: " + finalizers
				}
				return fromYAML(t, "{"+kind+", metadata: {"+metadata+annotations+"}}")
			}
			applied, err := json.Marshal(object(c.applied, "").Object)
			if err != nil {
				t.Fatal(err)
			}
			live := object(c.live, ", annotations: {"+DefaultLastAppliedAnnotation+": '"+string(applied)+"'}")
			merged := MergeClientSide(object(c.desired, ""), live, ApplyOptions{FieldManager: "fleet", KeepFinalizers: true})
			if merged == nil {
				t.Fatalf("%s, %s: the objects were not merged", name, kind)
			}
			if diff := cmp.Diff(object(c.want, "").GetFinalizers(), merged.GetFinalizers()); diff != "" {
				t.Errorf("%s, %s:\n%s", name, kind, diff)
			}
		}
	}
}

// TestLastAppliedNumbers checks that the numbers of a last applied configuration have the type that they have in a live object.
func TestLastAppliedNumbers(t *testing.T) {
	t.Parallel()
	live := fromYAML(t, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: it, annotations: {"+DefaultLastAppliedAnnotation+": '{\"spec\":{\"replicas\":3}}'}}}")
	if got, found, err := unstructured.NestedInt64(LastApplied(live, ApplyOptions{}).Object, "spec", "replicas"); got != 3 || !found || err != nil {
		t.Errorf("replicas are %d, %t, %v", got, found, err)
	}
}
