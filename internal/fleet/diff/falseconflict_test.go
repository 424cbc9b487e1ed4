package diff_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
)

// TestPartialFindsNoFalseConflict compares manifests as users write them with the objects that API servers and other clients create from them.
func TestPartialFindsNoFalseConflict(t *testing.T) {
	const webhook = "admissionregistration.k8s.io/v1"
	tests := map[string]struct {
		desired, live *unstructured.Unstructured
	}{
		"server defaults": {
			object(t, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, labels: {team: red}}, spec: {selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}, creationTimestamp: null}, spec: {containers: [{name: app, image: "registry.example.com/shop/web:1.2.3", ports: [{containerPort: 8080}], volumeMounts: [{name: tmp, mountPath: /tmp}], resources: {}}], volumes: [{name: tmp, emptyDir: {}}]}}}, status: {}}`),
			object(t, realistic),
		},
		"replicas that an autoscaler owns and the manifest leaves out": {thing(t, "apps/v1", "Deployment", "spec: {paused: false}"), thing(t, "apps/v1", "Deployment", "spec: {replicas: 7}")},
		"injected containers, variables, mounts and volumes": {
			pods(t, "{containers: [{name: app, image: a, env: [{name: A, value: a}, {name: B, value: b}], volumeMounts: [{name: x, mountPath: /x}]}], volumes: [{name: x, emptyDir: {}}]}"),
			pods(t, "{initContainers: [{name: init}], containers: [{name: proxy}, {name: app, image: a, env: [{name: FIRST, value: c}, {name: A, value: a}, {name: BETWEEN, value: c}, {name: B, value: b}], volumeMounts: [{name: token, mountPath: /t}, {name: x, mountPath: /x}]}], volumes: [{name: token}, {name: x, emptyDir: {}}]}"),
		},
		"quantities": {
			pods(t, "{containers: [{name: app, resources: {limits: {cpu: 1000m, memory: 1024Mi, ephemeral-storage: 1e9}, requests: {cpu: 0.5, memory: 0.5Gi}}}], volumes: [{name: a, emptyDir: {sizeLimit: 0.5Gi}}]}"),
			pods(t, "{containers: [{name: app, resources: {limits: {cpu: '1', memory: 1Gi, ephemeral-storage: 1G}, requests: {cpu: 500m, memory: 512Mi}}}], volumes: [{name: a, emptyDir: {sizeLimit: 512Mi}}]}"),
		},
		"quantities of other kinds": {
			thing(t, "v1", "LimitRange", "spec: {limits: [{type: Container, max: {cpu: 2000m}}]}"),
			thing(t, "v1", "LimitRange", "spec: {limits: [{type: Container, max: {cpu: '2'}, default: {cpu: '2'}, defaultRequest: {cpu: '2'}}]}"),
		},
		"ports by name": {
			pods(t, "{containers: [{name: app, ports: [{name: http, containerPort: 80}], readinessProbe: {httpGet: {port: http, path: /}}}]}"),
			pods(t, "{containers: [{name: app, ports: [{name: metrics, containerPort: 9090, protocol: TCP}, {name: http, containerPort: 80, protocol: TCP}], readinessProbe: {httpGet: {port: http, path: /, scheme: HTTP}, periodSeconds: 10}}]}"),
		},
		"what a Service is given": {
			thing(t, "v1", "Service", "spec: {type: NodePort, clusterIP: '', selector: {app: web}, ports: [{port: 80, targetPort: http, nodePort: 0}]}"),
			thing(t, "v1", "Service", "spec: {type: NodePort, clusterIP: 10.0.0.51, clusterIPs: [10.0.0.51], selector: {app: web}, sessionAffinity: None, ports: [{port: 80, targetPort: http, protocol: TCP, nodePort: 30080}]}"),
		},
		"the CA of webhooks": {
			thing(t, webhook, "ValidatingWebhookConfiguration", "webhooks: [{name: a.b.c, clientConfig: {service: {name: s, namespace: ns}}, rules: [{apiGroups: [''], operations: ['*'], resources: [pods], apiVersions: [v1]}], sideEffects: None}]"),
			thing(t, webhook, "ValidatingWebhookConfiguration", "webhooks: [{name: a.b.c, clientConfig: {caBundle: eA==, service: {name: s, namespace: ns, port: 443}}, rules: [{apiGroups: [''], operations: ['*'], resources: [pods], apiVersions: [v1], scope: '*'}], sideEffects: None, failurePolicy: Fail, namespaceSelector: {}, objectSelector: {}}]"),
		},
		"a CA with line breaks": {
			thing(t, webhook, "ValidatingWebhookConfiguration", `webhooks: [{name: a.b.c, clientConfig: {caBundle: "e\nA=="}}]`),
			thing(t, webhook, "ValidatingWebhookConfiguration", "webhooks: [{name: a.b.c, clientConfig: {caBundle: eA==}}]"),
		},
		"stringData":                  {thing(t, "v1", "Secret", "data: {a: eA==}, stringData: {b: x}"), thing(t, "v1", "Secret", "data: {a: eA==, b: eA==}, type: Opaque")},
		"secrets of a ServiceAccount": {thing(t, "v1", "ServiceAccount", "secrets: [{name: mine}]"), thing(t, "v1", "ServiceAccount", "secrets: [{name: token-x}, {name: mine}]")},
		"numbers or texts":            {thing(t, "policy/v1", "PodDisruptionBudget", "spec: {minAvailable: 50%}"), thing(t, "policy/v1", "PodDisruptionBudget", "spec: {minAvailable: 50%, selector: {}}")},
		"nulls":                       {pods(t, "{affinity: null, containers: [{name: a, command: null, resources: null}]}"), pods(t, "{containers: [{name: a, resources: {}}]}")},
		"zeros": {
			pods(t, "{hostNetwork: false, hostPID: false, nodeSelector: {}, priorityClassName: '', containers: [{name: a, tty: false, workingDir: '', command: [], env: [{name: A, value: ''}], ports: [{containerPort: 80, hostPort: 0, name: ''}], livenessProbe: {initialDelaySeconds: 0, tcpSocket: {port: 80}}, resources: {limits: {}}, volumeMounts: [{name: x, mountPath: /x, readOnly: false, subPath: ''}]}], volumes: [{name: x, secret: {secretName: x, items: []}}]}"),
			pods(t, "{containers: [{name: a, env: [{name: A}], ports: [{containerPort: 80}], livenessProbe: {tcpSocket: {port: 80}}, volumeMounts: [{name: x, mountPath: /x}]}], volumes: [{name: x, secret: {secretName: x}}]}"),
		},
		"quantities of an autoscaler": {
			thing(t, "autoscaling/v2", "HorizontalPodAutoscaler", "spec: {maxReplicas: 3, metrics: [{type: Pods, pods: {metric: {name: m}, target: {type: AverageValue, averageValue: 1000m}}}]}"),
			thing(t, "autoscaling/v2", "HorizontalPodAutoscaler", "spec: {maxReplicas: 3, metrics: [{type: Pods, pods: {metric: {name: m}, target: {type: AverageValue, averageValue: '1'}}}]}"),
		},
		"a quantity below a thousandth": {pods(t, "{containers: [{name: a, resources: {limits: {cpu: 0.1m}}}]}"), pods(t, "{containers: [{name: a, resources: {limits: {cpu: 1m}}}]}")},
		"a quota below a thousandth":    {thing(t, "v1", "ResourceQuota", "spec: {hard: {requests.cpu: 0.1m}}"), thing(t, "v1", "ResourceQuota", "spec: {hard: {requests.cpu: 1m}}")},
		"an inline volume below a thousandth": {
			thing(t, "storage.k8s.io/v1", "VolumeAttachment", "spec: {source: {inlineVolumeSpec: {capacity: {storage: 0.1m}}}}"),
			thing(t, "storage.k8s.io/v1", "VolumeAttachment", "spec: {source: {inlineVolumeSpec: {capacity: {storage: 1m}}}}"),
		},
		"a tolerance in another notation": {
			thing(t, "autoscaling/v2", "HorizontalPodAutoscaler", "spec: {behavior: {scaleUp: {tolerance: 0.0002}}}"), thing(t, "autoscaling/v2", "HorizontalPodAutoscaler", "spec: {behavior: {scaleUp: {tolerance: 200u}}}"),
		},
		"subjects":                         {thing(t, "rbac.authorization.k8s.io/v1", "RoleBinding", "subjects: [{kind: User, name: a}], roleRef: {kind: Role, name: b}"), thing(t, "rbac.authorization.k8s.io/v1", "RoleBinding", "subjects: [{kind: User, name: a, apiGroup: rbac.authorization.k8s.io}], roleRef: {kind: Role, name: b, apiGroup: rbac.authorization.k8s.io}")},
		"the protocol in a network policy": {thing(t, "networking.k8s.io/v1", "NetworkPolicy", "spec: {podSelector: {}, ingress: [{ports: [{port: 80}]}]}"), thing(t, "networking.k8s.io/v1", "NetworkPolicy", "spec: {podSelector: {}, policyTypes: [Ingress], ingress: [{ports: [{port: 80, protocol: TCP}]}]}")},
		"templates of claims":              {thing(t, "apps/v1", "StatefulSet", "spec: {volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1024Mi}}}}]}"), thing(t, "apps/v1", "StatefulSet", "spec: {volumeClaimTemplates: [{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data, creationTimestamp: null}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, volumeMode: Filesystem}, status: {phase: Pending}}]}")},
		"references in variables":          {pods(t, "{containers: [{name: a, env: [{name: A, valueFrom: {fieldRef: {fieldPath: metadata.name}}}, {name: B, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}]}]}"), pods(t, "{containers: [{name: a, env: [{name: A, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: metadata.name}}}, {name: B, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: '0'}}}]}]}")},
		"projected volumes":                {pods(t, "{volumes: [{name: a, projected: {sources: [{serviceAccountToken: {path: t}}, {downwardAPI: {items: [{path: name, fieldRef: {fieldPath: metadata.name}}]}}]}}]}"), pods(t, "{volumes: [{name: a, projected: {defaultMode: 420, sources: [{serviceAccountToken: {path: t, expirationSeconds: 3600}}, {downwardAPI: {items: [{path: name, fieldRef: {apiVersion: v1, fieldPath: metadata.name}}]}}]}}]}")},
		"metrics of an autoscaler":         {thing(t, "autoscaling/v2", "HorizontalPodAutoscaler", "spec: {maxReplicas: 3, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]}"), thing(t, "autoscaling/v2", "HorizontalPodAutoscaler", "spec: {maxReplicas: 3, minReplicas: 1, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]}")},
		"a generated definition":           {thing(t, "apiextensions.k8s.io/v1", "CustomResourceDefinition", "spec: {preserveUnknownFields: false, versions: [{name: v1, subresources: {status: {}}, schema: {openAPIV3Schema: {nullable: false, properties: {spec: {}}}}}]}"), thing(t, "apiextensions.k8s.io/v1", "CustomResourceDefinition", "spec: {conversion: {strategy: None}, versions: [{name: v1, subresources: {status: {}}, schema: {openAPIV3Schema: {properties: {spec: {}}}}}]}")},
		"a volume that is bound":           {thing(t, "v1", "PersistentVolume", "spec: {capacity: {storage: 1024Mi}, claimRef: {name: a, namespace: b}}"), thing(t, "v1", "PersistentVolume", "spec: {capacity: {storage: 1Gi}, claimRef: {apiVersion: v1, kind: PersistentVolumeClaim, name: a, namespace: b, uid: c, resourceVersion: '1'}}")},
		"zeros of numbers that are pointers elsewhere": {
			thing(t, "apiextensions.k8s.io/v1", "CustomResourceDefinition", "spec: {versions: [{name: v1, additionalPrinterColumns: [{name: a, type: string, jsonPath: .a, priority: 0}]}]}"),
			thing(t, "apiextensions.k8s.io/v1", "CustomResourceDefinition", "spec: {versions: [{name: v1, additionalPrinterColumns: [{name: a, type: string, jsonPath: .a}]}]}"),
		},
		"quantities and bytes where no table had them": {
			thing(t, "storage.k8s.io/v1", "CSIStorageCapacity", "capacity: 1024Mi, storageClassName: a"), thing(t, "storage.k8s.io/v1", "CSIStorageCapacity", "capacity: 1Gi, storageClassName: a"),
		},
		"the request of a certificate": {
			thing(t, "certificates.k8s.io/v1", "CertificateSigningRequest", `spec: {request: "e\nA=="}`), thing(t, "certificates.k8s.io/v1", "CertificateSigningRequest", "spec: {request: eA==, usages: []}"),
		},
		"an APIService": {
			thing(t, "apiregistration.k8s.io/v1", "APIService", "spec: {insecureSkipTLSVerify: false, service: {name: a, namespace: b}}"), thing(t, "apiregistration.k8s.io/v1", "APIService", "spec: {caBundle: eA==, service: {name: a, namespace: b, port: 443}}"),
		},
		"the version of a scale target": {thing(t, "autoscaling/v2", "HorizontalPodAutoscaler", "spec: {scaleTargetRef: {kind: Deployment, name: a}}"), thing(t, "autoscaling/v2", "HorizontalPodAutoscaler", "spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}}")},
		"a set in another order":        {thing(t, "storage.k8s.io/v1", "CSIDriver", "spec: {volumeLifecycleModes: [Ephemeral]}"), thing(t, "storage.k8s.io/v1", "CSIDriver", "spec: {volumeLifecycleModes: [Persistent, Ephemeral]}")},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if got := comparePartially(tt.desired, tt.live); len(got) > 0 {
				t.Errorf("got %v", describeFields(got))
			}
		})
	}
}

// TestPartialFindsRealConflicts checks differences that a server-side apply would change, although they resemble the cases above.
func TestPartialFindsRealConflicts(t *testing.T) {
	const spec = "spec.template.spec."
	tests := map[string]struct {
		desired, live *unstructured.Unstructured
		want          []string
	}{
		"a quantity": {pods(t, "{containers: [{name: a, resources: {limits: {cpu: 1000m}}}]}"), pods(t, "{containers: [{name: a, resources: {limits: {cpu: '10'}}}]}"), []string{spec + "containers[name=a].resources.limits.cpu"}},
		"an average below a thousandth": {
			thing(t, "autoscaling/v2", "HorizontalPodAutoscaler", "spec: {metrics: [{pods: {target: {averageValue: 100u}}}]}"),
			thing(t, "autoscaling/v2", "HorizontalPodAutoscaler", "spec: {metrics: [{pods: {target: {averageValue: 500u}}}]}"), []string{"spec.metrics[0].pods.target.averageValue"},
		},
		"a tolerance below a thousandth": {
			thing(t, "autoscaling/v2", "HorizontalPodAutoscaler", "spec: {behavior: {scaleUp: {tolerance: 0.0002}}}"),
			thing(t, "autoscaling/v2", "HorizontalPodAutoscaler", "spec: {behavior: {scaleUp: {tolerance: 800u}}}"), []string{"spec.behavior.scaleUp.tolerance"},
		},
		"a size limit below a thousandth": {
			pods(t, "{volumes: [{name: a, emptyDir: {sizeLimit: 0.1m}}]}"), pods(t, "{volumes: [{name: a, emptyDir: {sizeLimit: 1m}}]}"), []string{spec + "volumes[name=a].emptyDir.sizeLimit"},
		},
		"a divisor below a thousandth": {
			pods(t, "{containers: [{name: a, env: [{name: A, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: 0.1m}}}]}]}"),
			pods(t, "{containers: [{name: a, env: [{name: A, valueFrom: {resourceFieldRef: {resource: limits.cpu, divisor: 1m}}}]}]}"),
			[]string{spec + "containers[name=a].env[name=A].valueFrom.resourceFieldRef.divisor"},
		},
		"an overhead below a thousandth": {
			thing(t, "node.k8s.io/v1", "RuntimeClass", "overhead: {podFixed: {cpu: 0.1m}}"), thing(t, "node.k8s.io/v1", "RuntimeClass", "overhead: {podFixed: {cpu: 1m}}"), []string{"overhead.podFixed.cpu"},
		},
		"the capacity of a claim below a thousandth": {
			thing(t, "resource.k8s.io/v1", "ResourceClaim", "spec: {devices: {requests: [{name: a, exactly: {capacity: {requests: {memory: 0.1m}}}}]}}"),
			thing(t, "resource.k8s.io/v1", "ResourceClaim", "spec: {devices: {requests: [{name: a, exactly: {capacity: {requests: {memory: 1m}}}}]}}"), []string{"spec.devices.requests[0].exactly.capacity.requests.memory"},
		},
		"a variable":                           {pods(t, "{containers: [{name: a, env: [{name: A}, {name: B, value: '1'}]}]}"), pods(t, "{containers: [{name: a, env: [{name: A}, {name: B, value: '2'}]}]}"), []string{spec + "containers[name=a].env[name=B].value"}},
		"variables in another order":           {pods(t, "{containers: [{name: a, env: [{name: B, value: '1'}, {name: A, value: $(B)}]}]}"), pods(t, "{containers: [{name: a, env: [{name: A, value: $(B)}, {name: C}, {name: B, value: '1'}]}]}"), []string{spec + "containers[name=a].env"}},
		"a port by its name":                   {thing(t, "v1", "Service", "spec: {ports: [{port: 80, targetPort: 80}]}"), thing(t, "v1", "Service", "spec: {ports: [{port: 80, targetPort: http}]}"), []string{"spec.ports[port=80].targetPort"}},
		"the selector of a Service":            {thing(t, "v1", "Service", "spec: {selector: {app: web}}"), thing(t, "v1", "Service", "spec: {selector: {app: web, track: blue}}"), []string{"spec.selector.track"}},
		"a selector of labels":                 {thing(t, "policy/v1", "PodDisruptionBudget", "spec: {selector: {matchLabels: {app: web}}}"), thing(t, "policy/v1", "PodDisruptionBudget", "spec: {selector: {matchLabels: {app: web, track: blue}}}"), []string{"spec.selector.matchLabels.track"}},
		"a cluster IP":                         {thing(t, "v1", "Service", "spec: {clusterIP: None}"), thing(t, "v1", "Service", "spec: {clusterIP: 10.0.0.52}"), []string{"spec.clusterIP"}},
		"an address that is no Service's":      {sample(t, "{clusterIP: ''}"), sample(t, "{clusterIP: 10.0.0.52}"), []string{"spec.clusterIP"}},
		"a toleration with an effect":          {pods(t, "{tolerations: [{key: a, operator: Exists}]}"), pods(t, "{tolerations: [{key: a, operator: Exists, effect: NoSchedule}]}"), []string{spec + "tolerations[0].effect"}},
		"the subject of another namespace":     {thing(t, "rbac.authorization.k8s.io/v1", "RoleBinding", "subjects: [{kind: ServiceAccount, name: a}]"), thing(t, "rbac.authorization.k8s.io/v1", "RoleBinding", "subjects: [{kind: ServiceAccount, name: a, namespace: b}]"), []string{"subjects[0].namespace"}},
		"verbs":                                {thing(t, "rbac.authorization.k8s.io/v1", "Role", "rules: [{verbs: [get]}]"), thing(t, "rbac.authorization.k8s.io/v1", "Role", "rules: [{verbs: [get, delete]}]"), []string{"rules[0].verbs[1]"}},
		"booleans that are pointers":           {pods(t, "{automountServiceAccountToken: false, containers: [{name: a, securityContext: {allowPrivilegeEscalation: false}}]}"), pods(t, "{containers: [{name: a, securityContext: {runAsUser: 1}}]}"), []string{spec + "automountServiceAccountToken", spec + "containers[name=a].securityContext.allowPrivilegeEscalation"}},
		"numbers that are pointers":            {pods(t, "{securityContext: {runAsUser: 0}}"), pods(t, "{securityContext: {}}"), []string{spec + "securityContext.runAsUser"}},
		"a text that is a pointer":             {thing(t, "v1", "PersistentVolumeClaim", "spec: {storageClassName: ''}"), thing(t, "v1", "PersistentVolumeClaim", "spec: {}"), []string{"spec.storageClassName"}},
		"a structure that is empty":            {pods(t, "{volumes: [{name: a, emptyDir: {}}]}"), pods(t, "{volumes: [{name: a, hostPath: {path: /}}]}"), []string{spec + "volumes[name=a].emptyDir"}},
		"a peer that is every pod":             {thing(t, "networking.k8s.io/v1", "NetworkPolicy", "spec: {ingress: [{from: [{podSelector: {}}]}]}"), thing(t, "networking.k8s.io/v1", "NetworkPolicy", "spec: {ingress: [{from: [{namespaceSelector: {}}]}]}"), []string{"spec.ingress[0].from[0].namespaceSelector", "spec.ingress[0].from[0].podSelector"}},
		"another protocol in a network policy": {thing(t, "networking.k8s.io/v1", "NetworkPolicy", "spec: {ingress: [{ports: [{port: 80}]}]}"), thing(t, "networking.k8s.io/v1", "NetworkPolicy", "spec: {ingress: [{ports: [{port: 80, protocol: UDP}]}]}"), []string{"spec.ingress[0].ports[0].protocol"}},
		"every namespace in a network policy":  {thing(t, "networking.k8s.io/v1", "NetworkPolicy", "spec: {ingress: [{from: [{podSelector: {}}]}]}"), thing(t, "networking.k8s.io/v1", "NetworkPolicy", "spec: {ingress: [{from: [{podSelector: {}, namespaceSelector: {}}]}]}"), []string{"spec.ingress[0].from[0].namespaceSelector"}},
		"a toleration with an operator":        {pods(t, "{tolerations: [{key: a, value: b}]}"), pods(t, "{tolerations: [{key: a, value: b, operator: Equal}]}"), []string{spec + "tolerations[0].operator"}},
		"empty texts in maps of texts": {
			object(t, "{apiVersion: v1, kind: Service, metadata: {name: a, labels: {x: ''}, annotations: {x: ''}}, spec: {selector: {a: b, c: ''}}}"), thing(t, "v1", "Service", "spec: {selector: {a: b}}"),
			[]string{"metadata.annotations.x", "metadata.labels.x", "spec.selector.c"},
		},
		"empty data":                       {thing(t, "v1", "ConfigMap", "data: {a: b, c: ''}"), thing(t, "v1", "ConfigMap", "data: {a: b}"), []string{"data.c"}},
		"data with only empty data":        {thing(t, "v1", "ConfigMap", "data: {c: ''}"), thing(t, "v1", "ConfigMap", "binaryData: {a: ''}"), []string{"data"}},
		"empty data of a Secret":           {thing(t, "v1", "Secret", "data: {a: ''}"), thing(t, "v1", "Secret", "data: {b: ''}"), []string{"data.a"}},
		"an empty text of a node selector": {pods(t, "{nodeSelector: {a: b}}"), pods(t, "{nodeSelector: {a: b, c: ''}}"), []string{spec + "nodeSelector.c"}},
		"a selector that is a structure":   {thing(t, "policy/v1", "PodDisruptionBudget", "spec: {selector: {}}"), thing(t, "policy/v1", "PodDisruptionBudget", "spec: {}"), []string{"spec.selector"}},
		"the container of a reference":     {pods(t, "{containers: [{name: a, env: [{name: A, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}]}]}"), pods(t, "{containers: [{name: a, env: [{name: A, valueFrom: {resourceFieldRef: {containerName: a, divisor: 1m, resource: limits.cpu}}}]}]}"), []string{spec + "containers[name=a].env[name=A].valueFrom.resourceFieldRef.containerName", spec + "containers[name=a].env[name=A].valueFrom.resourceFieldRef.divisor"}},
		"another expiry of a token":        {pods(t, "{volumes: [{name: a, projected: {sources: [{serviceAccountToken: {path: t}}]}}]}"), pods(t, "{volumes: [{name: a, projected: {sources: [{serviceAccountToken: {path: t, expirationSeconds: 7200}}]}}]}"), []string{spec + "volumes[name=a].projected.sources[0].serviceAccountToken.expirationSeconds"}},
		"a claim of another mode":          {thing(t, "apps/v1", "StatefulSet", "spec: {volumeClaimTemplates: [{spec: {accessModes: [x]}}]}"), thing(t, "apps/v1", "StatefulSet", "spec: {volumeClaimTemplates: [{spec: {accessModes: [x], volumeMode: Block}}]}"), []string{"spec.volumeClaimTemplates[0].spec.volumeMode"}},
		"the secret of a volume":           {thing(t, "v1", "PersistentVolume", "spec: {rbd: {secretRef: {name: a}}}"), thing(t, "v1", "PersistentVolume", "spec: {rbd: {secretRef: {name: a, namespace: b}}}"), []string{"spec.rbd.secretRef.namespace"}},
		"the data of a revision":           {thing(t, "apps/v1", "ControllerRevision", "data: {spec: {a: 1}}"), thing(t, "apps/v1", "ControllerRevision", "data: {spec: {a: 1, b: null, c: {}}}"), []string{"data.spec.b", "data.spec.c"}},
		"numbers that are pointers here and not elsewhere": {
			object(t, "{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {priority: 0}}"), thing(t, "v1", "Pod", "spec: {nodeName: x}"), []string{"spec.priority"},
		},
		"a timeout that is a pointer": {
			thing(t, "admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "webhooks: [{name: a.b.c, timeoutSeconds: 0}]"),
			thing(t, "admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "webhooks: [{name: a.b.c}]"), []string{"webhooks[name=a.b.c].timeoutSeconds"},
		},
		"the version of a scale target, in autoscaling/v1": {
			thing(t, "autoscaling/v1", "HorizontalPodAutoscaler", "spec: {scaleTargetRef: {kind: Deployment, name: a}}"),
			thing(t, "autoscaling/v1", "HorizontalPodAutoscaler", "spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: a}}"), []string{"spec.scaleTargetRef.apiVersion"},
		},
		"the version of an object that a metric is about": {
			thing(t, "autoscaling/v2", "HorizontalPodAutoscaler", "spec: {metrics: [{object: {describedObject: {kind: Service}}}]}"),
			thing(t, "autoscaling/v2", "HorizontalPodAutoscaler", "spec: {metrics: [{object: {describedObject: {kind: Service, apiVersion: v1}}}]}"), []string{"spec.metrics[0].object.describedObject.apiVersion"},
		},
		"a set in a list that is replaced as a whole": {
			thing(t, "batch/v1", "Job", "spec: {podFailurePolicy: {rules: [{onExitCodes: {values: [2]}}]}}"), thing(t, "batch/v1", "Job", "spec: {podFailurePolicy: {rules: [{onExitCodes: {values: [1, 2]}}]}}"),
			[]string{"spec.podFailurePolicy.rules[0].onExitCodes.values[0]", "spec.podFailurePolicy.rules[0].onExitCodes.values[1]"},
		},
		"the nodes of a volume": {thing(t, "v1", "PersistentVolume", "spec: {nodeAffinity: {required: {}}}"), thing(t, "v1", "PersistentVolume", "spec: {nodeAffinity: {required: {nodeSelectorTerms: [{}]}}}"), []string{"spec.nodeAffinity.required.nodeSelectorTerms"}},
		"the port of a backend": {thing(t, "networking.k8s.io/v1", "Ingress", "spec: {defaultBackend: {service: {name: a, port: {}}}}"), thing(t, "networking.k8s.io/v1", "Ingress", "spec: {defaultBackend: {service: {name: a, port: {number: 80}}}}"), []string{"spec.defaultBackend.service.port.number"}},
		"the scope of a webhook": {
			thing(t, "admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "webhooks: [{name: a, rules: [{resources: [pods]}]}]"),
			thing(t, "admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "webhooks: [{name: a, rules: [{resources: [pods], scope: Namespaced}]}]"), []string{"webhooks[name=a].rules[0].scope"},
		},
		"empty values of a custom resource": {sample(t, "{a: {}, b: [], c: '', d: 0, e: null, f: null}"), sample(t, "{f: 1}"), []string{"spec.a", "spec.b", "spec.c", "spec.d", "spec.e", "spec.f"}},
		"an empty CA":                       {thing(t, "admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "webhooks: [{name: a.b.c, clientConfig: {caBundle: ''}}]"), thing(t, "admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "webhooks: [{name: a.b.c, clientConfig: {caBundle: eA==}}]"), []string{"webhooks[name=a.b.c].clientConfig.caBundle"}},
		"a default in a definition":         {thing(t, "apiextensions.k8s.io/v1", "CustomResourceDefinition", "spec: {versions: [{schema: {openAPIV3Schema: {default: false}}}]}"), thing(t, "apiextensions.k8s.io/v1", "CustomResourceDefinition", "spec: {versions: [{schema: {openAPIV3Schema: {}}}]}"), []string{"spec.versions[0].schema.openAPIV3Schema.default"}},
		"a status that is served":           {thing(t, "apiextensions.k8s.io/v1", "CustomResourceDefinition", "spec: {versions: [{subresources: {status: {}}}]}"), thing(t, "apiextensions.k8s.io/v1", "CustomResourceDefinition", "spec: {versions: [{name: x}]}"), []string{"spec.versions[0].name", "spec.versions[0].subresources"}},
		"an element that is null":           {sample(t, "{l: [null]}"), sample(t, "{l: [1]}"), []string{"spec.l[0]"}},
		"a Secret":                          {thing(t, "v1", "Secret", "stringData: {a: x}"), thing(t, "v1", "Secret", "data: {a: eg==}"), []string{"data.a"}},
		"image pull secrets of a ServiceAccount": {
			thing(t, "v1", "ServiceAccount", "imagePullSecrets: [{name: a}]"), thing(t, "v1", "ServiceAccount", "imagePullSecrets: [{name: a}, {name: b}]"), []string{"imagePullSecrets[1]"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, fields(diff.Partial(known, tt.desired, tt.live))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestWithoutASchema compares a built-in kind without a schema, which is treated as a custom resource.
func TestWithoutASchema(t *testing.T) {
	desired := pods(t, "{hostNetwork: false, containers: [{name: app, resources: {limits: {cpu: 1000m}}}]}")
	live := pods(t, "{containers: [{name: side}, {name: app, resources: {limits: {cpu: '1'}}}]}")
	partial := diff.Partial(nil, desired, live)
	const spec = "spec.template.spec."
	if got := fields(partial); !slices.Equal(got, []string{spec + "containers[0].name", spec + "containers[0].resources", spec + "containers[1]", spec + "hostNetwork"}) {
		t.Errorf("partial: got %v", got)
	}
	if partial := diff.Partial(nil, pods(t, "{containers: []}"), pods(t, "{containers: [], x: 1}")); partial.Differs() || partial.Certain() {
		t.Errorf("got %+v", partial)
	}
	if got := fields(diff.Full(nil, desired, live)); !slices.Equal(got, []string{spec + "containers[0].name", spec + "containers[0].resources", spec + "containers[1]", spec + "hostNetwork"}) {
		t.Errorf("full: got %v", got)
	}
}

func fields(c *diff.Comparison) []string {
	var out []string
	for _, d := range c.Differences {
		out = append(out, d.Field)
	}
	return out
}

// TestPartialDoubts checks objects for which the local comparison finds no difference. If the result is doubtful, a dry run may find one. KubeFleet finds one
// in the cases whose names say so.
func TestPartialDoubts(t *testing.T) {
	tests := map[string]struct {
		desired, live *unstructured.Unstructured
		want          bool
	}{
		"equal":                         {sample(t, "{a: null}"), sample(t, "{a: null}"), false},
		"defaults":                      {thing(t, "apps/v1", "Deployment", "spec: {paused: null}"), object(t, defaulted), false},
		"a label that others have set":  {sample(t, "{a: 1}"), object(t, "{apiVersion: example.org/v1, kind: Sample, metadata: {name: a, labels: {x: z}}, spec: {a: 1}}"), false},
		"null where there is nothing":   {pods(t, "{affinity: null}"), pods(t, "{containers: []}"), false},
		"quantities":                    {thing(t, "v1", "ResourceQuota", "spec: {hard: {cpu: 1000m}}"), thing(t, "v1", "ResourceQuota", "spec: {hard: {cpu: '1'}}"), false},
		"found: null over replicas":     {thing(t, "apps/v1", "Deployment", "spec: {replicas: null}"), thing(t, "apps/v1", "Deployment", "spec: {replicas: 5}"), true},
		"found: null over arguments":    {pods(t, "{containers: [{name: a, args: null}]}"), pods(t, "{containers: [{name: a, args: [x]}]}"), true},
		"found: null over data":         {thing(t, "v1", "ConfigMap", "data: {a: null}"), thing(t, "v1", "ConfigMap", "data: {a: x}"), true},
		"found: a derived default":      {thing(t, "v1", "LimitRange", "spec: {limits: [{max: {cpu: 2}}]}"), thing(t, "v1", "LimitRange", "spec: {limits: [{max: {cpu: '2'}, default: {cpu: '1'}}]}"), true},
		"found: more in a list element": {sample(t, "{l: [{a: 1}]}"), sample(t, "{l: [{a: 1, b: 2}]}"), true},
		"found: more in an atomic map":  {sample(t, "{m: {a: 1}}"), sample(t, "{m: {a: 1, b: 2}}"), true},
		"a field that is newer":         {pods(t, "{newer: {a: 1}}"), pods(t, "{newer: {a: 1, b: 2}}"), true},
		"more in a structure":           {pods(t, "{securityContext: {runAsUser: 1}}"), pods(t, "{securityContext: {runAsUser: 1, runAsGroup: 1}}"), false},
		"an empty list":                 {pods(t, "{tolerations: []}"), pods(t, "{containers: []}"), true},
		"a zero":                        {pods(t, "{hostNetwork: false}"), pods(t, "{containers: []}"), true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := diff.Partial(known, tt.desired, tt.live)
			if got.Differs() || got.Doubtful != tt.want || got.Certain() == tt.want {
				t.Errorf("got %v, in doubt: %v; want no differences, in doubt: %v", describeFields(got.Differences), got.Doubtful, tt.want)
			}
		})
	}
}
