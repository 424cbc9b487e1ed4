package diff_test

import (
	"slices"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/objectschema"
)

func TestImmutable(t *testing.T) {
	head := func(version, kind string) string {
		return "apiVersion: " + version + "\nkind: " + kind + "\nmetadata: {name: a}\n"
	}
	tests := map[string]struct {
		version, kind string
		desired, live string
		want          []string
	}{
		"a ConfigMap":                      {"v1", "ConfigMap", "data: {a: x}", "data: {a: y}", nil},
		"an immutable ConfigMap":           {"v1", "ConfigMap", "data: {a: x}", "data: {a: y}\nimmutable: true", []string{"data.a"}},
		"a label of an immutable one":      {"v1", "ConfigMap", "", "immutable: true", nil},
		"a Secret's type":                  {"v1", "Secret", "type: a", "type: b", []string{"type"}},
		"a selector":                       {"apps/v1", "Deployment", "spec: {selector: {matchLabels: {a: x}}, replicas: 1}", "spec: {selector: {matchLabels: {a: y}}, replicas: 2}", []string{"spec.selector.matchLabels.a"}},
		"of a StatefulSet all but some":    {"apps/v1", "StatefulSet", "spec: {replicas: 1, serviceName: a}", "spec: {replicas: 2, serviceName: b}", []string{"spec.serviceName"}},
		"a Job's template":                 {"batch/v1", "Job", "spec: {template: {spec: {restartPolicy: Never}}, parallelism: 1}", "spec: {template: {spec: {restartPolicy: OnFailure}}, parallelism: 2}", []string{"spec.template.spec.restartPolicy"}},
		"that of a suspended Job":          {"batch/v1", "Job", "spec: {template: {spec: {nodeName: a}}}", "spec: {suspend: true, template: {spec: {nodeName: b}}}", nil},
		"an indexed Job's completions":     {"batch/v1", "Job", "spec: {completions: 2}", "spec: {completionMode: Indexed, completions: 1}", nil},
		"a Service's address":              {"v1", "Service", "spec: {clusterIP: None}", "spec: {clusterIP: 10.0.0.1}", []string{"spec.clusterIP"}},
		"that of one that becomes another": {"v1", "Service", "spec: {type: ClusterIP, clusterIP: 10.0.0.1}", "spec: {type: ExternalName, clusterIP: ''}", nil},
		"a bound claim's class":            {"v1", "PersistentVolumeClaim", "spec: {storageClassName: a, resources: {requests: {storage: 2Gi}}}", "spec: {storageClassName: b, volumeName: v, resources: {requests: {storage: 1Gi}}}", []string{"spec.storageClassName"}},
		"a volume's source":                {"v1", "PersistentVolume", "spec: {nfs: {server: a}, capacity: {storage: 2Gi}}", "spec: {nfs: {server: b}, capacity: {storage: 1Gi}}", []string{"spec.nfs.server"}},
		"a binding's role":                 {"rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "roleRef: {name: a}", "roleRef: {name: b}", []string{"roleRef.name"}},
		"a StorageClass's parameters":      {"storage.k8s.io/v1", "StorageClass", "parameters: {a: x}", "parameters: {a: y}", []string{"parameters.a"}},
		"a PriorityClass's value":          {"scheduling.k8s.io/v1", "PriorityClass", "value: 1", "value: 2", []string{"value"}},
		"a custom resource":                {"example.com/v1", "Widget", "spec: {selector: a}", "spec: {selector: b}", nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			desired, live := object(t, head(tt.version, tt.kind)+tt.desired), object(t, head(tt.version, tt.kind)+tt.live)
			var got []string
			for _, d := range diff.Immutable(desired, live, diff.Partial(objectschema.New(), desired, live).Differences) {
				got = append(got, d.Field)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
