package enginetest

import (
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// differing returns a case whose objects look equal but are not: IfNoDiff rejects the takeover with the diffs that KubeFleet's agent reports.
func differing(name, onMember, placed string, diffs ...placement.PatchDetail) scenario {
	return scenario{
		name: name, before: []step{put("kubectl", onMember)}, placed: placed, how: takeOver(ifNoDiff),
		want: Want{Reason: "FailedToTakeOver", Message: differencesFound + ")", Diffs: diffs},
	}
}

// dryRunOnly returns a case like differing in which only a dry run finds the difference. With read-only credentials, the preview predicts a takeover.
func dryRunOnly(name, onMember, placed string, diffs ...placement.PatchDetail) scenario {
	s := differing(name, onMember, placed, diffs...)
	s.readOnly = takesOver
	return s
}

// inPod returns a Deployment with these fields in its Pod template.
func inPod(fields string) string {
	return "{apiVersion: apps/v1, kind: Deployment, metadata: {name: it}, spec: {selector: {matchLabels: {app: it}}, template: " +
		"{metadata: {labels: {app: it}}, spec: {" + fields + "}}}}"
}

func inApp(fields string) string {
	return inPod("containers: [{name: app, image: app, " + fields + "}]")
}

func service(fields string) string {
	return "{apiVersion: v1, kind: Service, metadata: {name: it}, spec: {ports: [{port: 80}], " + fields + "}}"
}

func networkPolicy(ingress string) string {
	return "{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: it}, spec: {podSelector: {}, ingress: [" + ingress + "]}}"
}

func budget(fields string) string {
	return "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: it}, spec: {minAvailable: 1" + fields + "}}"
}

func limitRange(fields string) string {
	return "{apiVersion: v1, kind: LimitRange, metadata: {name: it}, spec: {limits: [{type: Container, max: {cpu: '2'}" + fields + "}]}}"
}

const (
	itsApp  = "containers: [{name: app, image: app}]"
	itsPart = "$group/v1 Part it"
	podPath = "/spec/template/spec/"
)

func part(spec string) string {
	return "{apiVersion: $group/v1, kind: Part, metadata: {name: it}, spec: {" + spec + "}}"
}

// appliedAB is an object that another placement has left, with the last applied configuration of each engine.
var appliedAB = func() string {
	const configuration = `'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"it"},"data":{"a":"1","b":"x"}}'`
	return "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, annotations: {" + appliedAnnotation + ": " + configuration + ", " +
		kube.DefaultLastAppliedAnnotation + ": " + configuration + "}}, data: {a: '1', b: x}}"
}()

// doubtful are cases with a real difference that a text comparison would miss or take for an API server's default. For contrast, one case has only a default.
var doubtful = []scenario{
	differing("an empty key", theirsA2, "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}, data: {a: '2', b: ''}}", patch("/data/b", "", "")),
	differing("an empty label", theirsA2, "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, labels: {b: ''}}, data: {a: '2'}}", patch("/metadata/labels/b", "", "")),
	differing("an empty text in a selector", service("selector: {app: it}"), service("selector: {app: it, x: ''}"), patch("/spec/selector/x", "", "")),
	differing("an empty text in a node selector", inPod("nodeSelector: {a: x, b: ''}, "+itsApp), inPod("nodeSelector: {a: x}, "+itsApp), patch(podPath+"nodeSelector/b", "", "")),
	differing("a selector of everything", budget(""), budget(", selector: {}"), patch("/spec/selector", "", "map[]")),
	differing("a toleration's operator", inPod("tolerations: [{key: a, operator: Equal, value: x}], "+itsApp), inPod("tolerations: [{key: a, value: x}], "+itsApp),
		patch(podPath+"tolerations/0/operator", "Equal", "")),
	differing("another protocol than the default", networkPolicy("{ports: [{port: 80, protocol: UDP}]}"), networkPolicy("{ports: [{port: 80}]}"),
		patch("/spec/ingress/0/ports/0/protocol", "UDP", "TCP")),
	differing("all namespaces", networkPolicy("{from: [{podSelector: {}, namespaceSelector: {}}]}"), networkPolicy("{from: [{podSelector: {}}]}"),
		patch("/spec/ingress/0/from/0/namespaceSelector", "map[]", "")),
	differing("a reference to resources", inApp("env: [{name: A, valueFrom: {resourceFieldRef: {containerName: app, resource: limits.cpu}}}]"),
		inApp("env: [{name: A, valueFrom: {resourceFieldRef: {resource: limits.cpu}}}]"),
		patch(podPath+"containers/0/env/0/valueFrom/resourceFieldRef/containerName", "app", "")),
	dryRunOnly("replicas that are null", deployment("replicas: 5", app1), deployment("replicas: null", app1), patch("/spec/replicas", "5", "1")),
	dryRunOnly("arguments that are null", inApp("args: [x]"), inApp("args: null"), patch(podPath+"containers/0/args", "[x]", "")),
	dryRunOnly("a key that is null", theirsA2, "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}, data: {a: null}}", patch("/data/a", "2", "")),
	dryRunOnly("defaults that follow from others", limitRange(", default: {cpu: '1'}"), limitRange(""),
		patch("/spec/limits/0/default/cpu", "1", "2"), patch("/spec/limits/0/defaultRequest/cpu", "1", "2")),
	dryRunOnly("a map that is replaced as a whole", part("atomic: {a: x, b: z}"), part("atomic: {a: x}"), patch("/spec/atomic/b", "z", "")),
	dryRunOnly("an element that is replaced as a whole", part("items: [{name: a, value: x}]"), part("items: [{name: a}]"), patch("/spec/items/0/value", "x", "")),
	dryRunOnly("another value than the default in an element", part("items: [{name: a, port: 81}]"), part("items: [{name: a}]"),
		patch("/spec/items/0/port", "81", "80")),
	same("a default in an element", part("items: [{name: a}]")),
	{
		name: "drifted in an element that is replaced as a whole", earlier: inPod("tolerations: [{key: a, value: x}], " + itsApp),
		since:  []step{edit("kubectl-edit", itsDeployment, "{spec: {template: {spec: {tolerations: [{key: a, operator: Equal, value: x}]}}}}")},
		placed: inPod("tolerations: [{key: a, value: x}], " + itsApp), how: ifNotDrifted, want: Want{
			Reason: "FoundDrifts", Message: driftsFound + ")",
			Drifts: []placement.PatchDetail{patch(podPath+"tolerations/0/operator", "Equal", "")},
		},
	},
	{
		name: "drifted in an element of a custom resource", earlier: part("items: [{name: a}]"),
		since:  []step{edit("kubectl-edit", itsPart, "{spec: {items: [{name: a, value: x, port: 80}]}}")},
		placed: part("items: [{name: a}]"), how: ifNotDrifted, readOnly: keeps, want: Want{
			Reason: "FoundDrifts", Message: driftsFound + ")",
			Drifts: []placement.PatchDetail{patch("/spec/items/0/value", "x", "")},
		},
	},
	{
		name: "a key that is no longer placed", earlier: "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}, data: {a: '1', b: x}}", placed: placedA1,
		how: fully(always), want: Want{Action: updates, Fields: []string{"data.b"}},
		after: func(c *Case) {
			if got := c.Value(c.Member, it, "data", "b"); got != nil {
				c.Errorf("b still exists: %v", got)
			}
		},
	},
	{
		name: "taken over with a last applied configuration that has more keys", before: []step{put("kubectl", appliedAB)}, placed: placedA1, how: takeOver(always),
		want: Want{Action: takesOver, Fields: []string{"data.b"}},
		after: func(c *Case) {
			if got := c.Value(c.Member, it, "data", "b"); got != nil {
				c.Errorf("b still exists: %v", got)
			}
		},
	},
	{
		name: "taken over with a last applied configuration without a kind", before: []step{put("kubectl", strings.ReplaceAll(appliedAB, `,"kind":"ConfigMap"`, ""))},
		placed: placedA1, how: takeOver(always), want: Want{Action: takesOver, Fields: []string{"data.b"}},
	},
	{
		name: "taken over with other fields of a union", before: []step{put("kubectl", deployment("strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 5}}", app1))},
		placed: deployment("strategy: {type: RollingUpdate}", app1), how: takeOver(always),
		want: Want{Action: takesOver, Fields: []string{"spec.strategy.rollingUpdate.maxSurge"}},
	},
	{
		name: "edited in an element of a custom resource, and written again", earlier: part("items: [{name: a}]"),
		since:  []step{edit("kubectl-edit", itsPart, "{spec: {items: [{name: a, value: x, port: 80}]}}")},
		placed: part("items: [{name: a}]"), readOnly: keeps, want: Want{Action: updates, Fields: []string{"spec.items[0].value"}},
	},
}
