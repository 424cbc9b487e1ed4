package manifest

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestTexts(t *testing.T) {
	text := `
apiVersion: v1
kind: Namespace
metadata: {name: app}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: app}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: web, namespace: app}
---
apiVersion: extensions.example.com/v1
kind: Ingress
metadata: {name: web, namespace: app}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: "system:reader"}
`
	got, err := textsOf("all.yaml", text)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"clusterrole.system-reader.yaml", "deployment.app.web.yaml", "ingress.extensions.example.com.app.web.yaml",
		"ingress.networking.k8s.io.app.web.yaml", "namespace.app.yaml",
	}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(got))); diff != "" {
		t.Error(diff)
	}
	again, err := Parse("again", got["deployment.app.web.yaml"])
	if err != nil || len(again) != 1 || again[0].Name != "web" {
		t.Errorf("the text of an object does not parse to it: %v %v", again, err)
	}
	for name, bad := range map[string]string{
		"twice":     "{apiVersion: v1, kind: Namespace, metadata: {name: a}}\n---\n{apiVersion: v1, kind: Namespace, metadata: {name: a}}",
		"same key":  "{apiVersion: v1, kind: ClusterRole, metadata: {name: 'a:b'}}\n---\n{apiVersion: v1, kind: ClusterRole, metadata: {name: a-b}}",
		"malformed": "kind: [",
	} {
		if _, err := textsOf("all.yaml", bad); err == nil || !strings.Contains(err.Error(), "all.yaml") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTextsOfControlCharacters checks that the text of an object is parsed to the same values, whatever their characters are, and that it has
// no control characters.
func TestTextsOfControlCharacters(t *testing.T) {
	for _, value := range []string{"a\r\nb", "\x1b]0;title\a", "\u009b2J\u0085", "\U000e0001"} {
		object := NewObject(&unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a"}, "data": map[string]any{"a": value},
		}}, nil)
		texts, err := Texts("all", []Object{object})
		if err != nil {
			t.Errorf("%q: %v", value, err)
			continue
		}
		text := texts["configmap.a.yaml"]
		if strings.ContainsFunc(strings.ReplaceAll(text, "\n", ""), unicode.IsControl) {
			t.Errorf("%q is written as %q", value, text)
		}
		again, err := Parse("again", text)
		if err != nil || len(again) != 1 || again[0].Hash() != object.Hash() {
			t.Errorf("%q is written as %q, which is read as %v, %v", value, text, again, err)
		}
	}
}

func textsOf(source, text string) (map[string]string, error) {
	objects, err := Parse(source, text)
	if err != nil {
		return nil, err
	}
	return Texts(source, objects)
}
