package selection

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestStrip(t *testing.T) {
	tests := map[string]struct{ hub, want string }{
		"metadata": {
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b, labels: {l: "1"}, generateName: a-, finalizers: [f],
			  resourceVersion: "1", generation: 1, uid: u, selfLink: s, deletionTimestamp: "2024-01-01T00:00:00Z", managedFields: [{manager: m}],
			  creationTimestamp: "2024-01-01T00:00:00Z", ownerReferences: [{kind: A, name: b}], deletionGracePeriodSeconds: 3,
			  annotations: {kubectl.kubernetes.io/last-applied-configuration: x, deployment.kubernetes.io/revision: "2", keep: "1"}}, data: {k: v}, status: {}}`,
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b, labels: {l: "1"}, generateName: a-, finalizers: [f],
			  deletionGracePeriodSeconds: 3, annotations: {keep: "1"}}, data: {k: v}}`,
		},
		"no annotations left": {
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, annotations: {deployment.kubernetes.io/revision: "2"}}}`,
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}`,
		},
		"Service": {
			`{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1], healthCheckNodePort: 3, ports: [{port: 80, nodePort: 3000}, {port: 81}]}}`,
			`{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {ports: [{port: 80}, {port: 81}]}}`,
		},
		"headless Service": {
			`{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {clusterIP: None, clusterIPs: [None]}}`,
			`{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {clusterIP: None, clusterIPs: [None]}}`,
		},
		"Service of another group": {
			`{apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: a}, spec: {clusterIP: x}}`,
			`{apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: a}, spec: {clusterIP: x}}`,
		},
		"Job": {
			`{apiVersion: batch/v1, kind: Job, metadata: {name: a, labels: {controller-uid: u}}, spec: {selector: {matchLabels: {controller-uid: u, batch.kubernetes.io/controller-uid: u}},
			  template: {metadata: {creationTimestamp: null, labels: {controller-uid: u, batch.kubernetes.io/controller-uid: u, job-name: a}}}}}`,
			`{apiVersion: batch/v1, kind: Job, metadata: {name: a, labels: {controller-uid: u}}, spec: {selector: {matchLabels: {}}, template: {metadata: {labels: {job-name: a}}}}}`,
		},
		"Job with a selector of its own": {
			`{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {manualSelector: true, selector: {matchLabels: {controller-uid: u}}}}`,
			`{apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {manualSelector: true, selector: {matchLabels: {controller-uid: u}}}}`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			in := parse(t, tt.hub)[0]
			before := in.Hash()
			if diff := cmp.Diff(parse(t, tt.want)[0].Content.Object, Strip(in.Content).Object); diff != "" {
				t.Error(diff)
			}
			if in.Hash() != before {
				t.Error("the original changed")
			}
		})
	}
}

func TestSortIsTheOrderOfSnapshots(t *testing.T) {
	objects := parse(t, `
{apiVersion: zeta.org/v1, kind: Sample, metadata: {name: a}}
---
{apiVersion: alpha.org/v1, kind: Zebra, metadata: {name: a}}
---
{apiVersion: alpha.org/v1, kind: Sample, metadata: {name: b, namespace: ns}}
---
{apiVersion: alpha.org/v1, kind: Sample, metadata: {name: c, namespace: a}}
---
{apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: a, namespace: ns}}
---
{apiVersion: v1, kind: Service, metadata: {name: b, namespace: ns}}
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: ns}}
---
{apiVersion: v1, kind: Namespace, metadata: {name: ns}}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: z}}
---
{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: a}}
`)
	Sort(objects)
	want := []string{
		"PriorityClass z", "Namespace ns", "Service.serving.knative.dev ns/a", "Service ns/b", "Deployment ns/a",
		"ValidatingWebhookConfiguration a", "Sample.alpha.org a/c", "Sample.alpha.org ns/b", "Zebra.alpha.org a", "Sample.zeta.org a",
	}
	if diff := cmp.Diff(want, names(objects)); diff != "" {
		t.Error(diff)
	}
	for i, a := range objects {
		for j, b := range objects {
			if got := Compare(a.Identifier, b.Identifier); (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("Compare(%s, %s) = %d", a, b, got)
			}
		}
	}
}

func TestDenied(t *testing.T) {
	for text, want := range map[string]bool{
		"Lease.coordination.k8s.io": true, "Anything.metrics.k8s.io": true, "Event.events.k8s.io": true, "Event": false, "Pod": true,
		"Node": true, "Pod.example.org": false, "ServiceExport.networking.fleet.azure.com": false,
		"ServiceImport.networking.fleet.azure.com": true, "ResourceEnvelope.placement.kubernetes-fleet.io": false,
		"AppliedWork.placement.kubernetes-fleet.io": false, "Work.placement.kubernetes-fleet.io": true,
		"ClusterPlacementPolicy.placement.kubefleet.dev": false,
	} {
		if reason, got := Denied(schema.ParseGroupKind(text)); got != want || got == (reason == "") {
			t.Errorf("%s: got %t, %q", text, got, reason)
		}
	}
	for name, want := range map[string]bool{"default": true, "kube-system": true, "fleet-member-a": true, "defaults": false, "my-kube-x": false, "": false} {
		if got := ReservedNamespace(name); got != want {
			t.Errorf("%s: got %t", name, got)
		}
	}
}
