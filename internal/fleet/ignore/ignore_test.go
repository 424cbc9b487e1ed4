package ignore

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

func parse(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	var out map[string]any
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return &unstructured.Unstructured{Object: out}
}

func TestAlign(t *testing.T) {
	t.Parallel()
	const object = `{kind: Deployment, spec: {replicas: 2, template: {containers: [{name: a, image: a1}, {name: b, image: b1}]}}, metadata: {annotations: {"a.b/c": d}}}`
	for name, c := range map[string]struct {
		object, live, field string
		options             Options
		want                string
	}{
		"a field":           {`{spec: {a: 1, b: 1}}`, `{spec: {a: 5, b: 5}}`, "spec.a", Options{}, `{spec: {a: 5, b: 1}}`},
		"one that is gone":  {`{spec: {a: 1, b: 1}}`, `{spec: {b: 5}}`, "spec.a", Options{}, `{spec: {b: 1}}`},
		"one of others":     {`{spec: {b: 1}}`, `{spec: {a: 5}}`, "spec.a", Options{}, `{spec: {b: 1}}`},
		"added":             {`{spec: {b: 1}}`, `{spec: {a: 5}}`, "spec.a", Options{Add: true}, `{spec: {a: 5, b: 1}}`},
		"added below":       {`{}`, `{spec: {a: {b: 5}}}`, "spec.a.b", Options{Add: true}, `{spec: {a: {b: 5}}}`},
		"added to no list":  {`{}`, `{a: [{k: x, v: 1}]}`, "a[k=x].v", Options{Add: true}, `{}`},
		"left out":          {`{spec: {a: 1, b: 1}}`, `{spec: {a: 5}}`, "spec.a", Options{Omit: func(Field) bool { return true }}, `{spec: {b: 1}}`},
		"an annotation":     {object, `{metadata: {annotations: {"a.b/c": e}}}`, `metadata.annotations["a.b/c"]`, Options{}, `{kind: Deployment, spec: {replicas: 2, template: {containers: [{name: a, image: a1}, {name: b, image: b1}]}}, metadata: {annotations: {"a.b/c": e}}}`},
		"in a list":         {object, `{spec: {template: {containers: [{name: x}, {name: b, image: b2}]}}}`, "spec.template.containers[name=b].image", Options{}, `{kind: Deployment, spec: {replicas: 2, template: {containers: [{name: a, image: a1}, {name: b, image: b2}]}}, metadata: {annotations: {"a.b/c": d}}}`},
		"an element gone":   {`{a: [{k: x, v: 1}, {k: y, v: 1}]}`, `{a: [{k: y, v: 2}]}`, "a[k=x].v", Options{}, `{a: [{k: x, v: 1}, {k: y, v: 1}]}`},
		"a number as a key": {`{a: [{port: 80, x: 1}]}`, `{a: [{port: 80, x: 2}]}`, "a[port=80].x", Options{}, `{a: [{port: 80, x: 2}]}`},
		"of a Secret":       {`{kind: Secret, stringData: {a: b, c: d}}`, `{data: {a: eA==}}`, "data.a", Options{}, `{kind: Secret, stringData: {c: d}, data: {a: eA==}}`},
	} {
		before := parse(t, c.object)
		got := Align(before, parse(t, c.live), []string{c.field}, c.options)
		if diff := cmp.Diff(parse(t, c.want).Object, got.Object); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(parse(t, c.object).Object, before.Object); diff != "" {
			t.Errorf("%s: the object itself is changed: %s", name, diff)
		}
	}
	created := parse(t, object)
	if Align(created, nil, []string{"spec.replicas"}, Options{}) != created {
		t.Error("Align changed an object without a live one")
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	rules := Rules{
		{Kind: "Deployment", Fields: []string{"spec.replicas"}}, {Name: "web", Namespace: "shop", Fields: []string{"spec.replicas", "spec.a"}}, {Fields: nil},
		{Fields: []string{"", "spec[", "spec[0]", "a b", "a..b", "spec.", "metadata.name", "metadata.labels", `metadata.labels["applyset.kubernetes.io/part-of"]`, "status.a", `a["b`, "[a=b]", "$.spec", "a]b"}},
	}
	for name, want := range map[string][]string{"web": {"spec.a", "spec.replicas"}, "api": {"spec.replicas"}} {
		if diff := cmp.Diff(want, rules[:2].Of(manifest.Identifier{Kind: "Deployment", Namespace: "shop", Name: name})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if got := rules[:2].Of(manifest.Identifier{Kind: "ConfigMap", Namespace: "shop", Name: "api"}); got != nil {
		t.Error(got)
	}
	if problems := rules.Validate(); len(problems) != 1+len(rules[3].Fields) || problems[0].String() != `ignore_fields[2].fields: name at least one field, such as "spec.replicas"` {
		t.Errorf("%d problems: %v", len(problems), problems)
	}
	for _, text := range []string{"spec", "spec.a-b_c", `metadata.labels["app.kubernetes.io/version"]`, `a[name="b]c"].d`, "webhooks[name=a.b].clientConfig.caBundle"} {
		if _, err := ParseField(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	if Hash("a", nil) != "a" || Hash("a", []string{"b"}) == Hash("a", []string{"c"}) {
		t.Error("the hash does not depend on the fields")
	}
}
