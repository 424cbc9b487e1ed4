package override

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

func object(t testing.TB, text string) manifest.Object {
	t.Helper()
	objects, err := manifest.Parse("test", text)
	if err != nil || len(objects) != 1 {
		t.Fatal(objects, err)
	}
	return objects[0]
}

func rules(t testing.TB, text string) []Rule {
	t.Helper()
	var r []Rule
	if err := yaml.UnmarshalStrict([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

const (
	everywhere = "clusterSelector: {clusterSelectorTerms: []}"
	deployment = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: web, labels: {app: web}}, spec: {replicas: 1, ` +
		`template: {spec: {containers: [{name: a, image: one}, {name: b, image: two}], nothing: null}}}}`
)

var member1 = Cluster{Name: "member-1", Labels: map[string]string{"region": "west", "env": "prod", "empty": ""}}

// onDeployment returns a rule with patches for every cluster.
func onDeployment(patches string) string {
	return "[{" + everywhere + ", jsonPatchOverrides: [" + patches + "]}]"
}

func TestApplyPatches(t *testing.T) {
	for name, tt := range map[string]struct{ patch, path, want string }{
		"replace":           {`{op: replace, path: /spec/replicas, value: 3}`, "spec.replicas", "3"},
		"add a field":       {`{op: add, path: /spec/paused, value: true}`, "spec.paused", "true"},
		"add over a field":  {`{op: add, path: /spec/replicas, value: 4}`, "spec.replicas", "4"},
		"remove":            {`{op: remove, path: /spec/replicas}`, "spec.replicas", "null"},
		"replace a null":    {`{op: replace, path: /spec/template/spec/nothing, value: 1}`, "spec.template.spec.nothing", "1"},
		"no value is null":  {`{op: replace, path: /spec/replicas}`, "spec.replicas", "null"},
		"a fraction":        {`{op: replace, path: /spec/replicas, value: 1.5}`, "spec.replicas", "1.5"},
		"labels as a whole": {`{op: replace, path: /metadata/labels, value: {a: b}}`, "metadata.labels", `{"a":"b"}`},
		"escaped parts":     {`{op: add, path: /metadata/labels/a.io~1b~0c, value: d}`, "metadata.labels", `{"a.io/b~c":"d","app":"web"}`},
		"in a list":         {`{op: replace, path: /spec/template/spec/containers/1/image, value: three}`, "spec.template.spec.containers", `[{"image":"one","name":"a"},{"image":"three","name":"b"}]`},
		"at the end":        {`{op: add, path: /spec/template/spec/containers/-, value: c}`, "spec.template.spec.containers", `[{"image":"one","name":"a"},{"image":"two","name":"b"},"c"]`},
		"at the size":       {`{op: add, path: /spec/template/spec/containers/2, value: c}`, "spec.template.spec.containers", `[{"image":"one","name":"a"},{"image":"two","name":"b"},"c"]`},
		"at the beginning":  {`{op: add, path: /spec/template/spec/containers/0, value: c}`, "spec.template.spec.containers", `["c",{"image":"one","name":"a"},{"image":"two","name":"b"}]`},
		"from the end":      {`{op: remove, path: /spec/template/spec/containers/-1}`, "spec.template.spec.containers", `[{"image":"one","name":"a"}]`},
		"in order":          {`{op: add, path: /spec/a, value: {}}, {op: add, path: /spec/a/b, value: 1}`, "spec.a", `{"b":1}`},
		"name":              {`{op: add, path: /spec/a, value: "x-${MEMBER-CLUSTER-NAME}-${MEMBER-CLUSTER-NAME}"}`, "spec.a", `"x-member-1-member-1"`},
		"labels":            {`{op: add, path: /spec/a, value: "${MEMBER-CLUSTER-LABEL-KEY-region}/${MEMBER-CLUSTER-LABEL-KEY-env}${MEMBER-CLUSTER-LABEL-KEY-empty}"}`, "spec.a", `"west/prod"`},
		"everywhere":        {`{op: add, path: /spec/a, value: {"${MEMBER-CLUSTER-NAME}": ["${MEMBER-CLUSTER-LABEL-KEY-env}", 1, null]}}`, "spec.a", `{"member-1":["prod",1,null]}`},
		"the own label":     {`{op: add, path: /spec/a, value: "${MEMBER-CLUSTER-LABEL-KEY-kubernetes-fleet.io/member-name}"}`, "spec.a", `"member-1"`},
		"case counts":       {`{op: add, path: /spec/a, value: "${member-cluster-name} $MEMBER-CLUSTER-NAME"}`, "spec.a", `"${member-cluster-name} $MEMBER-CLUSTER-NAME"`},
	} {
		t.Run(name, func(t *testing.T) {
			in := object(t, deployment)
			before := in.Hash()
			result, err := Apply(in, member1, []Override{{Reference: Reference{Name: "o"}, Rules: rules(t, onDeployment(tt.patch))}})
			if err != nil {
				t.Fatal(err)
			}
			value, _, _ := unstructured.NestedFieldNoCopy(result.Object.Content.Object, strings.Split(tt.path, ".")...)
			if got, _ := json.Marshal(value); string(got) != tt.want {
				t.Errorf("got %s", got)
			}
			if in.Hash() != before {
				t.Error("the object was changed")
			}
			// DeepCopy panics on values that the API machinery does not have in JSON.
			result.Object.Content.DeepCopy()
		})
	}
}

// TestPathOfStringData checks that an error about the data of a Secret contains the path of its stringData, but not its values.
func TestPathOfStringData(t *testing.T) {
	const useStringData = "use the path /stringData/user, with a value that is not base64"
	for name, tt := range map[string]struct {
		values, operation string
		hint              bool
	}{
		"no data":      {`stringData: {user: planted}`, `{op: replace, path: /data/user, value: cm9vdA==}`, true},
		"to add":       {`stringData: {password: planted}`, `{op: add, path: /data/user, value: cm9vdA==}`, true},
		"another key":  {`stringData: {user: planted}, data: {a: cGxhbnRlZA==}`, `{op: remove, path: /data/user}`, true},
		"only data":    {`data: {a: cGxhbnRlZA==}`, `{op: remove, path: /data/user}`, false},
		"no such text": {`stringData: {a: planted}`, `{op: remove, path: /stringData/user}`, false},
	} {
		secret := object(t, "{apiVersion: v1, kind: Secret, metadata: {namespace: web, name: web}, "+tt.values+"}")
		_, err := Apply(secret, member1, []Override{{Reference: Reference{Name: "o"}, Rules: rules(t, onDeployment(tt.operation))}})
		if err == nil || strings.Contains(err.Error(), useStringData) != tt.hint || !strings.Contains(err.Error(), "does not exist") || strings.Contains(err.Error(), "planted") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestApplyFails(t *testing.T) {
	for name, tt := range map[string]struct{ patch, want string }{
		"replace nothing":   {`{op: replace, path: /spec/paused, value: true}`, `path /spec/paused: nothing exists at the path: "paused" does not exist`},
		"remove nothing":    {`{op: remove, path: /metadata/annotations/a}`, `path /metadata/annotations/a: nothing exists at the path: "annotations" does not exist`},
		"add below nothing": {`{op: add, path: /metadata/annotations/a, value: b}`, `"annotations" does not exist`},
		"below null":        {`{op: add, path: /spec/template/spec/nothing/a, value: b}`, `nothing exists at the path`},
		"below a number":    {`{op: add, path: /spec/replicas/a, value: b}`, `the parent of "a" has no fields`},
		"not an index":      {`{op: replace, path: /spec/template/spec/containers/a/image, value: b}`, `"a" is not an index, and its parent is a list`},
		"no such index":     {`{op: replace, path: /spec/template/spec/containers/2, value: b}`, `index 2 is not in the list, which has 2 elements`},
		"nor to add":        {`{op: add, path: /spec/template/spec/containers/3, value: b}`, `index 3 is not in the list, which has 2 elements`},
		"nor from the end":  {`{op: remove, path: /spec/template/spec/containers/-3}`, `index -3 is not in the list, which has 2 elements`},
		"replace the end":   {`{op: replace, path: /spec/template/spec/containers/-, value: 1}`, `"-" is not an index`},
		"no such label":     {`{op: add, path: /spec/a, value: "${MEMBER-CLUSTER-LABEL-KEY-zone}"}`, `label key zone not found on cluster "member-1"`},
		"label in a key":    {`{op: add, path: /spec/a, value: {"${MEMBER-CLUSTER-LABEL-KEY-zone}": 1}}`, `label key zone not found on cluster "member-1"`},
		"name of a label":   {`{op: add, path: /spec/a, value: "${MEMBER-CLUSTER-LABEL-KEY-${MEMBER-CLUSTER-NAME}}"}`, `label key member-1 not found on cluster "member-1"`},
		"no label key":      {`{op: add, path: /spec/a, value: "${MEMBER-CLUSTER-LABEL-KEY-pass word}"}`, `a variable ${MEMBER-CLUSTER-LABEL-KEY-...} in the value does not name a label key`},
		"not closed":        {`{op: add, path: /spec/a, value: ["secret ${MEMBER-CLUSTER-LABEL-KEY-env"]}`, `a variable ${MEMBER-CLUSTER-LABEL-KEY-... in the value has no closing bracket }`},
		"the same key":      {`{op: add, path: /spec/a, value: {"${MEMBER-CLUSTER-NAME}": 1, member-1: 2}}`, `two keys of the value are the same once their variables are replaced`},
		"the second":        {`{op: remove, path: /spec/replicas}, {op: remove, path: /spec/replicas}`, `policy.override_rules[0].json_patch_overrides[1]: path /spec/replicas: nothing exists`},
		"a path too far":    {`{op: replace, path: /metadata/name, value: b}`, `of metadata only annotations and labels can be overridden`},
		"another operation": {`{op: move, path: /spec/a}`, `"move" is not one of add, remove, replace`},
		"label no text":     {`{op: add, path: /metadata/labels/a, value: 1}`, `for cluster "member-1": the object is not valid afterwards: metadata.labels has a value that is not a string`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Apply(object(t, deployment), member1, []Override{{Reference: Reference{Name: "o"}, Rules: rules(t, onDeployment(tt.patch))}})
			if _, is := errors.AsType[*Error](err); !is || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
			if !strings.HasPrefix(fmt.Sprint(err), "ClusterResourceOverride o failed to apply on Deployment web/web for cluster \"member-1\": ") {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestNumbersSurvive checks that integers in the object and in the value are unchanged after the conversion to JSON and back.
func TestNumbersSurvive(t *testing.T) {
	in := object(t, `{apiVersion: v1, kind: A, metadata: {name: a}, spec: {one: 1, big: 9007199254740993, max: 9223372036854775807, min: -9223372036854775808, half: 0.5, huge: 1e300}}`)
	want := map[string]any{
		"one": int64(1), "big": int64(9007199254740993), "max": int64(math.MaxInt64), "min": int64(math.MinInt64), "half": 0.5, "huge": 1e300,
		"list": []any{int64(9007199254740993), 0.25, "9007199254740993"},
	}
	result, err := Apply(in, member1, []Override{{Reference: Reference{Name: "o"}, Rules: rules(t, onDeployment(`{op: add, path: /spec/list, value: [9007199254740993, 0.25, "9007199254740993"]}`))}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, result.Object.Content.Object["spec"]); diff != "" {
		t.Error(diff)
	}
}

// TestRefusalsOfTheLibrary checks that errors of the library are replaced by the package's own.
func TestRefusalsOfTheLibrary(t *testing.T) {
	const text = `{"a":{"n":null,"t":"hunter2","l":[]}}`
	for _, path := range []string{"/b", "/a/n/b", "/a/t/b", "/a/l/0", "/a/l/-1", "/a/l/-", "/a/l/99999999999999999999", "/a/l/b"} {
		for _, operation := range []Operation{Replace, Remove} {
			_, err := patch([]byte(text), operation, path, "hunter2")
			if !errors.Is(err, errPathNotFound) || errors.Is(err, jsonpatch.ErrMissing) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s %s: got %v", operation, path, err)
			}
		}
	}
	if _, err := patch([]byte(`{"hunter2"`), Add, "/a", 1); err == nil || err.Error() != errNotDone.Error() {
		t.Errorf("got %v", err)
	}
	if _, err := patch([]byte(text), "hunter2", "/a", 1); err == nil || err.Error() != errNotDone.Error() {
		t.Errorf("got %v", err)
	}
}

// TestErrorsKeepSecrets checks that no error about a Secret contains a value of it.
func TestErrorsKeepSecrets(t *testing.T) {
	const secret = `{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: web}, stringData: {a: hunter2}}`
	for _, patch := range []string{
		`{op: add, path: /stringData/a/b, value: hunter2}`,
		`{op: add, path: /stringData/b, value: "hunter2${MEMBER-CLUSTER-LABEL-KEY-"}`,
		`{op: add, path: /stringData/b, value: "${MEMBER-CLUSTER-LABEL-KEY-hunter2 }"}`,
		`{op: add, path: /stringData/b, value: "hunter2${MEMBER-CLUSTER-LABEL-KEY-x}"}`,
		`{op: replace, path: /stringData/b, value: {hunter2: "${MEMBER-CLUSTER-LABEL-KEY-x}"}}`,
		`{op: replace, path: /stringData/b, value: hunter2}`,
		`{op: add, path: /metadata/labels, value: {a: [hunter2]}}`,
		`{op: add, path: /metadata/labels, value: hunter2}`,
	} {
		_, err := Apply(object(t, secret), member1, []Override{{Reference: Reference{Name: "o"}, Rules: rules(t, onDeployment(patch))}})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: got %v", patch, err)
		}
	}
	_, err := Apply(object(t, secret), member1, []Override{{Reference: Reference{Name: "o"}, Rules: []Rule{{
		ClusterSelector: &ClusterSelector{}, JSONPatchOverrides: []Patch{{Operation: Add, Path: "/a", Value: json.RawMessage(`hunter2`)}},
	}}}})
	if err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("got %v", err)
	}
}

func TestApplyRules(t *testing.T) {
	const (
		west   = "clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {region: east}}}, {labelSelector: {matchExpressions: [{key: region, operator: In, values: [west]}]}}]}"
		east   = "clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {region: east}}}]}"
		set1   = "jsonPatchOverrides: [{op: add, path: /spec/a, value: 1}]"
		set2   = "jsonPatchOverrides: [{op: add, path: /spec/a, value: 2}]"
		broken = "jsonPatchOverrides: [{op: remove, path: /spec/none}]"
	)
	for name, tt := range map[string]struct {
		first, second string
		want          string // spec.a, or deleted
		applied       int
	}{
		"the last rule wins":         {"[{" + everywhere + ", " + set1 + "}, {" + west + ", " + set2 + "}]", "", "2", 1},
		"the last override wins":     {"[{" + everywhere + ", " + set1 + "}]", "[{" + everywhere + ", " + set2 + "}]", "2", 2},
		"another cluster":            {"[{" + east + ", " + set1 + "}]", "", "null", 0},
		"no selector":                {"[{" + set1 + "}]", "", "null", 0},
		"a term without a selector":  {"[{clusterSelector: {clusterSelectorTerms: [{}]}, " + set1 + "}]", "", "null", 0},
		"an empty label selector":    {"[{clusterSelector: {clusterSelectorTerms: [{labelSelector: {}}]}, " + set1 + "}]", "", "1", 1},
		"the label of the name":      {"[{clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {kubernetes-fleet.io/member-name: member-1}}}]}, " + set1 + "}]", "", "1", 1},
		"delete":                     {"[{" + everywhere + ", overrideType: Delete}]", "", "deleted", 1},
		"delete stops the rules":     {"[{" + west + ", overrideType: Delete}, {" + everywhere + ", " + broken + "}]", "", "deleted", 1},
		"delete stops the overrides": {"[{" + west + ", overrideType: Delete}]", "[{" + everywhere + ", " + broken + "}]", "deleted", 1},
		"delete elsewhere":           {"[{" + east + ", overrideType: Delete}, {" + everywhere + ", overrideType: JSONPatch, " + set1 + "}]", "", "1", 1},
		"delete after all":           {"[{" + everywhere + ", " + set1 + "}]", "[{" + everywhere + ", " + set2 + "}, {" + everywhere + ", overrideType: Delete}]", "deleted", 2},
	} {
		t.Run(name, func(t *testing.T) {
			var overrides []Override
			for i, text := range []string{tt.first, tt.second} {
				overrides = append(overrides, Override{Reference: Reference{Name: fmt.Sprint(i)}, Rules: rules(t, text)})
			}
			result, err := Apply(object(t, deployment), member1, overrides)
			if err != nil {
				t.Fatal(err)
			}
			got := "deleted"
			if !result.Deleted {
				value, _, _ := unstructured.NestedFieldNoCopy(result.Object.Content.Object, "spec", "a")
				text, _ := json.Marshal(value)
				got = string(text)
			}
			if got != tt.want || len(result.Applied) != tt.applied {
				t.Errorf("got %s, %v", got, result.Applied)
			}
		})
	}
	_, err := Apply(object(t, deployment), member1, []Override{{Reference: Reference{"web", "o"}, Rules: rules(t, "[{clusterSelector: {clusterSelectorTerms: "+
		"[{labelSelector: {matchExpressions: [{key: a, operator: Is}]}}]}}]")}})
	if err == nil || !strings.HasPrefix(err.Error(), "ResourceOverride web/o failed to apply on Deployment web/web for cluster \"member-1\": "+
		"policy.override_rules[0]: the label selector of its clusters is not valid: ") {
		t.Errorf("got %v", err)
	}
}

// TestApplyInEnvelope checks KubeFleet's example of an override that changes an object in an envelope.
func TestApplyInEnvelope(t *testing.T) {
	opened, errs := envelope.Open([]manifest.Object{object(t, `
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ResourceEnvelope
metadata: {name: e, namespace: web}
data: {d: `+deployment+`}`)})
	if errs != nil || len(opened) != 1 {
		t.Fatal(errs)
	}
	all := Overrides{Namespaced: []ResourceOverride{{Namespace: "web", Name: "o", Spec: Spec{
		ResourceSelectors: []Selector{{"apps", "v1", "Deployment", "web"}},
		Policy:            &Policy{rules(t, onDeployment(`{op: replace, path: /spec/replicas, value: 2}`))},
	}}}}
	overrides, err := Applicable(all, opened[0].Identifier, member1, "p")
	if err != nil {
		t.Fatal(err)
	}
	result, err := Apply(opened[0], member1, overrides)
	if err != nil {
		t.Fatal(err)
	}
	if replicas, _, _ := unstructured.NestedInt64(result.Object.Content.Object, "spec", "replicas"); replicas != 2 {
		t.Errorf("got %d", replicas)
	}
	if diff := cmp.Diff(opened[0].Identifier, result.Object.Identifier); diff != "" {
		t.Error(diff)
	}
}

// BenchmarkApply applies one operation to 200 objects, as a plan does.
func BenchmarkApply(b *testing.B) {
	in, overrides := object(b, deployment), []Override{{Reference: Reference{Name: "o"}, Rules: rules(b, onDeployment(`{op: replace, path: /spec/replicas, value: 3}`))}}
	b.ReportAllocs()
	for b.Loop() {
		for range 200 {
			if _, err := Apply(in, member1, overrides); err != nil {
				b.Fatal(err)
			}
		}
	}
}
