package harness

import "strings"

// Nginx is the workload of the published guide, with other objects that can belong to a workload.
const Nginx = `
{apiVersion: v1, kind: Namespace, metadata: {name: brownfield}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: my-nginx, namespace: brownfield}
spec:
  selector: {matchLabels: {run: my-nginx}}
  replicas: 2
  template:
    metadata: {labels: {run: my-nginx}}
    spec:
      containers:
      - name: my-nginx
        image: nginx
        ports: [{containerPort: 80}]
        envFrom: [{configMapRef: {name: settings}}, {secretRef: {name: password}}]
---
{apiVersion: v1, kind: Service, metadata: {name: my-nginx, namespace: brownfield, labels: {run: my-nginx}}, spec: {ports: [{port: 80, protocol: TCP}], selector: {run: my-nginx}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: brownfield}, data: {greeting: hello}}
---
{apiVersion: v1, kind: Secret, metadata: {name: password, namespace: brownfield}, stringData: {password: hunter2}}
`

// HandedOver copies the workload to the state, and places it on its own cluster.
const HandedOver = `
resource "fleet_workload" "nginx" {
  cluster   = "member-1"
  group     = "apps"
  version   = "v1"
  kind      = "Deployment"
  namespace = "brownfield"
  name      = "my-nginx"
  lifecycle {
    postcondition {
      condition     = self.restart != "rollout"
      error_message = "The takeover would replace Pods."
    }
  }
}
resource "fleet_crp" "nginx" {
  name      = "my-nginx"
  manifests = fleet_workload.nginx.manifests
  policy    = { placement_type = "PickFixed", cluster_names = ["member-1"] }
  strategy  = { apply_strategy = { when_to_take_over = "IfNoDiff" } }
}
`

// Injecting is a policy that adds an annotation to the Pod template of a Deployment when the Deployment is updated, and the Namespace in which it does so.
const Injecting = `
{apiVersion: v1, kind: Namespace, metadata: {name: brownfield, labels: {inject: "yes"}}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: brownfield-inject}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], resources: [deployments], operations: [UPDATE]}]}
  failurePolicy: Fail
  reinvocationPolicy: Never
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: "Object{spec: Object.spec{template: Object.spec.template{metadata: Object.spec.template.metadata{annotations: {'injected': 'yes'}}}}}"}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: brownfield-inject}
spec: {policyName: brownfield-inject, matchResources: {namespaceSelector: {matchLabels: {inject: "yes"}}}}
`

// SetNamespace returns a text of this file with another namespace. It also renames the workload and its placement.
func SetNamespace(namespace, text string) string {
	return strings.NewReplacer("brownfield", namespace, "my-nginx", namespace+"-nginx").Replace(text)
}
