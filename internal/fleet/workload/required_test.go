package workload

import (
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

const referring = `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: web, namespace: web}
spec:
  volumeClaimTemplates: [{metadata: {name: data}}]
  template:
    spec:
      serviceAccountName: runner
      imagePullSecrets: [{name: pull}]
      initContainers:
      - name: init
        envFrom: [{secretRef: {name: init}}, {configMapRef: {name: optional, optional: true}}]
      containers:
      - name: web
        env:
        - {name: A, value: text}
        - {name: B, valueFrom: {secretKeyRef: {name: db, key: password}}}
        - {name: C, valueFrom: {configMapKeyRef: {name: settings, key: a}}}
        - {name: D, valueFrom: {secretKeyRef: {name: optional, key: a, optional: true}}}
        - {name: E, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
      volumes:
      - {name: data, persistentVolumeClaim: {claimName: data-web-0}}
      - {name: more, persistentVolumeClaim: {claimName: more}}
      - {name: tls, secret: {secretName: tls}}
      - {name: optional, secret: {secretName: optional, optional: true}}
      - {name: scratch, emptyDir: {}}
      - name: all
        projected:
          sources:
          - {configMap: {name: kube-root-ca.crt}}
          - {configMap: {name: part}}
          - {secret: {name: hidden}}
          - {secret: {name: optional, optional: true}}
          - {serviceAccountToken: {path: token}}
`

func requiredKeys(t *testing.T, text string) []string {
	t.Helper()
	var out []string
	for _, id := range Required(object(t, text)) {
		out = append(out, id.String())
	}
	return out
}

// TestRequired checks that the objects without which Pods do not start are required. It checks that optional objects, objects that exist in every namespace,
// and objects that the workload creates are not required.
func TestRequired(t *testing.T) {
	t.Parallel()
	want := []string{
		"ConfigMap web/part", "ConfigMap web/settings", "PersistentVolumeClaim web/more", "Secret web/db", "Secret web/hidden", "Secret web/init", "Secret web/tls",
		"ServiceAccount web/runner",
	}
	if got := requiredKeys(t, referring); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	const spec = `{serviceAccountName: default, containers: [{name: a, envFrom: [{secretRef: {name: db}}]}]}`
	for text, want := range map[string]string{
		"{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: web}, spec: " + spec + "}":                                                            "Secret web/db",
		"{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: a, namespace: web}, spec: {template: {spec: " + spec + "}}}":                            "Secret web/db",
		"{apiVersion: batch/v1, kind: CronJob, metadata: {name: a, namespace: web}, spec: {jobTemplate: {spec: {template: {spec: " + spec + "}}}}}":       "Secret web/db",
		"{apiVersion: batch/v1, kind: Job, metadata: {name: a, namespace: web}, spec: {suspend: true, template: {spec: " + spec + "}}}":                   "",
		"{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: web}, spec: {replicas: 0, template: {spec: " + spec + "}}}":               "",
		"{apiVersion: example.org/v1, kind: Deployment, metadata: {name: a, namespace: web}, spec: {template: {spec: " + spec + "}}}":                     "",
		"{apiVersion: v1, kind: Secret, metadata: {name: a, namespace: web}}":                                                                             "",
		"{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: web}, spec: {containers: broken, volumes: [1, {secret: {secretName: [a]}}], env: 1}}": "",
	} {
		if got := strings.Join(requiredKeys(t, text), ", "); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// TestMayCreate checks that an object that a custom resource or a tool may create does not count as missing.
func TestMayCreate(t *testing.T) {
	t.Parallel()
	tls := manifest.Identifier{Version: "v1", Kind: "Secret", Namespace: "web", Name: "web-tls"}
	claim := manifest.Identifier{Version: "v1", Kind: "PersistentVolumeClaim", Namespace: "web", Name: "data-web-0"}
	for name, want := range map[string]bool{"web": true, "we": false} {
		if got := MayCreate(object(t, strings.Replace(referring, "name: web,", "name: "+name+",", 1)), claim); got != want {
			t.Errorf("the StatefulSet %s: got %t", name, got)
		}
	}
	for text, want := range map[string]bool{
		"{apiVersion: acid.zalan.do/v1, kind: postgresql, metadata: {name: tls, namespace: web}}":                                                                                 true,
		"{apiVersion: v1, kind: Service, metadata: {name: site, namespace: web, annotations: {service.beta.openshift.io/serving-cert-secret-name: web-tls}}}":                     true,
		"{apiVersion: batch/v1, kind: Job, metadata: {name: a, namespace: web}, spec: {template: {spec: {containers: [{name: a, env: [{name: NAME, value: web-tls}]}]}}}}":        true,
		"{apiVersion: apps/v1, kind: Deployment, metadata: {name: a, namespace: web, annotations: {secret.reloader.stakater.com/reload: web-tls}}, spec: {template: {spec: {}}}}": false,
		"{apiVersion: cert-manager.io/v1, kind: Certificate, metadata: {name: site, namespace: web}, spec: {secretName: web-tls}}":                                                true,
		"{apiVersion: bitnami.com/v1alpha1, kind: SealedSecret, metadata: {name: web-tls, namespace: web}}":                                                                       true,
		"{apiVersion: postgresql.cnpg.io/v1, kind: Cluster, metadata: {name: web, namespace: web}}":                                                                               true,
		"{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: site, namespace: web}, spec: {tls: [{secretName: web-tls}]}}":                                         true,
		"{apiVersion: batch/v1, kind: Job, metadata: {name: a, namespace: web}, spec: {template: {spec: {containers: [{name: a, args: [--name=web-tls]}]}}}}":                     true,
		"{apiVersion: example.org/v1, kind: Widget, metadata: {name: we, namespace: web}}":                                                                                        false,
		"{apiVersion: v1, kind: Service, metadata: {name: web-tls, namespace: web}}":                                                                                              false,
		"{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: web}, spec: {volumes: [{name: a, secret: {secretName: web-tls}}], containers: [{name: a}]}}":                  false,
	} {
		if got := MayCreate(object(t, text), tls); got != want {
			t.Errorf("%s: got %t", text, got)
		}
	}
}
