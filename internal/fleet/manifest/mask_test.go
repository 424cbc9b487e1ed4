package manifest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMask(t *testing.T) {
	const plain = "# a comment\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a} # as written\ndata: {password: shown}\n"
	for name, c := range map[string]struct{ text, want string }{
		"no Secret":       {plain, plain},
		"the word Secret": {plain + "# Secret\n", plain + "# Secret\n"},
		"data and stringData": {
			`{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: app}, type: Opaque, data: {a: cGxhbnRlZA==}, stringData: {b: planted}}`,
			"apiVersion: v1\ndata:\n  a: (sensitive value 1)\nkind: Secret\nmetadata:\n  name: s\n  namespace: app\nstringData:\n" +
				"  b: (sensitive value 1)\ntype: Opaque\n",
		},
		"beside others": {
			plain + "---\n{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {b: planted}}\n",
			plain + "---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: s\nstringData:\n  b: (sensitive value 1)\n",
		},
		"JSON": {
			`{"apiVersion": "v1", "kind": "Sec\u0072et", "metadata": {"name": "s"}, "data": {"b": "planted"}}`,
			"apiVersion: v1\ndata:\n  b: (sensitive value 1)\nkind: Secret\nmetadata:\n  name: s\n",
		},
		"a List": {
			`{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {b: planted}}]}`,
			"apiVersion: v1\nitems:\n- apiVersion: v1\n  data:\n    b: (sensitive value 1)\n  kind: Secret\n  metadata:\n    name: s\nkind: List\n",
		},
		"an envelope": {
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: e}\ndata:\n  s.yaml: |\n" +
				"    {apiVersion: v1, kind: Secret, metadata: {name: s}, data: {b: planted}}\n",
			"apiVersion: v1\ndata:\n  s.yaml: |\n    apiVersion: v1\n    data:\n      b: (sensitive value 1)\n    kind: Secret\n    metadata:\n" +
				"      name: s\nkind: ConfigMap\nmetadata:\n  name: e\n",
		},
		"an annotation that repeats it": {
			`{apiVersion: v1, kind: Secret, metadata: {name: s, annotations: {kubectl.kubernetes.io/last-applied-configuration: planted}}}`,
			"apiVersion: v1\nkind: Secret\nmetadata:\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: (sensitive value 1)\n  name: s\n",
		},
		"data that is no mapping": {
			`{apiVersion: v1, kind: Secret, metadata: {name: s}, data: planted}`,
			"apiVersion: v1\ndata: (sensitive value 1)\nkind: Secret\nmetadata:\n  name: s\n",
		},
		"what cannot be read": {"kind: Secret\ndata: [planted", "(not readable)"},
	} {
		got := Mask(map[string]string{"k": c.text}, nil, nil)["k"]
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if strings.Contains(got, "planted") {
			t.Errorf("%s is shown: %s", name, got)
		}
	}
}

// A value that changes shows, the others stay as they are, and the third value is not the first again.
func TestMaskCountsChanges(t *testing.T) {
	secret := func(a, b string) map[string]string {
		return map[string]string{"k": "{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {a: " + a + ", b: " + b + "}}"}
	}
	var before, masked map[string]string
	for i, c := range []struct{ a, b, wantA, wantB string }{
		{"x", "y", "1", "1"}, {"x", "y", "1", "1"}, {"z", "y", "2", "1"}, {"z", "y", "2", "1"}, {"x", "w", "3", "2"},
	} {
		next := secret(c.a, c.b)
		masked = Mask(next, before, masked)
		before = next
		want := "a: (sensitive value " + c.wantA + ")\n  b: (sensitive value " + c.wantB + ")\n"
		if !strings.HasSuffix(masked["k"], want) {
			t.Errorf("%d: %s instead of %s", i, masked["k"], want)
		}
	}
	moved := Mask(map[string]string{"other": before["k"]}, before, masked)
	if !strings.Contains(moved["other"], "a: (sensitive value 3)") {
		t.Errorf("under another key it is another value: %s", moved["other"])
	}
}
