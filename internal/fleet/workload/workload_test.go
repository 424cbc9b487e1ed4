package workload

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	out := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &out.Object); err != nil {
		t.Fatal(err)
	}
	return out
}

const nginx = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: my-nginx
  namespace: default
  uid: 5b64f73b
  resourceVersion: "898"
  generation: 1
  creationTimestamp: "2023-08-30T02:26:57Z"
  finalizers: [example.com/keep]
  labels: {team: web, kubeadmiral.io/managed: "true", applyset.kubernetes.io/part-of: some-set}
  annotations:
    deployment.kubernetes.io/revision: "1"
    kubectl.kubernetes.io/last-applied-configuration: "{}"
    kubeadmiral.io/adopted: "true"
    note: kept
spec:
  replicas: 2
  selector: {matchLabels: {run: my-nginx}}
  template:
    metadata:
      creationTimestamp: null
      labels: {run: my-nginx, tier: front}
      annotations: {kubectl.kubernetes.io/restartedAt: "2026-01-01T00:00:00Z"}
    spec:
      serviceAccountName: web
      imagePullSecrets: [{name: registry}]
      initContainers: [{name: init, image: busybox, envFrom: [{secretRef: {name: init-env}}]}]
      containers:
      - name: my-nginx
        image: nginx
        envFrom: [{configMapRef: {name: env}}]
        env:
        - {name: A, valueFrom: {configMapKeyRef: {name: single, key: a}}}
        - {name: B, valueFrom: {secretKeyRef: {name: password, key: b}}}
        - {name: C, value: secret}
      volumes:
      - {name: config, configMap: {name: mounted}}
      - {name: tls, secret: {secretName: tls}}
      - {name: data, persistentVolumeClaim: {claimName: data}}
      - name: all
        projected: {sources: [{secret: {name: projected-secret}}, {configMap: {name: projected-config}}, {serviceAccountToken: {path: token}}]}
