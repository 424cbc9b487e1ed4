package diff_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
)

// realistic is a Deployment of a realistic size, as an API server returns it.
const realistic = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  uid: 3f1d6f0e-8b1c-4a8d-9a0a-000000000001
  generation: 7
  resourceVersion: "48213"
  creationTimestamp: "2026-01-01T00:00:00Z"
  labels: {app.kubernetes.io/name: web, app.kubernetes.io/managed-by: Helm, helm.sh/chart: web-1.2.3, team: red}
  annotations: {deployment.kubernetes.io/revision: "7", meta.helm.sh/release-name: web, meta.helm.sh/release-namespace: shop}
  managedFields:
  - manager: helm
    operation: Update
    apiVersion: apps/v1
    time: "2026-01-01T00:00:00Z"
    fieldsType: FieldsV1
    fieldsV1:
      f:metadata: {f:annotations: {.: {}, f:meta.helm.sh/release-name: {}}, f:labels: {.: {}, f:team: {}}}
      f:spec:
        f:progressDeadlineSeconds: {}
        f:revisionHistoryLimit: {}
        f:selector: {}
        f:strategy: {f:rollingUpdate: {.: {}, f:maxSurge: {}, f:maxUnavailable: {}}, f:type: {}}
        f:template:
          f:metadata: {f:labels: {.: {}, f:app: {}}}
          f:spec:
            f:containers:
              'k:{"name":"app"}':
                .: {}
                f:args: {}
                f:image: {}
                f:env: {.: {}, 'k:{"name":"LEVEL"}': {.: {}, f:name: {}, f:value: {}}}
                f:ports: {.: {}, 'k:{"containerPort":8080,"protocol":"TCP"}': {.: {}, f:containerPort: {}}}
                f:resources: {.: {}, f:limits: {.: {}, f:cpu: {}}}
  - manager: kube-controller-manager
    operation: Update
    apiVersion: apps/v1
    time: "2026-02-01T00:00:00Z"
    subresource: scale
    fieldsType: FieldsV1
    fieldsV1: {f:spec: {f:replicas: {}}}
spec:
  progressDeadlineSeconds: 600
  replicas: 3
  revisionHistoryLimit: 10
  selector: {matchLabels: {app: web}}
  strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 25%, maxUnavailable: 25%}}
  template:
    metadata: {labels: {app: web}, annotations: {checksum/config: 8b1c4a8d}}
    spec:
      containers:
      - name: app
        image: registry.example.com/shop/web:1.2.3
        imagePullPolicy: IfNotPresent
        args: [--listen=:8080, --level=info]
        env:
        - {name: LEVEL, value: info}
        - {name: REGION, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: metadata.namespace}}}
        - {name: TOKEN, valueFrom: {secretKeyRef: {name: web, key: token}}}
        ports: [{containerPort: 8080, name: http, protocol: TCP}, {containerPort: 9090, name: metrics, protocol: TCP}]
        resources: {limits: {cpu: "1", memory: 1Gi}, requests: {cpu: 500m, memory: 512Mi}}
        readinessProbe:
          httpGet: {path: /ready, port: http, scheme: HTTP}
          failureThreshold: 3
          periodSeconds: 10
          successThreshold: 1
          timeoutSeconds: 1
        securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
        terminationMessagePath: /dev/termination-log
        terminationMessagePolicy: File
        volumeMounts: [{mountPath: /etc/web, name: config}, {mountPath: /tmp, name: tmp}]
      - name: proxy
        image: registry.example.com/mesh/proxy:9
        imagePullPolicy: IfNotPresent
        ports: [{containerPort: 15001, protocol: TCP}]
        resources: {limits: {cpu: 200m, memory: 128Mi}}
        terminationMessagePath: /dev/termination-log
        terminationMessagePolicy: File
      dnsPolicy: ClusterFirst
      restartPolicy: Always
      schedulerName: default-scheduler
      securityContext: {}
      serviceAccount: web
      serviceAccountName: web
      terminationGracePeriodSeconds: 30
      tolerations: [{key: spot, operator: Exists}]
      topologySpreadConstraints:
      - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: ScheduleAnyway, labelSelector: {matchLabels: {app: web}}}
      volumes: [{name: config, configMap: {name: web, defaultMode: 420}}, {name: tmp, emptyDir: {}}]
status: {availableReplicas: 3, observedGeneration: 7, readyReplicas: 3, replicas: 3, updatedReplicas: 3}
`

// benchmarkObjects returns the realistic Deployment twice unchanged, and once with a few fields changed on the member.
func benchmarkObjects(b *testing.B) (desired, equal, different *unstructured.Unstructured) {
	b.Helper()
	desired, equal, different = object(b, realistic), object(b, realistic), object(b, realistic)
	set := func(value any, fields ...string) {
		if err := unstructured.SetNestedField(different.Object, value, fields...); err != nil {
			b.Fatal(err)
		}
	}
	set(int64(7), "spec", "replicas")
	set("blue", "metadata", "labels", "team")
	containers, _, _ := unstructured.NestedSlice(different.Object, "spec", "template", "spec", "containers")
	containers[0].(map[string]any)["image"] = "registry.example.com/shop/web:1.2.4"
	set(containers, "spec", "template", "spec", "containers")
	return desired, equal, different
}

func BenchmarkComparisons(b *testing.B) {
	desired, equal, different := benchmarkObjects(b)
	for name, live := range map[string]*unstructured.Unstructured{"equal": equal, "different": different} {
		diff.Full(known, desired, different) // reads the schema before the measurement
		b.Run("Full/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				diff.Full(known, desired, live)
			}
		})
		b.Run("Partial/"+name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				diff.Partial(known, desired, live)
			}
		})
	}
}

func BenchmarkPatches(b *testing.B) {
	desired, equal, different := benchmarkObjects(b)
	for name, live := range map[string]*unstructured.Unstructured{"equal": equal, "different": different} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				diff.Patches(desired, live)
			}
		})
	}
}
