package diff_test

import (
	"slices"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/objectschema"
)

func TestConflicts(t *testing.T) {
	entry := func(manager, rest, fields string) string {
		return "{manager: " + manager + ", operation: Update, " + rest + "fieldsType: FieldsV1, fieldsV1: {" + fields + "}}"
	}
	containers := func(fields string) string { return "f:spec: {f:template: {f:spec: {f:containers: {" + fields + "}}}}" }
	pods := func(fields string) string { return "{template: {spec: {containers: [" + fields + "]}}}" }
	tests := map[string]struct {
		managedFields, desired, live string
		want                         []string
	}{
		"another value":               {entry("kubectl", "", "f:spec: {f:replicas: {}}"), "{replicas: 1}", "{replicas: 2}", []string{"spec.replicas kubectl"}},
		"the same value":              {entry("kubectl", "", "f:spec: {f:replicas: {}}"), "{replicas: 2}", "{replicas: 2}", nil},
		"our own":                     {entry("ours", "", "f:spec: {f:replicas: {}}"), "{replicas: 1}", "{replicas: 2}", nil},
		"nobody's":                    {entry("kubectl", "", "f:spec: {f:paused: {}}"), "{replicas: 1}", "{replicas: 2}", nil},
		"two others'":                 {entry("a", "", "f:spec: {f:replicas: {}}") + ", " + entry("b", "subresource: scale, ", "f:spec: {f:replicas: {}}"), "{replicas: 1}", "{replicas: 2}", []string{"spec.replicas a", "spec.replicas b"}},
		"a field that is new":         {entry("kubectl", "", "f:spec: {f:replicas: {}}"), "{replicas: 2, paused: true}", "{replicas: 2}", nil},
		"a new element":               {entry("kubectl", "", containers(`.: {}, 'k:{"name":"a"}': {.: {}, f:name: {}}`)), pods("{name: a}, {name: b}"), pods("{name: a}"), nil},
		"the order of elements":       {entry("kubectl", "", containers(`.: {}, 'k:{"name":"a"}': {.: {}}`)), pods("{name: a}, {name: b}"), pods("{name: b}, {name: a}"), nil},
		"a list that is one's whole":  {entry("kubectl", "", containers(`'k:{"name":"a"}': {f:args: {}}`)), pods("{name: a, args: [x, y]}"), pods("{name: a, args: [x]}"), []string{"spec.template.spec.containers[name=a].args[1] kubectl"}},
		"entries that cannot be read": {"{manager: a, fieldsV1: x}", "{replicas: 1}", "{replicas: 2}", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			head := "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, managedFields: [" + tt.managedFields + "]}\nspec: "
			var got []string
			for _, c := range diff.Conflicts(objectschema.New(), object(t, head+tt.desired), object(t, head+tt.live), "ours", false) {
				got = append(got, c.Field+" "+c.Manager.Name)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// TestConflictsWithOwnUpdates checks a manager that never converts its updates to ownership by apply: it conflicts with its updates, but not
// with fields it has applied.
func TestConflictsWithOwnUpdates(t *testing.T) {
	for _, operation := range []string{"Update", "Apply"} {
		const head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, managedFields: [{manager: ours, operation: "
		live := object(t, head+operation+", fieldsType: FieldsV1, fieldsV1: {f:data: {f:a: {}}}}]}\ndata: {a: '1'}")
		desired := object(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: '2'}")
		for _, updates := range []bool{true, false} {
			conflicts := diff.Conflicts(objectschema.New(), desired, live, "ours", updates)
			if want := updates && operation == "Update"; (len(conflicts) == 1) != want {
				t.Errorf("%s, updates %t: %v", operation, updates, conflicts)
			}
		}
	}
}
