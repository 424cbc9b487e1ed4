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
		"an annotation that repeats the Secret": {
			`{apiVersion: v1, kind: Secret, metadata: {name: s, annotations: {kubectl.kubernetes.io/last-applied-configuration: planted}}}`,
			"apiVersion: v1\nkind: Secret\nmetadata:\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: (sensitive value 1)\n  name: s\n",
		},
		"data that is no mapping": {
			`{apiVersion: v1, kind: Secret, metadata: {name: s}, data: planted}`,
			"apiVersion: v1\ndata: (sensitive value 1)\nkind: Secret\nmetadata:\n  name: s\n",
		},
		"what cannot be read":                  {"kind: Secret\ndata: [planted", "(not readable)"},
		"what cannot be read without the word": {"kind: !!binary U2VjcmV0\ndata: [planted", "(not readable)"},
		"what is not UTF-8":                    {"kind: Secret\ndata: {a: planted\xff}", "(not readable)"},
		"control characters":                   {"kind: ConfigMap\ndata: {a: \x1b]0;planted\a}", "(not readable)"},
		"another API version": {
			"apiVersion: core/v1\nkind: Secret\nstringData: {b: planted}\n",
			"apiVersion: core/v1\nkind: Secret\nstringData:\n  b: (sensitive value 1)\n",
		},
		"a kind in base 64": {"kind: !!binary U2VjcmV0\ndata: {b: planted}\n", "data:\n  b: (sensitive value 1)\nkind: Secret\n"},
		"a kind in lower case": {
			"kind: secret\ndata: {b: planted}\n", "data:\n  b: (sensitive value 1)\nkind: secret\n",
		},
		"a misspelt field": {
			"kind: Secret\nstring_data: {b: planted}\ntype: Opaque\n", "kind: Secret\nstring_data:\n  b: (sensitive value 1)\ntype: Opaque\n",
		},
		"no kind":           {"Kind: Secret\ndata: {b: planted}\n", "Kind: (sensitive value 1)\ndata:\n  b: (sensitive value 1)\n"},
		"a misspelt kind":   {"kind: Sekret\nstringData: {b: planted}\n", "kind: Sekret\nstringData:\n  b: (sensitive value 1)\n"},
		"a list of Secrets": {"kind: SecretList\nitems: [{data: {b: planted}}]\n", "items:\n- data:\n    b: (sensitive value 1)\nkind: SecretList\n"},
		"an annotation that repeats an envelope": {
			`{kind: ConfigMap, metadata: {annotations: {kubectl.kubernetes.io/last-applied-configuration: '{"kind":"Secret","data":{"b":"planted"}}'}}}`,
			"kind: ConfigMap\nmetadata:\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: |\n      data:\n" +
				"        b: (sensitive value 1)\n      kind: Secret\n",
		},
		"an envelope that cannot be read": {
			"kind: ConfigMap\ndata: {a.yaml: \"kind: Secret\\ndata: [planted\", b.sh: \"get secret [a\"}\n",
			"data:\n  a.yaml: (not readable)\n  b.sh: get secret [a\nkind: ConfigMap\n",
		},
		"values of a chart": {
			"kind: ConfigMap\ndata: {values.yaml: \"existingSecret: shown\"}\n", "kind: ConfigMap\ndata: {values.yaml: \"existingSecret: shown\"}\n",
		},
	} {
		got := Mask(map[string]string{"k": c.text}, nil, nil)["k"]
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if strings.Contains(got, "planted") {
			t.Errorf("%s: the text shows a value that must be masked: %s", name, got)
		}
	}
}

// TestMaskCountsChanges checks that the mark of a changed value changes, that other marks do not, and that the third value differs from the first.
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
		t.Errorf("under another key, the same value has another mark: %s", moved["other"])
	}
}
