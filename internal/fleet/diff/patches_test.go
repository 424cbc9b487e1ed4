package diff_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// describePatches formats patches as "path member / hub".
func describePatches(details []placement.PatchDetail) []string {
	var texts []string
	for _, d := range details {
		texts = append(texts, d.Path+" "+d.ValueInMember+" / "+d.ValueInHub)
	}
	return texts
}

// TestPatches expects the texts of KubeFleet's status for the same objects.
func TestPatches(t *testing.T) {
	secret := func(rest string) *unstructured.Unstructured {
		return object(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n"+rest)
	}
	tests := map[string]struct {
		desired, live *unstructured.Unstructured
		want          []string
	}{
		"equal":                       {sample(t, "{a: 1}"), sample(t, "{a: 1.0}"), nil},
		"one float":                   {sample(t, "{a: 9007199254740993}"), sample(t, "{a: 9007199254740992}"), nil},
		"scalars":                     {sample(t, "{a: x, b: true}"), sample(t, "{a: z, b: false}"), []string{"/spec/a z / x", "/spec/b false / true"}},
		"numbers":                     {sample(t, "{a: 1000000, b: 999999, c: 100000000001, d: 1.5}"), sample(t, "{a: 2000000, b: 999998, c: 100000000002, d: 2.5}"), []string{"/spec/a 2e+06 / 1000000", "/spec/b 999998 / 999999", "/spec/c 1.00000000002e+11 / 100000000001", "/spec/d 2.5 / 1.5"}},
		"a fraction beyond a million": {sample(t, "{a: 2000000.5}"), sample(t, "{a: 1000000.5}"), []string{"/spec/a 1.0000005e+06 / 2.0000005e+06"}},
		"numbers in a tree":           {sample(t, "{}"), sample(t, "{a: {b: [1000000, x], c: null}}"), []string{"/spec/a map[b:[1e+06 x] c:<nil>] / "}},
		"a tree on the hub":           {sample(t, "{a: {b: [1000000, x], c: null}}"), sample(t, "{}"), []string{"/spec/a  / map[b:[1000000 x] c:<nil>]"}},
		"number and text":             {sample(t, "{a: 80}"), sample(t, "{a: '80'}"), []string{"/spec/a 80 / 80"}},
		"types":                       {sample(t, "{a: {}, b: null, c: [], d: x}"), sample(t, "{a: [], b: {}, c: {}, d: null}"), []string{"/spec/a [] / map[]", "/spec/b map[] / <nil>", "/spec/c map[] / []", "/spec/d <nil> / x"}},
		"absent is not empty":         {sample(t, "{a: null, b: {}, c: [], d: ''}"), sample(t, "{e: null}"), []string{"/spec/a  / <nil>", "/spec/b  / map[]", "/spec/c  / []", "/spec/d  / ", "/spec/e <nil> / "}},
		"keys in order":               {sample(t, "{b: 1, a: 1}"), sample(t, "{c: 1, B: 1}"), []string{"/spec/B 1 / ", "/spec/a  / 1", "/spec/b  / 1", "/spec/c 1 / "}},
		"escapes":                     {sample(t, "{x/y: 1, '~': 1, '~1': 1, '': 1}"), sample(t, "{x/y: 2, '~': 2, '~1': 2, '': 2}"), []string{"/spec/ 2 / 1", "/spec/x~1y 2 / 1", "/spec/~0 2 / 1", "/spec/~01 2 / 1"}},
		"order of a list":             {sample(t, "{l: [a, b, c]}"), sample(t, "{l: [b, a, c]}"), []string{"/spec/l/0 b / a", "/spec/l/1 a / b"}},
		"additions":                   {sample(t, "{l: [a]}"), sample(t, "{l: [b, c, d]}"), []string{"/spec/l/0 b / a", "/spec/l/- c / ", "/spec/l/- d / "}},
		"removals":                    {sample(t, "{l: [a, b, c, d]}"), sample(t, "{l: [x, b]}"), []string{"/spec/l/2  / c", "/spec/l/2  / c", "/spec/l/0 x / a"}},
		"removal of everything":       {sample(t, "{l: [a, b]}"), sample(t, "{l: []}"), []string{"/spec/l/0  / a", "/spec/l/0  / a"}},
		"lists of lists":              {sample(t, "{l: [[a, b], [c]]}"), sample(t, "{l: [[a], [c, d]]}"), []string{"/spec/l/0/1  / b", "/spec/l/1/- d / "}},
		"ports, by index":             {pods(t, "{containers: [{ports: [{containerPort: 81}, {containerPort: 82}, {containerPort: 80}]}]}"), pods(t, "{containers: [{ports: [{containerPort: 80}, {containerPort: 81}]}]}"), []string{"/spec/template/spec/containers/0/ports/2  / map[containerPort:80]", "/spec/template/spec/containers/0/ports/0/containerPort 80 / 81", "/spec/template/spec/containers/0/ports/1/containerPort 81 / 82"}},
		"a sidecar":                   {pods(t, "{containers: [{name: app}]}"), pods(t, "{containers: [{name: side}, {name: app}]}"), []string{"/spec/template/spec/containers/0/name side / app", "/spec/template/spec/containers/- map[name:app] / "}},
		"a label, finals":             {object(t, "{apiVersion: v1, kind: Namespace, metadata: {name: a}}"), object(t, "{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {use: hack}, finalizers: [x]}, spec: {finalizers: [kubernetes]}}"), []string{"/metadata/labels/use hack / ", "/spec map[finalizers:[kubernetes]] / "}},
		"an annotation, and what is not compared": {
			config(t, "metadata: {name: a}"),
			config(t, "metadata: {name: a, annotations: {meta.helm.sh/release-name: web, foo.k8s.io/a: b, example.com.kubernetes.io/x: z, fleet.terraform.io/last-applied-configuration: x}}"),
			[]string{"/metadata/annotations/meta.helm.sh~1release-name web / "},
		},
		"Secret":     {secret("data: {k: djE=, gone: eA==}"), secret("data: {k: djI=, new: ''}\ntype: Opaque"), []string{"/data/gone  / " + diff.Redacted, "/data/k " + diff.Redacted + " / " + diff.Redacted, "/data/new  / ", "/type Opaque / "}},
		"stringData": {secret("stringData: {k: v}"), secret("data: {k: dg==}\ntype: Opaque"), []string{"/data " + diff.Redacted + " / ", "/stringData  / " + diff.Redacted, "/type Opaque / "}},
		"a Secret that is copied": {
			secret("data: {k: aHVudGVyMg==}"),
			object(t, `{apiVersion: v1, kind: Secret, metadata: {name: a, annotations: {example.org/copy: 'say "hunter2"', example.org/last-applied: x, example.org/team: red}}, data: {k: aHVudGVyMg==}}`),
			[]string{"/metadata/annotations/example.org~1copy " + diff.Redacted + " / ", "/metadata/annotations/example.org~1last-applied " + diff.Redacted + " / ", "/metadata/annotations/example.org~1team red / "},
		},
		"a Secret that is copied into JSON": {
			secret(`stringData: {k: "hunter2\nhunter3"}`),
			object(t, `{apiVersion: v1, kind: Secret, metadata: {name: a, annotations: {a: '{"k":"hunter2\nhunter3"}', b: aHVudGVyMgpodW50ZXIz}}, stringData: {k: "hunter2\nhunter3"}}`),
			[]string{"/metadata/annotations/a " + diff.Redacted + " / ", "/metadata/annotations/b " + diff.Redacted + " / "},
		},
		"Secret of another group": {thing(t, "example.org/v1", "Secret", "data: {k: a}"), thing(t, "example.org/v1", "Secret", "data: {k: b}"), []string{"/data/k b / a"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := describePatches(diff.Patches(tt.desired, tt.live))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if text := strings.Join(got, " "); strings.Contains(text, "hunter") {
				t.Errorf("a Secret is shown: %s", text)
			}
			if differences := compare(tt.desired, tt.live); (len(differences) == 0) != (len(got) == 0) {
				t.Errorf("the comparison finds %v", describe(differences))
			}
		})
	}
}

// TestPatchesOfAnUndefaultedDeployment expects the result of KubeFleet's own test.
func TestPatchesOfAnUndefaultedDeployment(t *testing.T) {
	want := []string{
		"/spec/progressDeadlineSeconds 600 / ", "/spec/replicas 2 / 1", "/spec/revisionHistoryLimit 10 / ",
		"/spec/strategy/rollingUpdate map[maxSurge:25% maxUnavailable:25%] / ", "/spec/strategy/type RollingUpdate / ",
		"/spec/template/spec/containers/0/imagePullPolicy Always / ", "/spec/template/spec/containers/0/ports/0/protocol TCP / ",
		"/spec/template/spec/containers/0/terminationMessagePath /dev/termination-log / ",
		"/spec/template/spec/containers/0/terminationMessagePolicy File / ", "/spec/template/spec/dnsPolicy ClusterFirst / ",
		"/spec/template/spec/restartPolicy Always / ", "/spec/template/spec/schedulerName default-scheduler / ",
		"/spec/template/spec/securityContext map[] / ", "/spec/template/spec/terminationGracePeriodSeconds 30 / ",
	}
	if diff := cmp.Diff(want, describePatches(diff.Patches(object(t, undefaulted), object(t, defaulted)))); diff != "" {
		t.Error(diff)
	}
}

// TestPatchesAreTheFirst100 checks 130 changes of each kind.
func TestPatchesAreTheFirst100(t *testing.T) {
	long, other := make([]any, 130), make([]any, 130)
	fields, changed := map[string]any{}, map[string]any{}
	for i := range long {
		long[i], other[i] = fmt.Sprint("a", i), fmt.Sprint("b", i)
		key := fmt.Sprintf("k%03d", i)
		fields[key], changed[key] = "a", "b"
	}
	of := func(value any) *unstructured.Unstructured {
		u := sample(t, "{}")
		u.Object["spec"] = map[string]any{"x": value, "y": value}
		return u
	}
	for name, tt := range map[string]struct {
		desired, live any
		last          string
	}{
		"elements": {long, other, "/spec/x/99 b99 / a99"}, "additions": {[]any{}, long, "/spec/x/- a99 / "},
		"removals": {long, []any{}, "/spec/x/0  / a0"}, "fields": {fields, changed, "/spec/x/k099 b / a"},
		"a field that is left": {fields, map[string]any{}, "/spec/x/k099  / a"},
	} {
		got := describePatches(diff.Patches(of(tt.desired), of(tt.live)))
		if len(got) != placement.MaxPatchDetails || got[99] != tt.last {
			t.Errorf("%s: got %d, the last is %s", name, len(got), got[len(got)-1])
		}
	}
}

// TestPatchesOfOddAnnotations checks annotations that no API server returns, but that a manifest may contain.
func TestPatchesOfOddAnnotations(t *testing.T) {
	live := config(t, "metadata: {name: a, annotations: {a: b}}")
	for name, tt := range map[string]struct {
		annotations any
		want        []string
	}{
		"null":              {map[string]any{"a": nil}, []string{"/metadata/annotations/a b / "}},
		"anything but text": {map[string]any{"a": "b", "c": int64(1)}, []string{"/metadata/annotations/a b / "}},
		"no map":            {"x", []string{"/metadata/annotations/a b / "}},
	} {
		desired := live.DeepCopy()
		desired.Object["metadata"].(map[string]any)["annotations"] = tt.annotations
		if diff := cmp.Diff(tt.want, describePatches(diff.Patches(desired, live))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestMissing(t *testing.T) {
	want := []placement.PatchDetail{{Path: "/", ValueInHub: "(the whole object)"}}
	if diff := cmp.Diff(want, diff.Missing().Patches); diff != "" {
		t.Error(diff)
	}
}
