package functions

import (
	"strings"
	"testing"
)

const (
	onHub = `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: web}, spec: {replicas: 3, template: {spec: {containers: [{name: web, image: "nginx:1.29"}]}}}}`
	// onMember has another number of replicas, a default of the API server, and the labels of Helm.
	onMember = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: web
  labels: {app.kubernetes.io/managed-by: Helm}
  annotations: {meta.helm.sh/release-name: shop, meta.helm.sh/release-namespace: web}
  managedFields:
  - {manager: helm, operation: Update, apiVersion: apps/v1, fieldsType: FieldsV1, fieldsV1: {"f:spec": {"f:replicas": {}}}}
spec:
  replicas: 2
  revisionHistoryLimit: 10
  template:
    spec:
      containers: [{name: web, image: "nginx:1.29"}]
status: {replicas: 2}
`
	serviceOnHub = `{apiVersion: v1, kind: Service, metadata: {name: web, namespace: web, uid: a, resourceVersion: "7", creationTimestamp: "2026-01-01T00:00:00Z"},
		spec: {type: NodePort, clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1], ports: [{port: 80, protocol: TCP, targetPort: 80, nodePort: 30001}]}, status: {loadBalancer: {}}}`
	serviceOnMember = `{apiVersion: v1, kind: Service, metadata: {name: web, namespace: web, uid: b, resourceVersion: "9", creationTimestamp: "2026-01-02T00:00:00Z"},
		spec: {type: NodePort, clusterIP: 10.0.0.2, clusterIPs: [10.0.0.2], ports: [{port: 80, protocol: TCP, targetPort: 80, nodePort: 30002}]}, status: {loadBalancer: {}}}`
	secretOnHub    = `{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: web}, stringData: {password: planted-new}}`
	secretOnMember = `{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: web}, stringData: {password: planted-old}}`
)

func TestTakeoverDiff(t *testing.T) {
	for name, c := range map[string]struct {
		hub, member, option string
		want, not           []string
	}{
		"partial": {onHub, onMember, "PartialComparison", []string{
			`"equal":false`, `"field":"spec.replicas"`, `"in_hub":"3"`, `"in_member":"2"`, `"manager":"helm"`, `"kind":"helm"`, `"text":"Helm release web/shop"`,
			`"value_in_member":"2"`, `"Always":{"action":"take_over"`, `"IfNoDiff":{"action":"leave_alone"`, `"reason":"FailedToTakeOver"`,
			`"Never":{"action":"leave_alone"`, `"reason":"NotTakenOver"`,
		}, []string{"revisionHistoryLimit", "status"}},
		"full": {onHub, onMember, "fullComparison", []string{`"path":"/spec/revisionHistoryLimit"`, `"in_hub":<null>`, `"in_member":"10"`, `"value_in_member":"10"`},
			[]string{"status"}},
		"equal": {onHub, onHub, "partialComparison", []string{
			`"equal":true`, `"differences":[]`, `"observed_diffs":[]`, `"IfNoDiff":{"action":"take_over"`, `"kind":"none"`,
		}, nil},
		"as kubectl prints it": {serviceOnHub, serviceOnMember, "PartialComparison", []string{`"equal":true`, `"IfNoDiff":{"action":"take_over"`},
			[]string{"clusterIP", "nodePort", "resourceVersion"}},
		"a manifest with a port": {strings.Replace(serviceOnHub, "uid: a, ", "", 1), serviceOnMember, "PartialComparison",
			[]string{`"equal":false`, `"field":"spec.clusterIP"`, "nodePort", `"IfNoDiff":{"action":"leave_alone"`}, nil},
		"absent": {onHub, "", "PartialComparison", []string{`"equal":false`, `"differences":[]`, `"Never":{"action":"create"`, `"Always":{"action":"create"`}, nil},
		"co-owned": {onHub, strings.Replace(onHub, "namespace: web}", "namespace: web, ownerReferences: [{apiVersion: v1, kind: Shop, name: main, uid: u}]}", 1), "PartialComparison",
			[]string{`"equal":true`, `"Always":{"action":"leave_alone"`, "co-ownership is disallowed", `"kind":"controller"`}, nil},
		"kubefleet's": {onHub, strings.Replace(onHub, "namespace: web}",
			"namespace: web, ownerReferences: [{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: AppliedWork, name: w, uid: u}]}", 1), "PartialComparison",
			[]string{`"Always":{"action":"leave_alone"`, `"kind":"kubefleet"`}, nil},
		"secret": {secretOnHub, secretOnMember, "FullComparison", []string{`"equal":false`, "redacted for security reasons"}, []string{"planted", "cGxhbnRlZ"}},
		"secret, partial": {secretOnHub, secretOnMember, "PartialComparison", []string{`"equal":false`, "redacted for security reasons"},
			[]string{"planted", "cGxhbnRlZ"}},
	} {
		t.Run(name, func(t *testing.T) {
			value, err := call(t, NewTakeoverDiff(), c.hub, c.member, c.option)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range c.want {
				if !strings.Contains(value.String(), want) {
					t.Errorf("no %s in %s", want, value)
				}
			}
			for _, not := range c.not {
				if strings.Contains(value.String(), not) {
					t.Errorf("%s is in %s", not, value)
				}
			}
		})
	}
}

func TestTakeoverDiffBadInput(t *testing.T) {
	for name, c := range map[string]struct {
		hub, member, option string
		argument            int64
		want                string
	}{
		"no YAML on the hub":    {"kind: [", onMember, "PartialComparison", 0, "hub: "},
		"nothing on the hub":    {"", onMember, "PartialComparison", 0, "0 objects"},
		"two on the hub":        {onHub + "\n---\n" + secretOnHub, onMember, "PartialComparison", 0, "2 objects"},
		"no YAML on the member": {onHub, "kind: [", "PartialComparison", 1, "member: "},
		"two on the member":     {onHub, onHub + "\n---\n" + onHub, "PartialComparison", 1, "2 objects"},
		"another object":        {onHub, secretOnMember, "PartialComparison", 1, "Secret web/s instead of Deployment web/web"},
		"another option":        {onHub, onMember, "Partial", 2, "PartialComparison"},
		"no option":             {onHub, onMember, "", 2, "PartialComparison"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := call(t, NewTakeoverDiff(), c.hub, c.member, c.option)
			if err == nil || !strings.Contains(err.Error(), c.want) || err.FunctionArgument == nil || *err.FunctionArgument != c.argument {
				t.Errorf("%v", err)
			}
		})
	}
}
