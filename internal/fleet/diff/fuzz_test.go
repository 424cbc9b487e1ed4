package diff_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
)

// FuzzFull compares two arbitrary objects. Patches and Full must agree on whether there is a difference, each difference must have at least
// one side, and neither object may change.
func FuzzFull(f *testing.F) {
	for _, pair := range [][2]string{
		{undefaulted, defaulted}, {realistic, defaulted}, {"{}", "{}"}, {"a: {b: [1, 2]}", "a: {b: [2]}"}, {"a: 9007199254740993", "a: 9007199254740992"},
		{"{apiVersion: v1, kind: Secret, data: {a: eA==}}", "{apiVersion: v1, kind: Secret, stringData: {a: x}, metadata: {annotations: {a: x}}}"},
		{"{apiVersion: v1, kind: Service, spec: {ports: [{port: 80}, {port: 81}]}}", "{apiVersion: v1, kind: Service, spec: {ports: [{port: 81}, {port: 80, protocol: TCP}]}}"},
		{"{apiVersion: v1, kind: Pod, spec: {containers: [{name: a, ports: [{containerPort: 1}]}]}}", "{metadata: {managedFields: [{fieldsV1: {'f:spec': {'f:containers': {'k:{\"name\":\"a\"}': {}}}}}]}, spec: {containers: [{name: a}, {name: b}]}}"},
	} {
		f.Add(asJSON(f, pair[0]), asJSON(f, pair[1]))
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		desired, live := decode(a), decode(b)
		if desired == nil || live == nil {
			t.Skip()
		}
		beforeA, beforeB := encode(desired), encode(live)
		patches, differences := diff.Patches(desired, live), compare(desired, live)
		if (len(patches) == 0) != (len(differences) == 0) {
			t.Fatalf("patches %v, differences %v", describePatches(patches), describeFields(differences))
		}
		for _, d := range append(differences, comparePartially(desired, live)...) {
			if !d.HasHub && !d.HasMember || !strings.HasPrefix(d.Path, "/") || d.Field == "" || !d.HasMember && d.Manager != (diff.Manager{}) {
				t.Fatalf("got %+v", d)
			}
		}
		if len(differences) == 0 && !isCovered(desired, live) {
			t.Fatal("equal objects have partial differences")
		}
		if encode(desired) != beforeA || encode(live) != beforeB {
			t.Fatal("an object has changed")
		}
	})
}

// decode parses an object as an API client does, and returns nil if the text is not an object.
func decode(text string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{}
	if err := json.Unmarshal([]byte(text), &u.Object); err != nil {
		return nil
	}
	return u
}

func encode(u *unstructured.Unstructured) string {
	text, _ := json.Marshal(u.Object)
	return string(text)
}
