package kube

import (
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func TestForeignElements(t *testing.T) {
	port := func(name string, number int64) map[string]any {
		return map[string]any{"name": name, "port": number}
	}
	service := func(ports ...any) *unstructured.Unstructured {
		return object(schema.GroupVersionKind{Version: "v1", Kind: "Service"}, "web", "a", map[string]any{"spec": map[string]any{"ports": ports}})
	}
	withDefaults := port("http", 80)
	withDefaults["protocol"] = "TCP"
	withList := func(elements ...any) map[string]any {
		return map[string]any{"name": "http", "port": int64(82), "rules": elements}
	}
	rule := func(fields ...string) map[string]any {
		out := map[string]any{}
		for _, name := range fields {
			out[name] = "x"
		}
		return out
	}
	name := field.NewPath("spec", "ports").Index(1).Child("name")
	for what, c := range map[string]struct {
		applied, live *unstructured.Unstructured
		problem       *field.Error
		want          bool
	}{
		"another number":      {service(port("http", 80)), service(port("http", 81)), field.Duplicate(name, "http"), true},
		"a port without name": {service(port("", 80)), service(port("", 81)), field.Required(name, ""), true},
		"an added port":       {service(port("http", 80)), service(withDefaults, port("more", 81)), field.Duplicate(name, "http"), true},
		"nothing of others":   {service(port("http", 80), port("http", 81)), service(withDefaults), field.Duplicate(name, "http"), false},
		"another rule":        {service(port("http", 80)), service(port("http", 81)), field.Invalid(name, "http", "too short"), false},
		"no list":             {service(port("http", 80)), service(port("http", 81)), field.Required(field.NewPath("spec", "selector"), ""), false},
		"nested defaults":     {service(withList(rule("path"))), service(withList(rule("path", "default"))), field.Duplicate(name, "http"), false},
		"a nested element":    {service(withList(rule("path"))), service(withList(rule("path"), rule("more"))), field.Duplicate(name, "http"), true},
		"own former port":     {service(port("http", 90), port("http", 91)), service(withDefaults), field.Duplicate(name, "http"), false},
		"a new object":        {service(port("http", 80)), nil, field.Duplicate(name, "http"), false},
	} {
		rejection := apierrors.NewInvalid(schema.GroupKind{Kind: "Service"}, "a", field.ErrorList{c.problem})
		former := func() []byte { return []byte(`{"spec": {"ports": [{"name": "http", "port": 80}]}}`) }
		_, advice := explain(asForeignElements(c.applied, c.live, former, rejection))
		if (advice != "") != c.want {
			t.Errorf("%s: %q", what, advice)
		}
	}
}
