package manifest

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"
)

func TestParse(t *testing.T) {
	tests := map[string]struct {
		text string
		want []string
	}{
		"one document":            {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: ns}\n", []string{"ConfigMap ns/a"}},
		"nothing":                 {"", nil},
		"comments only":           {"# nothing\n---\n# here\n---\n", nil},
		"separators all around":   {"---\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: ns}\n--- # next\n---\n", []string{"Namespace ns"}},
		"a document end marker":   {"apiVersion: v1\nkind: Namespace\nmetadata: {name: ns}\n...\n# end\n", []string{"Namespace ns"}},
		"Windows line ends":       {"apiVersion: v1\r\nkind: Namespace\r\nmetadata:\r\n  name: ns\r\n---\r\n", []string{"Namespace ns"}},
		"JSON":                    {`{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"ns"}}`, []string{"Namespace ns"}},
		"JSON with tabs":          {"{\n\t\"apiVersion\": \"v1\",\n\t\"kind\": \"Namespace\",\n\t\"metadata\": {\"name\": \"ns\"}\n}", []string{"Namespace ns"}},
		"JSON with a wide escape": {`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"ns"},"data":{"a":"\ud83d\ude00"}}`, []string{"ConfigMap ns"}},
		"flow style YAML":         {`{apiVersion: v1, kind: Namespace, metadata: {name: ns}}`, []string{"Namespace ns"}},
		"RBAC name with colons":   {"apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: 'system:x'}", []string{"ClusterRole system:x"}},
		"empty namespace":         {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: ''}\n", []string{"ConfigMap a"}},
		"generateName and a name": {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, generateName: b-}\n", []string{"ConfigMap a"}},
		"a List": {`apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Namespace, metadata: {name: a}}
- apiVersion: v1
  kind: List
  items:
  - {apiVersion: apps/v1, kind: Deployment, metadata: {name: b, namespace: a}}
---
{apiVersion: v1, kind: List, items: []}
---
{apiVersion: v1, kind: List}
`, []string{"Namespace a", "Deployment a/b"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			objects, err := Parse("text", tt.text)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, o := range objects {
				got = append(got, o.String())
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseKeepsJSONValues(t *testing.T) {
	objects, err := Parse("text", `
apiVersion: example.org/v1
kind: Sample
metadata: {name: a, labels: {on: "true"}, creationTimestamp: null}
spec: {int: 9007199254740993, float: 1.5, bool: true, text: "1", list: [1, x, {a: b}], none: null, date: 2024-01-01, 8080: port}
`)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"int": int64(9007199254740993), "float": 1.5, "bool": true, "text": "1", "date": "2024-01-01", "8080": "port",
		"list": []any{int64(1), "x", map[string]any{"a": "b"}}, "none": nil,
	}
	if diff := cmp.Diff(want, objects[0].Content.Object["spec"]); diff != "" {
		t.Error(diff)
	}
	// DeepCopy panics on a value that unstructured does not support.
	objects[0].Content.DeepCopy()
}

// TestParseOfLongLines covers lines around the size of the reader's buffer, 4096 bytes.
func TestParseOfLongLines(t *testing.T) {
	for _, size := range []int{4095, 4096, 4097, 8192, 1 << 20} {
		text := "{apiVersion: v1, kind: Namespace, metadata: {name: ns}}"
		text += strings.Repeat(" ", size-len(text))
		if objects, err := Parse("text", text); err != nil || len(objects) != 1 {
			t.Errorf("%d bytes: got %v, %v", size, objects, err)
		}
	}
	objects, err := Parse("text", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}\n---\n"+
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata:\n  keep: |+\n    x\n\n")
	if err != nil {
		t.Fatal(err)
	}
	if got, _, _ := unstructured.NestedString(objects[1].Content.Object, "data", "keep"); got != "x\n\n" {
		t.Errorf("got %q", got)
	}
}

// secret is a value that no error may contain.
const secret = "hunter2"

func TestParseErrors(t *testing.T) {
	head := "apiVersion: v1\nkind: Secret\n"
	tests := map[string]struct{ text, want string }{
		"tab":                  {head + "metadata:\n\tname: " + secret, "document 1: line 4: found character that cannot start any token"},
		"second document":      {head + "metadata: {name: a}\n---\n# c\nkind: " + secret, "document 2: apiVersion is missing"},
		"line of second":       {head + "metadata: {name: a}\n---\nx: 1\n" + secret + ": 1\n" + secret + ": 2\n", "document 2: line 7: a key is set twice in one mapping"},
		"duplicate JSON key":   {"\n{\"a\": {\"" + secret + "\": 1,\n\"" + secret + "\": 2}}", "document 1: line 3: a key is set twice in one object"},
		"text":                 {secret, "document 1: this is not a Kubernetes object but a single value or a list"},
		"list":                 {"- " + secret, "document 1: this is not a Kubernetes object but a single value or a list"},
		"unknown anchor":       {head + "data: *" + secret, "document 1: an alias refers to an anchor that does not exist"},
		"bad separator":        {head + "--- " + secret, "document 1: a line that starts with \"---\" can contain only a comment"},
		"content behind end":   {head + "metadata: {name: a}\n...\ndata: " + secret, "document 1: line 5: a document end marker \"...\" must be followed by a separator \"---\""},
		"not a number":         {head + "metadata: {name: a}\nx: .nan", "document 1: a number is not finite, which JSON does not support"},
		"number out of range":  {`{"a": 1e999}`, "document 1: a number is out of range"},
		"map as key":           {"{? {a: " + secret + "} : b}", "document 1: a key is neither a text nor a number"},
		"unclosed quote":       {head + "data: \"" + secret, "document 1: line 4: found unexpected end of stream"},
		"mapping in a value":   {head + "data: a: " + secret, "document 1: line 3: mapping values are not allowed in this context"},
		"apiVersion missing":   {"kind: " + secret, "document 1: apiVersion is missing"},
		"apiVersion number":    {"apiVersion: 1\nkind: a", "document 1: apiVersion is not a string: put it in quotes"},
		"apiVersion malformed": {"apiVersion: a/b/" + secret + "\nkind: a", `document 1: apiVersion is not a version such as "v1" or "apps/v1"`},
		"kustomization": {
			"apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [" + secret + "]",
			"document 1: this is a file of Kustomize, not a Kubernetes object: place the output of `kubectl kustomize` instead, and exclude this file",
		},
		"kind missing":                  {"apiVersion: v1", "document 1: kind is missing"},
		"kind empty":                    {"apiVersion: v1\nkind: ''", "document 1: kind is empty"},
		"metadata missing":              {head, "document 1: metadata is missing"},
		"metadata text":                 {head + "metadata: " + secret, "document 1: metadata is not a mapping"},
		"name missing":                  {head + "metadata: {namespace: a}", "document 1: metadata.name is missing"},
		"name that YAML reads as false": {head + "metadata: {name: n}", "document 1: metadata.name is not a string: put it in quotes"},
		"name number":                   {head + "metadata: {name: 1}", "document 1: metadata.name is not a string: put it in quotes"},
		"name with slash":               {head + "metadata: {name: a/" + secret + "}", "document 1: metadata.name: it cannot be . or .., and cannot contain / or %"},
		"generateName":                  {head + "metadata: {generateName: " + secret + "-}", "document 1: objects with only generateName are not supported: set metadata.name"},
		"namespace number":              {head + "metadata: {name: a, namespace: 1}", "document 1: metadata.namespace is not a string: put it in quotes"},
		"label number":                  {head + "metadata: {name: a, labels: {" + secret + ": 1}}", "document 1: metadata.labels has a value that is not a string: put numbers, true and false in quotes"},
		"annotations list":              {head + "metadata: {name: a, annotations: [a]}", "document 1: metadata.annotations is not a mapping"},
		"List item":                     {"apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: A, metadata: {name: a}}, " + secret + "]", "document 1: item 2 of the List: this is not a Kubernetes object but a single value or a list"},
		"items a mapping":               {"apiVersion: v1\nkind: List\nitems: {a: b}", "document 1: items is not a list"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			objects, err := Parse(`manifests["a"]`, tt.text)
			parseError, ok := errors.AsType[*ParseError](err)
			if !ok {
				t.Fatalf("got %v (%v), want a ParseError", err, objects)
			}
			if want := `manifests["a"]: ` + tt.want; err.Error() != want {
				t.Errorf("got  %s\nwant %s", err, want)
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("the error contains the text: %v", err)
			}
			if parseError.Document < 1 {
				t.Errorf("document is %d", parseError.Document)
			}
		})
	}
}

func TestParseReportsNamespaceNames(t *testing.T) {
	for _, text := range []string{
		"{apiVersion: v1, kind: Namespace, metadata: {name: A_B}}",
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: A_B}}",
	} {
		if _, err := Parse("text", text); err == nil || strings.Contains(err.Error(), "A_B") {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

func TestParseReportsEveryDocument(t *testing.T) {
	_, err := Parse("text", "a: [\n---\n{apiVersion: v1, kind: Namespace, metadata: {name: ns}}\n---\nkind: x\n")
	if err == nil || !strings.Contains(err.Error(), "document 1") || !strings.Contains(err.Error(), "document 3") {
		t.Errorf("got %v", err)
	}
	if !errors.Is(errors.Join(err), err) {
		t.Error("errors.Is does not find the error")
	}
	_, err = Parse("text", "{apiVersion: v1, kind: A, metadata: {generateName: a}}")
	if !errors.Is(err, ErrGenerateName) {
		t.Errorf("got %v", err)
	}
}

func TestParseStopsAtNestedLists(t *testing.T) {
	text := "{apiVersion: v1, kind: Namespace, metadata: {name: ns}}"
	for range maxListDepth + 1 {
		text = "{apiVersion: v1, kind: List, items: [" + text + "]}"
	}
	if _, err := Parse("text", text); err == nil {
		t.Error("no error")
	}
}

// value generates JSON values as a decoder returns them.
func value() *rapid.Generator[any] {
	scalar := rapid.OneOf(
		rapid.StringMatching(`[ -~äö€\n\t]*`).AsAny(), rapid.Bool().AsAny(), rapid.Int64().AsAny(), rapid.Just[any](nil), rapid.Float64Range(1e-9, 1e9).AsAny(),
	)
	return rapid.OneOf(scalar,
		rapid.SliceOfN(scalar, 0, 3).AsAny(),
		rapid.MapOfN(rapid.StringMatching(`[a-zA-Z0-9./_-]{1,8}`), scalar, 0, 3).AsAny(),
	)
}

// TestParseAfterFormat checks that encoded YAML and JSON are parsed to equal objects, and that their formatting does not matter.
func TestParseAfterFormat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		fields := map[string]any{
			"apiVersion": "example.org/v1", "kind": "Sample", "metadata": map[string]any{"name": "a"},
			"spec": rapid.MapOfN(rapid.StringMatching(`[a-zA-Z0-9./_-]{1,8}`), value(), 0, 5).Draw(t, "spec"),
		}
		object, err := newParsedObject(fields)
		if err != nil {
			t.Fatal(err)
		}
		asJSON, err := object.Content.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		asYAML, err := yaml.JSONToYAML(asJSON)
		if err != nil {
			t.Fatal(err)
		}
		fromJSON, errJSON := Parse("json", string(asJSON))
		fromYAML, errYAML := Parse("yaml", "---\n# a comment\n"+string(asYAML)+"---\n")
		if errJSON != nil || errYAML != nil {
			t.Fatal(errJSON, errYAML, string(asYAML))
		}
		if fromJSON[0].Hash() != object.Hash() {
			t.Fatalf("JSON: %s", cmp.Diff(object.Content.Object, fromJSON[0].Content.Object))
		}
		if fromYAML[0].Hash() != object.Hash() {
			t.Fatalf("YAML: %s\n%s", asYAML, cmp.Diff(object.Content.Object, fromYAML[0].Content.Object))
		}
		if !Equivalent(string(asJSON), string(asYAML)) {
			t.Fatalf("not equivalent:\n%s\n%s", asJSON, asYAML)
		}
	})
}