status: {replicas: 2}
`

func TestReferences(t *testing.T) {
	var got []string
	for _, id := range References(object(t, nginx)) {
		got = append(got, id.String())
	}
	want := []string{
		"ConfigMap default/env", "ConfigMap default/mounted", "ConfigMap default/projected-config", "ConfigMap default/single",
		"PersistentVolumeClaim default/data", "Secret default/init-env", "Secret default/password", "Secret default/projected-secret",
		"Secret default/registry", "Secret default/tls", "ServiceAccount default/web",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q", got)
	}
	stateful := object(t, `{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db, namespace: a}, spec: {serviceName: db,
      template: {spec: {serviceAccountName: default, containers: [{name: c}]}}}}`)
	if got := References(stateful); len(got) != 1 || got[0].String() != "Service a/db" {
		t.Errorf("got %v", got)
	}
	cron := object(t, `{apiVersion: batch/v1, kind: CronJob, metadata: {name: c, namespace: a}, spec: {jobTemplate: {spec: {template: {spec: {containers: [
      {name: c, envFrom: [{configMapRef: {name: e}}]}]}}}}}}`)
	if got := References(cron); len(got) != 1 || got[0].String() != "ConfigMap a/e" {
		t.Errorf("got %v", got)
	}
	old := object(t, `{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, namespace: a}, spec: {template: {spec: {serviceAccount: web}}}}`)
	if got := References(old); len(got) != 1 || got[0].String() != "ServiceAccount a/web" {
		t.Errorf("the deprecated field: %v", got)
	}
	account := object(t, `{apiVersion: v1, kind: ServiceAccount, metadata: {name: s, namespace: a}, secrets: [{name: token}], imagePullSecrets: [{name: registry}]}`)
	if got := References(account); len(got) != 1 || got[0].String() != "Secret a/registry" {
		t.Errorf("got %v", got)
	}
	if got := References(object(t, `{apiVersion: v1, kind: Service, metadata: {name: s}}`)); len(got) != 0 {
		t.Errorf("got %v", got)
	}
}

func TestBelongs(t *testing.T) {
	workload := object(t, nginx)
	for name, c := range map[string]struct {
		other string
		want  Relation
	}{
		"its Service":            {`{apiVersion: v1, kind: Service, metadata: {namespace: default}, spec: {selector: {run: my-nginx}}}`, RelationSelects},
		"a Service of others":    {`{apiVersion: v1, kind: Service, metadata: {namespace: default}, spec: {selector: {run: other}}}`, ""},
		"one of more labels":     {`{apiVersion: v1, kind: Service, metadata: {namespace: default}, spec: {selector: {run: my-nginx, x: y}}}`, ""},
		"one without a selector": {`{apiVersion: v1, kind: Service, metadata: {namespace: default}, spec: {}}`, ""},
		"in another namespace":   {`{apiVersion: v1, kind: Service, metadata: {namespace: other}, spec: {selector: {run: my-nginx}}}`, ""},
		"its budget": {
			`{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {namespace: default}, spec: {selector: {matchExpressions: [
            {key: run, operator: In, values: [my-nginx]}]}}}`, RelationSelects,
		},
		"a budget of all Pods": {`{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {namespace: default}, spec: {selector: {}}}`, ""},
		"its autoscaler": {
			`{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {namespace: default},
            spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: my-nginx}}}`, RelationScales,
		},
		"an autoscaler of another kind": {
			`{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {namespace: default},
            spec: {scaleTargetRef: {apiVersion: apps/v1, kind: StatefulSet, name: my-nginx}}}`, "",
		},
	} {
		relation, belongs := Belongs(workload, object(t, c.other))
		if belongs != (c.want != "") || belongs && relation != c.want {
			t.Errorf("%s: %q, %v", name, relation, belongs)
		}
	}
}

func TestConfiguration(t *testing.T) {
	live := object(t, nginx)
	before := live.DeepCopy()
	got := Configuration(live)
	if !reflect.DeepEqual(live, before) {
		t.Error("the object itself is changed")
	}
	want := object(t, nginx)
	want.Object["metadata"] = map[string]any{
		"name": "my-nginx", "namespace": "default", "labels": map[string]any{"team": "web"}, "annotations": map[string]any{"note": "kept"},
	}
	delete(want.Object, "status")
	unstructured.RemoveNestedField(want.Object, "spec", "template", "metadata", "creationTimestamp")
	if !reflect.DeepEqual(got.Object, want.Object) {
		t.Errorf("got %v\nwant %v", got.Object, want.Object)
	}
	for name, c := range map[string]struct{ live, want string }{
		"a Service": {
			`{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {type: NodePort, clusterIP: 10.0.0.1, clusterIPs: [10.0.0.1], ipFamilies: [IPv4],
            healthCheckNodePort: 31000, ports: [{port: 80, nodePort: 30080}]}, status: {loadBalancer: {}}}`,
			`{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {type: NodePort, ipFamilies: [IPv4], ports: [{port: 80}]}}`,
		},
		"what a release, an application or a release of Flux has": {
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: c, labels: {a: b, helm.toolkit.fluxcd.io/name: h, kustomize.toolkit.fluxcd.io/name: k},
            annotations: {meta.helm.sh/release-name: r, argocd.argoproj.io/tracking-id: t}}}`,
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: c, labels: {a: b}}}`,
		},
		"a DaemonSet": {
			`{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d, generation: 2, annotations: {deprecated.daemonset.template.generation: "2"}}, spec: {}}`,
			`{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d}, spec: {}}`,
		},
		"a headless Service": {
			`{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {clusterIP: None, clusterIPs: [None]}}`,
			`{apiVersion: v1, kind: Service, metadata: {name: s}, spec: {clusterIP: None, clusterIPs: [None]}}`,
		},
		"an account": {
			`{apiVersion: v1, kind: ServiceAccount, metadata: {name: a}, secrets: [{name: a-token}]}`,
			`{apiVersion: v1, kind: ServiceAccount, metadata: {name: a}}`,
		},
		"a Job": {
			`{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {selector: {matchLabels: {batch.kubernetes.io/controller-uid: u}}, template: {metadata: {
            labels: {app: j, controller-uid: u, batch.kubernetes.io/controller-uid: u, job-name: j, batch.kubernetes.io/job-name: j}}}}}`,
			`{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {template: {metadata: {labels: {app: j}}}}}`,
		},
		"a Job with a selector of its own": {
			`{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {manualSelector: true, selector: {matchLabels: {app: j}}}}`,
			`{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {manualSelector: true, selector: {matchLabels: {app: j}}}}`,
		},
	} {
		if got := Configuration(object(t, c.live)); !reflect.DeepEqual(got.Object, object(t, c.want).Object) {
			t.Errorf("%s: got %v", name, got.Object)
		}
	}
}

func TestUnfit(t *testing.T) {
	for text, want := range map[string]bool{
		nginx: false,
		`{apiVersion: v1, kind: Pod, metadata: {name: p}}`:                                                                  true,
		`{apiVersion: v1, kind: ServiceAccount, metadata: {name: default}}`:                                                 true,
		`{apiVersion: v1, kind: ServiceAccount, metadata: {name: web}}`:                                                     false,
		`{apiVersion: v1, kind: ConfigMap, metadata: {name: kube-root-ca.crt}}`:                                             true,
		`{apiVersion: v1, kind: Secret, type: kubernetes.io/service-account-token, metadata: {name: t}}`:                    true,
		`{apiVersion: v1, kind: Secret, type: Opaque, metadata: {name: t}}`:                                                 true,
		`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: data}}`:                                             true,
		`{apiVersion: v1, kind: ConfigMap, metadata: {name: c, deletionTimestamp: "2026-01-01T00:00:00Z"}}`:                 true,
		`{apiVersion: v1, kind: ConfigMap, metadata: {name: c, ownerReferences: [{kind: App, name: a, controller: true}]}}`: true,
		`{apiVersion: v1, kind: ConfigMap, metadata: {name: c, ownerReferences: [{kind: App, name: a}]}}`:                   false,
	} {
		if reason, unfit := Unfit(object(t, text)); unfit != want || unfit != (reason != "") {
			t.Errorf("%q, %v: %s", reason, unfit, text)
		}
	}
}

func TestRestarts(t *testing.T) {
	changed := func(text string, value any, path ...string) *unstructured.Unstructured {
		u := object(t, text)
		if err := unstructured.SetNestedField(u.Object, value, path...); err != nil {
			t.Fatal(err)
		}
		return u
	}
	sets := `{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d}, spec: {updateStrategy: {type: OnDelete}, template: {spec: {x: 1}}}}`
	jobs := `{apiVersion: batch/v1, kind: CronJob, metadata: {name: c}, spec: {jobTemplate: {spec: {template: {spec: {x: 1}}}}}}`
	for name, c := range map[string]struct {
		live   string
		after  *unstructured.Unstructured
		want   Restart
		fields int
	}{
		"nothing":                   {nginx, object(t, nginx), RestartNone, 0},
		"a generation":              {nginx, changed(nginx, int64(3), "metadata", "generation"), RestartNone, 0},
		"an annotation":             {nginx, changed(nginx, "x", "metadata", "annotations", "other"), RestartNone, 0},
		"fewer replicas":            {nginx, changed(nginx, int64(1), "spec", "replicas"), RestartNone, 0},
		"a label of the Pods":       {nginx, changed(nginx, "x", "spec", "template", "metadata", "labels", "other"), RestartRollout, 1},
		"another account":           {nginx, changed(nginx, "x", "spec", "template", "spec", "serviceAccountName"), RestartRollout, 1},
		"a restart that is missing": {nginx, changed(nginx, map[string]any{}, "spec", "template", "metadata", "annotations"), RestartRollout, 1},
		"no Pod template":           {nginx, changed(nginx, nil, "spec", "template"), RestartRollout, 1},
		"on deletion":               {sets, changed(sets, int64(2), "spec", "template", "spec", "x"), RestartOnDeletion, 1},
		"Jobs to come":              {jobs, changed(jobs, int64(2), "spec", "jobTemplate", "spec", "template", "spec", "x"), RestartNone, 0},
	} {
		if got, fields := Restarts(nil, object(t, c.live), c.after); got != c.want || len(fields) != c.fields {
			t.Errorf("%s: %q, %v", name, got, fields)
		}
	}
}

// TestRestartCausesHaveDirection checks that a difference has the live value as the member's and the written value as the hub's.
func TestRestartCausesHaveDirection(t *testing.T) {
	live := object(t, "{apiVersion: apps/v1, kind: Deployment, spec: {template: {spec: {serviceAccountName: old}}}}")
	after := object(t, "{apiVersion: apps/v1, kind: Deployment, spec: {template: {spec: {serviceAccountName: new}}}}")
	_, causes := Restarts(nil, live, after)
	if len(causes) != 1 || causes[0].InMember != "old" || causes[0].InHub != "new" {
		t.Errorf("got %+v", causes)
	}
}

// TestRollouts checks that a change of the update strategy can start a blocked rollout, and that a blocked workload or one without Pods
// replaces none. spec and status are those of the live object in generation 4.
func TestRollouts(t *testing.T) {
	const behind, through = "observedGeneration: 4, replicas: 3, updatedReplicas: 1", "observedGeneration: 4, replicas: 3, updatedReplicas: 3"
	const deletion, rolling = "updateStrategy: {type: OnDelete}", "updateStrategy: {type: RollingUpdate}"
	partition := func(n int) string {
		return fmt.Sprintf("replicas: 3, updateStrategy: {type: RollingUpdate, rollingUpdate: {partition: %d}}", n)
	}
	for name, c := range map[string]struct {
		kind, spec, status string
		after              string
		// image reports whether the template changes as well.
		image bool
		want  Restart
	}{
		"resumed":                      {"Deployment", "replicas: 3, paused: true", behind, "replicas: 3, paused: false", false, RestartRollout},
		"resumed, nothing is held":     {"Deployment", "replicas: 3, paused: true", through, "replicas: 3, paused: false", false, RestartNone},
		"resumed, not yet observed":    {"Deployment", "replicas: 3, paused: true", "observedGeneration: 3, replicas: 3, updatedReplicas: 3", "replicas: 3", false, RestartRollout},
		"resumed, without Pods":        {"Deployment", "replicas: 0, paused: true", "observedGeneration: 4", "replicas: 0", false, RestartNone},
		"rolling out already":          {"Deployment", "replicas: 3", behind, "replicas: 2", false, RestartNone},
		"still paused":                 {"Deployment", "replicas: 3, paused: true", behind, "replicas: 2, paused: true", false, RestartNone},
		"paused, with another image":   {"Deployment", "replicas: 3", through, "replicas: 3, paused: true", true, RestartOnceResumed},
		"resumed with another image":   {"Deployment", "replicas: 3, paused: true", through, "replicas: 3", true, RestartRollout},
		"no Pods":                      {"Deployment", "replicas: 0", "observedGeneration: 4", "replicas: 3", true, RestartNone},
		"Pods that are still there":    {"Deployment", "replicas: 0", "observedGeneration: 4, replicas: 1", "replicas: 0", true, RestartRollout},
		"to be scaled to zero":         {"Deployment", "replicas: 3", through, "replicas: 0", true, RestartRollout},
		"not on deletion any more":     {"StatefulSet", "replicas: 3, " + deletion, behind, "replicas: 3, " + rolling, false, RestartRollout},
		"the same without revisions":   {"StatefulSet", "replicas: 3, " + deletion, through, "replicas: 3, " + rolling, false, RestartNone},
		"a lower partition":            {"StatefulSet", partition(2), behind, partition(1), false, RestartInPart},
		"no partition any more":        {"StatefulSet", partition(2), behind, "replicas: 3, " + rolling, false, RestartRollout},
		"a higher partition":           {"StatefulSet", partition(1), behind, partition(2), false, RestartNone},
		"a partition above all Pods":   {"StatefulSet", partition(9), behind, partition(3), false, RestartNone},
		"an image above the partition": {"StatefulSet", partition(2), through, partition(2), true, RestartInPart},
		"an image below the partition": {"StatefulSet", partition(3), through, partition(3), true, RestartBelowPartition},
		"an image without a partition": {"StatefulSet", "replicas: 3, " + rolling, through, partition(0), true, RestartRollout},
		"an image, on deletion":        {"StatefulSet", "replicas: 3, " + deletion, through, "replicas: 3, " + deletion, true, RestartOnDeletion},
		"an image, and a partition":    {"StatefulSet", "replicas: 3, " + rolling, through, partition(1), true, RestartInPart},
		"DaemonSet not on deletion any more": {
			"DaemonSet", deletion, "observedGeneration: 4, currentNumberScheduled: 3, desiredNumberScheduled: 3, updatedNumberScheduled: 1", rolling, false, RestartRollout,
		},
		"DaemonSet without revisions": {
			"DaemonSet", deletion, "observedGeneration: 4, currentNumberScheduled: 3, desiredNumberScheduled: 3, updatedNumberScheduled: 3", rolling, false, RestartNone,
		},
		"DaemonSet without nodes":        {"DaemonSet", rolling, "observedGeneration: 4, currentNumberScheduled: 0, desiredNumberScheduled: 0", rolling, true, RestartNone},
		"DaemonSet that is not observed": {"DaemonSet", rolling, "currentNumberScheduled: 0", rolling, true, RestartRollout},
	} {
		raw := func(spec, image string) *unstructured.Unstructured {
			return object(t, fmt.Sprintf("{apiVersion: apps/v1, kind: %s, metadata: {name: w, generation: 4}, spec: {%s, template: {image: %s}}, status: {%s}}",
				c.kind, spec, image, c.status))
		}
		image := "a"
		if c.image {
			image = "b"
		}
		got, causes := Restarts(nil, raw(c.spec, "a"), raw(c.after, image))
		if got != c.want || len(causes) == 0 && got != RestartNone {
			t.Errorf("%s: %q, because of %v", name, got, causes)
		}
	}
}

// TestOutcome checks that the outcome of each value is one of those that users decide on.
func TestOutcome(t *testing.T) {
	for restart, want := range map[Restart]Restart{
		"": "", RestartNone: RestartNone, RestartRollout: RestartRollout, RestartInPart: RestartRollout, RestartLater: RestartLater, RestartUnknown: RestartUnknown,
		RestartOnDeletion: RestartLater, RestartOnceResumed: RestartLater, RestartBelowPartition: RestartLater,
	} {
		if got := restart.Outcome(); got != want || got != "" && !slices.Contains(restart.Values(), string(got)) {
			t.Errorf("%s: %s", restart, got)
		}
	}
}

// TestKinds checks that each kind of workload has a name, and that each name has a kind.
func TestKinds(t *testing.T) {
	for _, name := range Kind("").Values() {
		if kind := Kind(name).GroupKind(); !Is(kind) || kind.Kind != name {
			t.Errorf("%s: %s", name, kind)
		}
	}
	if len(Kind("").Values()) != len(templates) || Is(Kind("Pod").GroupKind()) {
		t.Error("names and templates have different kinds")
	}
}
