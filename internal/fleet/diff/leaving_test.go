package diff_test

import (
	"slices"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/objectschema"
)

// TestLeaving checks which fields an apply removes: those that only its manager has applied and that are no longer desired. If updates is set, this includes
// fields without a default that the manager set when it created the object.
func TestLeaving(t *testing.T) {
	entry := func(manager, operation, fields string) string {
		return "{manager: " + manager + ", operation: " + operation + ", fieldsType: FieldsV1, fieldsV1: {f:spec: {" + fields + "}}}"
	}
	const ports = `f:ports: {'k:{"port":80,"protocol":"TCP"}': {.: {}, f:port: {}}, 'k:{"port":81,"protocol":"TCP"}': {.: {}, f:port: {}}}`
	tests := map[string]struct {
		managedFields, desired, live string
		want, updates                []string
	}{
		"applied by us": {entry("ours", "Apply", "f:type: {}"), "{}", "{type: NodePort}", []string{"spec.type"}, []string{"spec.type"}},
		"desired still": {entry("ours", "Apply", "f:type: {}"), "{type: ClusterIP}", "{type: NodePort}", nil, nil},
		"in a map that others own": {
			entry("ours", "Apply", "f:sessionAffinityConfig: {f:clientIP: {f:timeoutSeconds: {}}}") + ", " + entry("kubectl", "Update", "f:sessionAffinityConfig: {}"),
			"{sessionAffinityConfig: {clientIP: {}}}", "{sessionAffinityConfig: {clientIP: {timeoutSeconds: 1}}}",
			[]string{"spec.sessionAffinityConfig.clientIP.timeoutSeconds"}, []string{"spec.sessionAffinityConfig.clientIP.timeoutSeconds"},
		},
		"a default of a create":  {entry("ours", "Update", "f:type: {}"), "{}", "{type: ClusterIP}", nil, nil},
		"applied by others too":  {entry("ours", "Apply", "f:type: {}") + ", " + entry("kubectl", "Update", "f:type: {}"), "{}", "{type: NodePort}", nil, nil},
		"others'":                {entry("kubectl", "Apply", "f:type: {}"), "{}", "{type: NodePort}", nil, nil},
		"an element":             {entry("ours", "Apply", ports), "{ports: [{port: 80}]}", "{ports: [{port: 80, protocol: TCP}, {port: 81, protocol: TCP}]}", []string{"spec.ports[port=81]"}, []string{"spec.ports[port=81]"}},
		"an element of a create": {entry("ours", "Update", ports), "{ports: [{port: 80}]}", "{ports: [{port: 80, protocol: TCP}, {port: 81, protocol: TCP}]}", nil, []string{"spec.ports[port=81]"}},
		"a key of a create":      {entry("ours", "Update", "f:selector: {}"), "{}", "{selector: {a: b}}", nil, []string{"spec.selector"}},
		"nothing":                {entry("ours", "Apply", ports), "{ports: [{port: 80}]}", "{ports: [{port: 80, protocol: TCP}]}", nil, nil},
		"gone from there before": {entry("ours", "Apply", "f:type: {}"), "{}", "{}", nil, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			head := "apiVersion: v1\nkind: Service\nmetadata: {name: a, managedFields: [" + tt.managedFields + "]}\nspec: "
			for updates, want := range map[bool][]string{false: tt.want, true: tt.updates} {
				var got []string
				for _, d := range diff.Leaving(objectschema.New(), object(t, head+tt.desired), object(t, head+tt.live), "ours", updates) {
					got = append(got, d.Field)
				}
				if !slices.Equal(got, want) {
					t.Errorf("with updates %t: got %v, want %v", updates, got, want)
				}
			}
		})
	}
}
