package manifest

import (
	"fmt"
	"reflect"
	"testing"
)

func TestEquivalent(t *testing.T) {
	tests := map[string]struct {
		a, b string
		want bool
	}{
		"same text":           {"a: [", "a: [", true},
		"order of keys":       {"a: 1\nb: 2\n", "b: 2\na: 1\n", true},
		"comments":            {"a: 1 # one\n", "# one\na: 1\n", true},
		"indentation":         {"a:\n    b: 1\n", "a:\n b: 1", true},
		"quotes":              {`a: "x"`, "a: x", true},
		"separators":          {"a: 1\n---\nb: 1", "---\na: 1\n---\n---\nb: 1\n---\n", true},
		"JSON":                {`{"a": [1, "x"]}`, "a:\n- 1\n- x\n", true},
		"nothing at all":      {"", "# nothing\n", true},
		"text is not number":  {`a: "1"`, "a: 1", false},
		"order of a list":     {"a: [1, 2]", "a: [2, 1]", false},
		"order of documents":  {"a: 1\n---\nb: 1", "b: 1\n---\na: 1", false},
		"one is not readable": {"a: [", "a: []", false},
		"neither is readable": {"a: [", "a:  [", false},
		"null and absent":     {"a: 1\nb: null", "a: 1", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := Equivalent(tt.a, tt.b); got != tt.want {
				t.Errorf("got %t", got)
			}
			if got := Equivalent(tt.b, tt.a); got != tt.want {
				t.Errorf("the other way round: got %t", got)
			}
		})
	}
}

func TestCanonicalOfUnreadableText(t *testing.T) {
	if got, err := Canonical("a: ["); got != "a: [" || err == nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestDuplicates(t *testing.T) {
	objects, err := Parse("text", `
{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: ns}}
---
{apiVersion: apps/v1beta1, kind: Deployment, metadata: {name: a, namespace: ns}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: ns}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: other}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: ns}}
`)
	if err != nil {
		t.Fatal(err)
	}
	objects[4].Envelope = &Envelope{Type: "ConfigMap", Namespace: "ns", Name: "e"}
	got := Duplicates(objects)
	if len(got) != 2 || got[0].Second.Version != "v1beta1" || got[1].First.Version != "v1" {
		t.Fatalf("got %v", got)
	}
	if want := "Deployment ns/a is listed twice"; got[0].String() != want {
		t.Errorf("got %q, want %q", got[0], want)
	}
	if want := "Deployment ns/a is listed twice: on its own and in ConfigMap ns/e"; got[1].String() != want {
		t.Errorf("got %q, want %q", got[1], want)
	}
}

func TestHashTexts(t *testing.T) {
	t.Parallel()
	if HashTexts(nil) != "" || HashTexts(map[string]string{"a": "{b: 1}"}) != HashTexts(map[string]string{"a": "b:  1 # one\n"}) {
		t.Error("the hash depends on the formatting")
	}
	if HashTexts(map[string]string{"a": "{b: 1}"}) == HashTexts(map[string]string{"a": "{b: 2}"}) {
		t.Error("the hash does not depend on the content")
	}
}

// TestParseCanonical compares with Parse and Canonical.
func TestParseCanonical(t *testing.T) {
	for _, text := range []string{
		"{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {b: c}}", "# nothing\n", "", "a: [", "{apiVersion: v1, kind: ConfigMap}",
		"{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Namespace, metadata: {name: a}}]}\n---\n{apiVersion: v1, kind: Namespace, metadata: {name: b}}",
	} {
		objects, canonical, err := ParseCanonical("key", text)
		want, wantErr := Parse("key", text)
		if !reflect.DeepEqual(objects, want) || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%q: got %v, %v, want %v, %v", text, objects, err, want, wantErr)
		}
		if wantCanonical, _ := Canonical(text); canonical != wantCanonical {
			t.Errorf("%q: got %q, want %q", text, canonical, wantCanonical)
		}
		texts := map[string]string{"one": text, "other": text + "\n"}
		if got, want := (Canonicals{text: canonical}).HashTexts(texts), HashTexts(texts); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestCanonicalsAreUsed checks that known texts are not decoded.
func TestCanonicalsAreUsed(t *testing.T) {
	if got := (Canonicals{"x: 1": "other"}).HashTexts(map[string]string{"a": "x: 1"}); got == HashTexts(map[string]string{"a": "x: 1"}) {
		t.Error("a known text was decoded")
	}
}
