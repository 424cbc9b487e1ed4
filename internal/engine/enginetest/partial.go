package enginetest

import (
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// equal returns a case in which the member's object has more fields, or the same values in another form, and is taken over under IfNoDiff.
func equal(name, object, onMember, placed string, more ...step) scenario {
	return scenario{
		name: name, before: append([]step{put("kubectl", onMember)}, more...), placed: placed, how: takeOver(ifNoDiff), object: object,
		want: Want{Action: takesOver, Fields: []string{}},
	}
}

// same returns a case like equal with one text for both sides: they differ only by what the API server adds.
func same(name, text string) scenario { return equal(name, "", text, text) }

const pods = `{metadata: {labels: {app: it}}, spec: {containers: [{name: app, image: "app:1"}]}}`

// partial are cases in which a text comparison would find a difference and there is none. Previews with either credentials must find none. For contrast, one case
// has a real difference: the replicas that an autoscaler has changed.
var partial = []scenario{
	same("defaults of a Deployment", deployment("", `{name: app, image: app, ports: [{containerPort: 80}], livenessProbe: {httpGet: {port: 80}}}`)),
	same("defaults of a StatefulSet", "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: it}, spec: {serviceName: it, selector: {matchLabels: {app: it}}, "+
		"template: "+pods+", volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]}}"),
	same("defaults of a DaemonSet", "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: it}, spec: {selector: {matchLabels: {app: it}}, template: "+pods+"}}"),
	same("defaults of a CronJob", "{apiVersion: batch/v1, kind: CronJob, metadata: {name: it}, spec: {schedule: '@daily', jobTemplate: {spec: {template: "+
		"{spec: {restartPolicy: Never, containers: [{name: app, image: app}]}}}}}}"),
	same("defaults of a Job", job(1, "app:1")),
	same("defaults of a Service", "{apiVersion: v1, kind: Service, metadata: {name: it}, spec: {selector: {app: it}, ports: [{port: 80}]}}"),
	same("node ports of a Service", "{apiVersion: v1, kind: Service, metadata: {name: it}, spec: {type: LoadBalancer, selector: {app: it}, ports: [{name: http, port: 80}, {name: https, port: 443}]}}"),
	same("defaults of an Ingress", "{apiVersion: networking.k8s.io/v1, kind: Ingress, metadata: {name: it}, spec: {rules: [{http: {paths: [{path: /, pathType: Prefix, "+
		"backend: {service: {name: it, port: {name: http}}}}]}}]}}"),
	same("defaults of a NetworkPolicy", "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: it}, spec: {podSelector: {}, ingress: [{ports: [{port: http}, {port: 80}]}]}}"),
	same("defaults of a RoleBinding", "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: it}, roleRef: {kind: ClusterRole, name: view}, "+
		"subjects: [{kind: User, name: somebody}]}"),
	same("defaults of a HorizontalPodAutoscaler", "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: it}, spec: {maxReplicas: 3, "+
		"scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: it}}}"),
	same("defaults of a PodDisruptionBudget", "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: it}, spec: {minAvailable: 50%, selector: {matchLabels: {app: it}}}}"),
	same("defaults of a custom resource", widget("letters: [a]")),
	same("zero values that Go writes", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: it, creationTimestamp: null}, status: {}, spec: {strategy: {}, "+
		"selector: {matchLabels: {app: it}}, template: {metadata: {creationTimestamp: null, labels: {app: it}}, spec: {containers: [{name: app, image: app, resources: {}}]}}}}"),
	equal("quantities", "", deployment("", `{name: app, image: app, resources: {limits: {cpu: "1", memory: 1Gi}, requests: {cpu: 100m}}}`),
		deployment("", `{name: app, image: app, resources: {limits: {cpu: 1000m, memory: 1024Mi}, requests: {cpu: 0.1}}}`)),
	same("ports by name and by number", "{apiVersion: v1, kind: Service, metadata: {name: it}, spec: {ports: [{name: http, port: 80, targetPort: http}, {name: x, port: 81, targetPort: 8081}]}}"),
	equal("injected sidecar, init container, variable and volume", "",
		"{apiVersion: apps/v1, kind: Deployment, metadata: {name: it, annotations: {injected: 'true'}}, spec: {selector: {matchLabels: {app: it}}, template: "+
			"{metadata: {labels: {app: it, injected: 'true'}, annotations: {injected: 'true'}}, spec: {initContainers: [{name: init, image: init}], "+
			"volumes: [{name: injected, emptyDir: {}}, {name: ours, emptyDir: {}}], containers: [{name: side, image: side}, {name: app, image: app, "+
			"env: [{name: INJECTED, value: x}, {name: OURS, value: x}], volumeMounts: [{name: injected, mountPath: /x}, {name: ours, mountPath: /ours}]}]}}}}",
		"{apiVersion: apps/v1, kind: Deployment, metadata: {name: it}, spec: {selector: {matchLabels: {app: it}}, template: {metadata: {labels: {app: it}}, "+
			"spec: {volumes: [{name: ours, emptyDir: {}}], containers: [{name: app, image: app, env: [{name: OURS, value: x}], volumeMounts: "+
			"[{name: ours, mountPath: /ours}]}]}}}}"),
	equal("replicas of an autoscaler, left out", "", deployment("", app1), deployment("", app1), scaled(5)),
	{
		name: "replicas of an autoscaler, set", before: []step{put("kubectl", deployment("replicas: 2", app1)), scaled(5)},
		placed: deployment("replicas: 2", app1), how: takeOver(ifNoDiff), want: Want{
			Reason: "FailedToTakeOver", Message: differencesFound + ")",
			Diffs: []placement.PatchDetail{patch("/spec/replicas", "5", "2")}, Fields: []string{"spec.replicas"},
		},
		inspect: func(c *Case, o engine.ObjectPreview) {
			if len(o.Differences) != 1 || !o.Differences[0].Autoscaled() || !strings.Contains(o.Differences[0].Manager.String(), autoscaler) {
				c.Errorf("the differences do not name the autoscaler: %+v", o.Differences)
			}
		},
	},
	equal("the authority of a webhook", "$ns", webhook("clientConfig: {url: 'https://127.0.0.1:1', caBundle: eA==}"),
		webhook("clientConfig: {url: 'https://127.0.0.1:1'}")),
	equal("stringData", "", "{apiVersion: v1, kind: Secret, metadata: {name: it}, data: {k: djE=, other: djI=}}",
		"{apiVersion: v1, kind: Secret, metadata: {name: it}, stringData: {k: v1}, data: {other: djI=}}"),
	equal("stringData over data", "", "{apiVersion: v1, kind: Secret, metadata: {name: it}, data: {k: djE=}}", overridden("v1")),
	equal("base64 in lines", "", "{apiVersion: v1, kind: Secret, metadata: {name: it}, data: {k: djE=}}",
		"{apiVersion: v1, kind: Secret, metadata: {name: it}, data: {k: \"dj\\nE=\\n\"}}"),
	equal("what is generated for a ServiceAccount", "",
		"{apiVersion: v1, kind: ServiceAccount, metadata: {name: it}, secrets: [{name: it-token-abcde}], imagePullSecrets: [{name: it-dockercfg}]}",
		"{apiVersion: v1, kind: ServiceAccount, metadata: {name: it}}"),
	equal("what is generated for a ServiceAccount, beside our own", "",
		"{apiVersion: v1, kind: ServiceAccount, metadata: {name: it}, secrets: [{name: it-token-abcde}, {name: ours}]}",
		"{apiVersion: v1, kind: ServiceAccount, metadata: {name: it}, secrets: [{name: ours}]}"),
	equal("a bound claim", "", claim("volumeName: $ns, "), claim("")),
	equal("defaults of a definition", "gadgets.$ns.example.com", gadgets,
		strings.ReplaceAll(gadgets, "singular: gadget, kind: Gadget, listKind: GadgetList", "kind: Gadget")),
	equal("finalizers of a Namespace", "$ns-x", namespace("owner: redfield"), "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-x}, spec: {}}"),
	equal("an aggregated role", "$ns",
		"{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: $ns}, aggregationRule: {clusterRoleSelectors: [{matchLabels: {none: $ns}}]}, "+
			"rules: [{apiGroups: [''], resources: [pods], verbs: [get]}]}",
		"{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: $ns}, aggregationRule: {clusterRoleSelectors: [{matchLabels: {none: $ns}}]}}"),
}

func webhook(client string) string {
	return "{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingWebhookConfiguration, metadata: {name: $ns}, webhooks: [{name: it.example.com, " +
		"sideEffects: None, failurePolicy: Ignore, admissionReviewVersions: [v1], rules: [{apiGroups: [none.example.com], apiVersions: [v1], operations: [CREATE], " +
		"resources: [nothing]}], " + client + "}]}"
}

func claim(fields string) string {
	return "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: it}, spec: {" + fields + "accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}"
}
