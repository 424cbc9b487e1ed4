package diff_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
)

// TestManagers checks the field manager of the member's value, with one difference per case.
func TestManagers(t *testing.T) {
	deployment := func(managedFields, spec string) *unstructured.Unstructured {
		return object(t, "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: a\n  managedFields: "+managedFields+"\nspec: "+spec)
	}
	containers := func(fields string) string { return "f:spec: {f:template: {f:spec: {f:containers: {" + fields + "}}}}" }
	entry := func(manager, operation, rest, fields string) string {
		return "{manager: " + manager + ", operation: " + operation + ", " + rest + ", fieldsType: FieldsV1, fieldsV1: {" + fields + "}}"
	}
	update := func(manager, fields string) string {
		return entry(manager, "Update", "time: '2026-01-01T00:00:00Z'", fields)
	}
	tests := map[string]struct {
		managedFields string
		desired, live string
		want          diff.Manager
	}{
		"a field":                     {"[" + update("kubectl-edit", "f:spec: {f:replicas: {}}") + "]", "{replicas: 1}", "{replicas: 2}", diff.Manager{"kubectl-edit", "Update", ""}},
		"nobody":                      {"[" + update("kubectl-edit", "f:spec: {f:paused: {}}") + "]", "{replicas: 1}", "{replicas: 2}", diff.Manager{}},
		"none at all":                 {"[]", "{replicas: 1}", "{replicas: 2}", diff.Manager{}},
		"entries that cannot be read": {"[x, {manager: a, fieldsV1: x}, {manager: b}, {manager: c, fieldsV1: {f:spec: x}}, {manager: d, fieldsV1: {f:spec: {f:replicas: 1}}}]", "{replicas: 1}", "{replicas: 2}", diff.Manager{}},
		"scale first": {
			"[" + entry("applier", "Apply", "time: '2026-03-01T00:00:00Z'", "f:spec: {f:replicas: {}}") + ", " + entry("kube-controller-manager", "Update", "subresource: scale, time: '2026-01-01T00:00:00Z'", "f:spec: {f:replicas: {}}") + "]",
			"{replicas: 1}", "{replicas: 2}", diff.Manager{"kube-controller-manager", "Update", "scale"},
		},
		"then who applies": {
			"[" + update("b", "f:spec: {f:replicas: {}}") + ", " + entry("a", "Apply", "time: '2025-01-01T00:00:00Z'", "f:spec: {f:replicas: {}}") + "]",
			"{replicas: 1}", "{replicas: 2}", diff.Manager{"a", "Apply", ""},
		},
		"then the latest": {
			"[" + update("b", "f:spec: {f:replicas: {}}") + ", " + entry("a", "Update", "time: '2026-02-01T00:00:00Z'", "f:spec: {f:replicas: {}}") + ", " + entry("c", "Update", "x: y", "f:spec: {f:replicas: {}}") + "]",
			"{replicas: 1}", "{replicas: 2}", diff.Manager{"a", "Update", ""},
		},
		"an element by its key": {
			"[" + update("other", containers(`'k:{"name":"b"}': {.: {}, f:image: {}}`)) + ", " + update("right", containers(`'k:{"name":"a"}': {.: {}, f:image: {}}`)) + "]",
			"{template: {spec: {containers: [{name: a, image: x}]}}}", "{template: {spec: {containers: [{name: b, image: x}, {name: a, image: z}]}}}", diff.Manager{"other", "Update", ""},
		},
		"an element by two keys, one of them left out": {
			"[" + update("tcp", containers(`'k:{"name":"a"}': {f:ports: {'k:{"containerPort":53,"protocol":"TCP"}': {.: {}, f:name: {}}}}`)) + ", " + update("udp", containers(`'k:{"name":"a"}': {f:ports: {'k:{"containerPort":53,"protocol":"UDP"}': {.: {}, f:name: {}}}}`)) + "]",
			"{template: {spec: {containers: [{name: a, ports: [{containerPort: 53, name: x}]}]}}}", "{template: {spec: {containers: [{name: a, ports: [{containerPort: 53, name: z}]}]}}}", diff.Manager{"tcp", "Update", ""},
		},
		"a list that is owned as a whole": {
			"[" + update("whole", containers(`'k:{"name":"a"}': {f:args: {}}`)) + "]",
			"{template: {spec: {containers: [{name: a, args: [x]}]}}}", "{template: {spec: {containers: [{name: a, args: [z]}]}}}", diff.Manager{"whole", "Update", ""},
		},
		"the owner of a key before the owner of the empty map, who applied": {
			"[" + entry("map", "Apply", "time: '2027-01-01T00:00:00Z'", "f:spec: {f:selector: {}}") + ", " + update("key", "f:spec: {f:selector: {f:a: {}}}") + "]",
			"{selector: {a: x}}", "{selector: {a: y}}", diff.Manager{"key", "Update", ""},
		},
		"a map with other owned fields": {
			"[" + update("sub", "f:spec: {f:strategy: {.: {}, f:type: {}}}") + "]", "{strategy: {type: a, x: 1}}", "{strategy: {type: a, x: 2}}", diff.Manager{},
		},
		"an element of a set": {
			"[" + update("x", `f:spec: {f:l: {'v:"a"': {}}}`) + ", " + update("right", `f:spec: {f:l: {'v:"b"': {}, 'v:3': {}}}`) + "]", "{l: []}", "{l: [b]}", diff.Manager{"right", "Update", ""},
		},
		"an element by its index": {"[" + update("x", "f:spec: {f:l: {'i:1': {}}}") + ", " + update("right", "f:spec: {f:l: {'i:0': {}}}") + "]", "{l: [1]}", "{l: [2]}", diff.Manager{"right", "Update", ""}},
		"who has the field before who has something in it, though later": {
			"[" + update("field", "f:spec: {f:strategy: {.: {}, f:type: {}}}") + ", " + entry("part", "Apply", "time: '2027-01-01T00:00:00Z'", "f:spec: {f:strategy: {f:type: {}}}") + "]",
			"{}", "{strategy: {type: a}}", diff.Manager{"field", "Update", ""},
		},
		"the owner of a child, if the field has no owner": {"[" + update("part", "f:spec: {f:strategy: {f:type: {}}}") + "]", "{}", "{strategy: {type: a}}", diff.Manager{"part", "Update", ""}},
		"a key that is broken":                            {"[" + update("x", "f:spec: {f:l: {'k:{': {}, 'v:{': {}, 'k:{}': {}, odd: {}}}") + "]", "{l: [{a: 1}]}", "{l: [{a: 2}]}", diff.Manager{}},
		"only on the hub":                                 {"[" + update("x", "f:spec: {}") + "]", "{replicas: 1}", "{}", diff.Manager{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := compare(deployment("[]", tt.desired), deployment(tt.managedFields, tt.live))
			if len(got) == 0 || got[0].Manager != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestManagersOfAPartialComparison(t *testing.T) {
	live := object(t, realistic)
	desired := object(t, "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, labels: {team: blue}}, spec: {replicas: 2, template: {spec: {containers: [{name: app, image: x, env: [{name: LEVEL, value: debug}]}]}}}}")
	want := map[string]string{
		"metadata.labels.team": "helm", "spec.replicas": "kube-controller-manager through the subresource scale (an autoscaler)",
		"spec.template.spec.containers[name=app].image": "helm", "spec.template.spec.containers[name=app].env[name=LEVEL].value": "helm",
	}
	got := comparePartially(desired, live)
	for _, d := range got {
		if d.Manager.String() != want[d.Field] {
			t.Errorf("%s: got %s", d.Field, d.Manager)
		}
		if d.Autoscaled() != (d.Field == "spec.replicas") {
			t.Errorf("%s: autoscaled is %t", d.Field, d.Autoscaled())
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %v", describeFields(got))
	}
}

func TestManagerString(t *testing.T) {
	for _, tt := range []struct {
		manager    diff.Manager
		text       string
		autoscaled bool
	}{
		{diff.Manager{}, "", false},
		{diff.Manager{"kubectl-client-side-apply", "Update", ""}, "kubectl-client-side-apply", false},
		{diff.Manager{"kube-controller-manager", "Update", "status"}, "kube-controller-manager through the subresource status", false},
		{diff.Manager{"kube-controller-manager", "Update", "scale"}, "kube-controller-manager through the subresource scale (an autoscaler)", true},
		{diff.Manager{"keda-operator", "Update", "scale"}, "keda-operator through the subresource scale (an autoscaler)", true},
		{diff.Manager{"kubectl", "Update", "scale"}, "kubectl through the subresource scale (kubectl scale)", false},
		{diff.Manager{"vpa-updater", "Update", ""}, "vpa-updater", true},
		{diff.Manager{"kube-controller-manager", "Update", ""}, "kube-controller-manager", false},
	} {
		if got := tt.manager.String(); got != tt.text {
			t.Errorf("got %q, want %q", got, tt.text)
		}
		if got := (diff.Difference{Manager: tt.manager}).Autoscaled(); got != tt.autoscaled {
			t.Errorf("%s: autoscaled is %t", tt.text, got)
		}
	}
}
