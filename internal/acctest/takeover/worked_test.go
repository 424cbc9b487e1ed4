package takeover

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// deployment is the text of one, with fields of its spec, and with containers.
func deployment(fields string, containers ...string) string {
	if fields != "" {
		fields = "  " + fields + "\n"
	}
	return "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: it}\nspec:\n" + fields +
		"  selector: {matchLabels: {app: it}}\n  template:\n    metadata: {labels: {app: it}}\n" +
		"    spec: {containers: [" + strings.Join(containers, ", ") + "]}\n"
}

const (
	app1 = `{name: app, image: "app:1", ports: [{containerPort: 80}]}`
	app2 = `{name: app, image: "app:2", ports: [{containerPort: 80}]}`
	side = `{name: side, image: "side:1"}`

	itsDeployment = "apps/v1 Deployment it"
	autoscaler    = "kube-controller-manager"
)

// job is the text of one.
func job(completions int, image string) string {
	return fmt.Sprintf("apiVersion: batch/v1\nkind: Job\nmetadata: {name: it}\nspec:\n  completions: %d\n  template:\n    spec:\n"+
		"      restartPolicy: Never\n      containers: [{name: app, image: %q}]\n", completions, image)
}

func namespace(labels string) string {
	return "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-x, labels: {" + labels + "}}}"
}

func widget(spec string) string {
	return "{apiVersion: takeover.example.com/v1, kind: Widget, metadata: {name: it}, spec: {" + spec + "}}"
}

func scaled(n int) step {
	return through("scale", autoscaler, itsDeployment, fmt.Sprintf("{spec: {replicas: %d}}", n))
}

// big is a ConfigMap for which client-side apply has no room to keep a copy.
func big(extra string) string {
	return "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}, data: {big: " + strings.Repeat("x", 262000) + ", extra: " + extra + "}}"
}

var ifNotDrifted = placement.ApplyStrategy{WhenToApply: placement.ApplyIfNotDrifted}

// worked are the worked cases of the reference, by their numbers. Numbers 36 and 51 are with the admission rules.
var worked = []scenario{
	{name: "1 absent", placed: placedA1, want: want{action: engine.ActionCreate}},
	{
		name: "2 Namespace, no difference", before: []step{put("kubectl", namespace("owner: redfield"))}, placed: namespace("owner: redfield"),
		object: "$ns-x", how: takeOver(always), want: want{action: engine.ActionTakeOver, fields: []string{}},
	},
	{
		name: "3 Namespace, Always", before: []step{put("kubectl", namespace("owner: wesker"))}, placed: namespace("owner: redfield"), object: "$ns-x",
		how: takeOver(always), want: want{action: engine.ActionTakeOver, fields: []string{"metadata.labels.owner"}},
		after: has("v1 Namespace $ns-x", "redfield", "metadata", "labels", "owner"),
	},
	{
		name: "4 Namespace, IfNoDiff", before: []step{put("kubectl", namespace("owner: wesker"))}, placed: namespace("owner: redfield"), object: "$ns-x",
		how: takeOver(ifNoDiff), want: want{
			action: engine.ActionRefuse, reason: "FailedToTakeOver", message: differencesFound + ")", fields: []string{"metadata.labels.owner"},
			diffs: []placement.PatchDetail{patch("/metadata/labels/owner", "wesker", "redfield")},
		},
	},
	{
		name: "5 Namespace, an extra label", before: []step{put("kubectl", namespace("owner: redfield, use: hack"))}, placed: namespace("owner: redfield"),
		object: "$ns-x", how: takeOver(ifNoDiff), want: want{action: engine.ActionTakeOver, fields: []string{}},
		after: has("v1 Namespace $ns-x", "hack", "metadata", "labels", "use"),
	},
	{
		name: "6 Namespace, an extra label, full comparison", before: []step{put("kubectl", namespace("owner: redfield, use: hack"))},
		placed: namespace("owner: redfield"), object: "$ns-x", how: fully(ifNoDiff), want: want{
			action: engine.ActionRefuse, reason: "FailedToTakeOver", message: differencesFound + ")",
			diffs: []placement.PatchDetail{patch("/metadata/labels/use", "hack", ""), patch("/spec", "map[finalizers:[kubernetes]]", "")},
		},
	},
	{
		name: "7 Never", before: []step{put("kubectl", deployment("replicas: 2", app1))}, placed: deployment("replicas: 1", app1), how: takeOver(never),
		want: want{action: engine.ActionRefuse, reason: "NotTakenOver", message: needsTakeover, fields: []string{"spec.replicas"}},
	},
	{
		name: "8 Never, ours", earlier: deployment("replicas: 1", app1), placed: deployment("replicas: 1", app2), how: takeOver(never),
		want: want{action: engine.ActionUpdate, fields: []string{"spec.template.spec.containers[name=app].image"}},
	},
	{
		name: "9 Deployment, other replicas", before: []step{put("kubectl", deployment("replicas: 2", app1))}, placed: deployment("replicas: 1", app1),
		how: takeOver(ifNoDiff), want: want{
			action: engine.ActionRefuse, reason: "FailedToTakeOver", message: differencesFound + ")", fields: []string{"spec.replicas"},
			diffs: []placement.PatchDetail{patch("/spec/replicas", "2", "1")},
		},
	},
	{
		name: "10 Deployment, full comparison", before: []step{put("kubectl", deployment("replicas: 2", app1))}, placed: deployment("replicas: 1", app1),
		how: fully(ifNoDiff), want: want{
			action: engine.ActionRefuse, reason: "FailedToTakeOver", message: differencesFound + ")", diffs: []placement.PatchDetail{
				patch("/spec/progressDeadlineSeconds", "600", ""),
				patch("/spec/replicas", "2", "1"),
				patch("/spec/revisionHistoryLimit", "10", ""),
				patch("/spec/strategy", "map[rollingUpdate:map[maxSurge:25% maxUnavailable:25%] type:RollingUpdate]", ""),
				patch("/spec/template/spec/containers/0/imagePullPolicy", "IfNotPresent", ""),
				patch("/spec/template/spec/containers/0/ports/0/protocol", "TCP", ""),
				patch("/spec/template/spec/containers/0/resources", "map[]", ""),
				patch("/spec/template/spec/containers/0/terminationMessagePath", "/dev/termination-log", ""),
				patch("/spec/template/spec/containers/0/terminationMessagePolicy", "File", ""),
				patch("/spec/template/spec/dnsPolicy", "ClusterFirst", ""),
				patch("/spec/template/spec/restartPolicy", "Always", ""),
				patch("/spec/template/spec/schedulerName", "default-scheduler", ""),
				patch("/spec/template/spec/securityContext", "map[]", ""),
				patch("/spec/template/spec/terminationGracePeriodSeconds", "30", ""),
			},
		},
	},
	{
		name: "11 Deployment without replicas, autoscaled", before: []step{put("kubectl", deployment("", app1)), scaled(5)}, placed: deployment("", app1),
		how: takeOver(ifNoDiff), want: want{action: engine.ActionTakeOver, fields: []string{}}, after: has(itsDeployment, int64(5), "spec", "replicas"),
	},
	{
		name: "12 Deployment, ours, autoscaled", earlier: deployment("replicas: 3", app1), since: []step{scaled(7)}, placed: deployment("replicas: 3", app1),
		want: want{action: engine.ActionUpdate, fields: []string{"spec.replicas"}}, after: has(itsDeployment, int64(3), "spec", "replicas"),
	},
	{
		name: "13 Deployment, ours, autoscaled, IfNotDrifted", earlier: deployment("replicas: 3", app1), since: []step{scaled(7)},
		placed: deployment("replicas: 3", app1), how: ifNotDrifted, want: want{
			action: engine.ActionRefuse, reason: "FoundDrifts", message: driftsFound + ")", fields: []string{"spec.replicas"},
			drifts: []placement.PatchDetail{patch("/spec/replicas", "7", "3")},
		},
		after: has(itsDeployment, int64(7), "spec", "replicas"),
	},
	{
		name: "14 Deployment, ours, autoscaled, and the hub has changed", earlier: deployment("replicas: 3", app1), since: []step{scaled(7)},
		placed: deployment("replicas: 3", app2), how: ifNotDrifted,
		want:  want{action: engine.ActionUpdate, fields: []string{"spec.replicas", "spec.template.spec.containers[name=app].image"}},
		after: has(itsDeployment, int64(3), "spec", "replicas"),
	},
	{
		name: "15 a sidecar in the Pod only", earlier: deployment("", app1), placed: deployment("", app1), how: ifNotDrifted,
		since: []step{
			put("istio", `{apiVersion: v1, kind: ServiceAccount, metadata: {name: pods}}
---
{apiVersion: v1, kind: Pod, metadata: {name: it-1, labels: {app: it}}, spec: {serviceAccountName: pods, containers: [{name: app, image: "app:1"}, {name: side, image: "side:1"}]}}`),
		},
		want: want{action: engine.ActionNone, fields: []string{}},
	},
	{
		name: "16 a sidecar in the template", before: []step{put("kubectl", deployment("", app1, side))}, placed: deployment("", app1), how: takeOver(ifNoDiff),
		want: want{action: engine.ActionTakeOver, fields: []string{}},
	},
	{
		name: "17 a sidecar before the container, full comparison", before: []step{put("kubectl", deployment("", side, app1))}, placed: deployment("", app1),
		how: fully(ifNoDiff), want: want{
			action: engine.ActionRefuse, reason: "FailedToTakeOver", message: differencesFound + ")", paths: []string{
				"/spec/progressDeadlineSeconds", "/spec/replicas", "/spec/revisionHistoryLimit", "/spec/strategy",
				"/spec/template/spec/containers/0/image", "/spec/template/spec/containers/0/imagePullPolicy", "/spec/template/spec/containers/0/name",
				"/spec/template/spec/containers/0/ports", "/spec/template/spec/containers/0/resources",
				"/spec/template/spec/containers/0/terminationMessagePath", "/spec/template/spec/containers/0/terminationMessagePolicy",
				"/spec/template/spec/containers/-", "/spec/template/spec/dnsPolicy", "/spec/template/spec/restartPolicy",
				"/spec/template/spec/schedulerName", "/spec/template/spec/securityContext", "/spec/template/spec/terminationGracePeriodSeconds",
			},
		},
	},
	{
		name: "18 one argument more", before: []step{put("kubectl", deployment("", `{name: app, image: "app:1", args: [p, q, r]}`))},
		placed: deployment("", `{name: app, image: "app:1", args: [p, q]}`), how: takeOver(ifNoDiff), want: want{
			action: engine.ActionRefuse, reason: "FailedToTakeOver", message: differencesFound + ")",
			diffs: []placement.PatchDetail{patch("/spec/template/spec/containers/0/args/-", "r", "")},
		},
	},
	{
		name: "19 a shorter list in a custom resource", before: []step{put("kubectl", widget("letters: [a, b]"))}, placed: widget("letters: [a, b, c, d], mode: standard"),
		how: fully(ifNoDiff), want: want{
			action: engine.ActionRefuse, reason: "FailedToTakeOver", message: differencesFound + ")",
			diffs: []placement.PatchDetail{patch("/spec/letters/2", "", "c"), patch("/spec/letters/2", "", "c")},
		},
		differs: "to people, every element is told with its own index and value; the status has KubeFleet's words",
	},
	{
		name: "20 a recommended label", before: []step{put("kubectl", "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, labels: {app.kubernetes.io/name: why}}}")},
		placed: "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, labels: {app.kubernetes.io/name: ex}}}", how: takeOver(ifNoDiff),
		want: want{action: engine.ActionTakeOver, fields: []string{}}, after: has(it, "ex", "metadata", "labels", "app.kubernetes.io/name"),
	},
	{
		name: "21 Helm's annotation, full comparison",
		before: []step{put("helm", "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, annotations: {meta.helm.sh/release-name: web}, "+
			"labels: {app.kubernetes.io/managed-by: Helm}}}")},
		placed: "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}}", how: fully(ifNoDiff), want: want{
			action: engine.ActionRefuse, reason: "FailedToTakeOver", message: differencesFound + ")",
			diffs: []placement.PatchDetail{patch("/metadata/annotations/meta.helm.sh~1release-name", "web", "")},
		},
	},
	{
		name: "22 owned by a custom resource", before: []step{put("argocd", widget("")+"\n---\n"+placedA1), ownedBy(it, "takeover.example.com/v1 Widget it")},
		placed: placedA2, want: refused("FailedToTakeOver", coOwnership+"takeover.example.com/v1 Widget it])"),
	},
	{
		name:   "23 owned by a custom resource, co-ownership allowed",
		before: []step{put("argocd", widget("")+"\n---\n"+placedA1), ownedBy(it, "takeover.example.com/v1 Widget it")}, placed: placedA2, how: coOwning(always),
		want: want{action: engine.ActionTakeOver}, after: hasOwners(1),
	},
	{
		name: "24 another placement's", before: []step{placedBy("$ns-other", placedA1)}, placed: placedA1, how: coOwning(always),
		want:    refused("FailedToTakeOver", takeoverFailed+"the object is already owned by another placement \"$ns-other\")"),
		differs: "another placement of the direct engine keeps its object as KubeFleet's placements do, and is told by name",
	},
	{
		name: "25 ours, and somebody adds an owner", earlier: placedA1, since: []step{put("kubectl", theOwner), ownedBy(it, owner)}, placed: placedA1,
		want: refused("ManifestApplyFailed", ownersInvalid+"object is co-owned by multiple objects but co-ownership has been disallowed)"),
	},
	{
		name: "26 Job, ours, another image", earlier: job(1, "app:1"), placed: job(1, "app:2"), want: refused("ManifestApplyFailed", "field is immutable"),
		readOnly: engine.ActionUpdate,
	},
	{
		name: "27 Job, other completions", before: []step{put("kubectl", job(2, "app:1"))}, placed: job(3, "app:1"), how: takeOver(ifNoDiff),
		want: want{action: engine.ActionRefuse, reason: "FailedToTakeOver", message: differencesFound + degraded + ")", paths: jobPaths},
	},
	{
		name: "28 Job, other completions, ReportDiff", before: []step{put("kubectl", job(2, "app:1"))}, placed: job(3, "app:1"), how: reporting(never),
		want:    want{action: engine.ActionReport, reason: "FoundDiffInDegradedMode", message: "Diff has been found in degraded mode", paths: jobPaths},
		differs: "the differences reach the placement's status: KubeFleet shows none of a cluster's as soon as one object was compared in degraded mode",
	},
	{
		name: "29 Deployment, absent, ReportDiff", placed: deployment("", app1), how: reporting(always),
		want: reported("FoundDiff", foundDiff, patch("/", "", "(the whole object)")),
	},
	{
		name: "30 Deployment, ReportDiff, Always", before: []step{put("kubectl", deployment("replicas: 2", app1))}, placed: deployment("replicas: 1", app1),
		how: reporting(always), want: reported("FoundDiff", foundDiff, patch("/spec/replicas", "2", "1")), differs: unowned,
	},
	{
		name: "31 Deployment, ReportDiff, IfNoDiff", before: []step{put("kubectl", deployment("replicas: 2", app1))}, placed: deployment("replicas: 1", app1),
		how: reporting(ifNoDiff), want: reported("FailedToReportDiff", blocked+"FailedToTakeOver, error: cannot take over object"),
	},
	{
		name: "32 Secret", before: []step{put("kubectl", "{apiVersion: v1, kind: Secret, metadata: {name: it}, data: {k: djI=}}")},
		placed: "{apiVersion: v1, kind: Secret, metadata: {name: it}, data: {k: djE=}}", how: takeOver(ifNoDiff), want: want{
			action: engine.ActionRefuse, reason: "FailedToTakeOver", message: differencesFound + ")",
			diffs: []placement.PatchDetail{patch("/data/k", redacted, redacted)},
		},
	},
	{
		name: "33 Secret with stringData", before: []step{put("kubectl", "{apiVersion: v1, kind: Secret, metadata: {name: it}, stringData: {k: v}}")},
		placed: "{apiVersion: v1, kind: Secret, metadata: {name: it}, stringData: {k: v}}", how: takeOver(ifNoDiff),
		want: want{action: engine.ActionTakeOver, fields: []string{}},
	},
	{
		name:   "33 Secret with stringData, full comparison",
		before: []step{put("kubectl", "{apiVersion: v1, kind: Secret, metadata: {name: it}, stringData: {k: v}}")},
		placed: "{apiVersion: v1, kind: Secret, metadata: {name: it}, stringData: {k: v}}", how: fully(ifNoDiff), want: want{
			action: engine.ActionRefuse, reason: "FailedToTakeOver", message: differencesFound + ")",
			diffs: []placement.PatchDetail{patch("/data", redacted, ""), patch("/stringData", "", redacted), patch("/type", "Opaque", "")},
		},
	},
	{
		name: "34 a kind that the member does not serve", placed: gadget,
		want: refused("DecodingErred", "Failed to apply the manifest (error: failed to decode manifest: failed to find GVR from member cluster "+
			"client REST mapping: "),
		after: func(w *world) { // it heals once the kind is served
			put("kubectl", gadgets)(w)
			if err := w.awaitKinds(w.Context(), w.expand("$ns.example.com/v1 Gadget")); err != nil {
				w.Fatal(err)
			}
			request := w.request(gadget, placement.ApplyStrategy{})
			request.Create = false
			if _, err := w.engineWith(w.past).ApplyPlacement(w.Context(), request); err != nil {
				w.Fatal(err)
			}
			w.must("$ns.example.com/v1 Gadget it")
		},
	},
	{
		name: "35 a kind with its definition", placed: gadgets + "\n---\n" + gadget, want: want{action: engine.ActionCreate},
		differs: "objects of a kind that comes with the placement wait for the kind to be served, where KubeFleet needs a second loop",
	},
	{
		name: "37 generateName only", placed: "{apiVersion: v1, kind: ConfigMap, metadata: {generateName: it-}}",
		fails:   "objects with only generateName are not supported",
		differs: "a manifest that no cluster could place is an error of the placement, found before anything is looked at",
	},
	{
		name: "38 the same object twice", placed: placedA1 + "\n---\n" + placedA2, fails: "ConfigMap $ns/it",
		differs: "as before, instead of the reason Duplicated for the second",
	},
	{
		name: "39 no room for the last applied configuration", earlier: big("one"), placed: big("two"),
		want:    want{action: engine.ActionUpdate, fields: []string{"data.extra"}},
		after:   has(it, "", "metadata", "annotations", "fleet.terraform.io/last-applied-configuration"),
		differs: "the object is written on the client's side all the same, where KubeFleet turns to server-side apply",
	},
	{
		name: "40 Deployment, ours, server-side apply", earlier: deployment("replicas: 1", app1), placed: deployment("replicas: 1", app2),
		since: []step{
			edit("kube-controller-manager", itsDeployment, "{metadata: {annotations: {deployment.kubernetes.io/revision: '1'}}}"),
			through("status", "kube-controller-manager", itsDeployment, "{status: {observedGeneration: 1, replicas: 1}}"),
		},
		how: serverSide(always, false), want: want{action: engine.ActionUpdate, fields: []string{"spec.template.spec.containers[name=app].image"}},
		differs: "an object that was created owns its fields in the way of server-side apply before it is applied again, so that it does not " +
			"conflict with itself",
	},
	{
		name: "41 server-side apply against kubectl", before: []step{put("kubectl", placedA1)}, placed: placedA2, how: serverSide(always, false),
		want: refused("ManifestApplyFailed", `other managers own fields of it: "kubectl" owns .data.a)`), readOnly: engine.ActionTakeOver, after: unmarked,
		differs: "a takeover that fails leaves nothing behind, see D3-422",
	},
	{
		name: "42 server-side apply with force", before: []step{put("kubectl", placedA1)}, placed: placedA2, how: serverSide(always, true),
		want: want{action: engine.ActionTakeOver, fields: []string{"data.a"}}, after: has(it, "2", "data", "a"),
	},
	{
		name: "43 an extra label, full comparison", earlier: placedA1, since: []step{edit("kubectl-label", it, "{metadata: {labels: {extra: theirs}}}")},
		placed: placedA1, how: fully(always),
		want: want{action: engine.ActionNone, drifts: []placement.PatchDetail{patch("/metadata/labels/extra", "theirs", "")}},
	},
	{
		name: "44 an extra label, full comparison, IfNotDrifted", earlier: placedA1, since: []step{edit("kubectl-label", it, "{metadata: {labels: {extra: theirs}}}")},
		placed: placedA1, how: placement.ApplyStrategy{WhenToApply: placement.ApplyIfNotDrifted, ComparisonOption: full}, want: want{
			action: engine.ActionRefuse, reason: "FoundDrifts", message: driftsFound + ")",
			drifts: []placement.PatchDetail{patch("/metadata/labels/extra", "theirs", "")},
		},
	},
	{
		name: "45 removed from the placement", earlier: placedA1 + "\n---\n" + gone, placed: placedA1, object: "gone", want: want{action: engine.ActionDelete},
	},
	{
		name: "46 removed from the placement, and another owner", earlier: placedA1 + "\n---\n" + gone,
		since: []step{put("kubectl", theOwner), ownedBy("v1 ConfigMap gone", owner)}, placed: placedA1, object: "gone",
		want: want{action: engine.ActionRelease},
	},
	{
		name: "47 removed from the placement while drifted", earlier: placedA1 + "\n---\n" + gone,
		since: []step{edit("kubectl-edit", "v1 ConfigMap gone", "{data: {a: theirs}}")}, placed: placedA1, object: "gone", how: ifNotDrifted,
		want:    want{action: engine.ActionDelete},
		differs: "what the placement has made is removed at once, where KubeFleet leaves an object that it has not applied to its garbage collection",
	},
	{
		name: "48 placement deleted", earlier: placedA1 + "\n---\n" + gone, since: []step{put("kubectl", theOwner), ownedBy(it, owner)},
		placed: placedA1 + "\n---\n" + gone, how: coOwning(always), want: want{action: engine.ActionNone},
		after: func(w *world) {
			if _, err := w.engine.DeletePlacement(w.Context(), engine.PlacementRequest{Name: w.name}); err != nil {
				w.Error(err)
			}
			if w.get(w.ref("v1 ConfigMap gone")) != nil {
				w.Error("what was the placement's alone is there still")
			}
			unmarked(w)
		},
	},
	{
		name: "49 Service without an address", placed: "{apiVersion: v1, kind: Service, metadata: {name: it}, spec: {type: LoadBalancer, ports: [{port: 80}]}}",
		want: want{action: engine.ActionCreate}, after: func(w *world) {
			failed := w.status.FailedPlacements
			if len(failed) != 1 || failed[0].Condition.Type != placement.Available || failed[0].Condition.Reason != "ManifestNotAvailableYet" {
				w.Errorf("failed placements: %+v", failed)
			}
		},
	},
	{
		name: "50 HorizontalPodAutoscaler", placed: "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: it}, spec: {maxReplicas: 3, " +
			"scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: it}}}",
		want: want{action: engine.ActionCreate}, after: func(w *world) {
			if c, _ := w.status.Condition(placement.Available); c.Status != placement.True || !strings.Contains(c.Reason, "Track") {
				w.Errorf("available: %+v", c)
			}
		},
	},
	{
		name: "52 quantities", before: []step{put("kubectl", quota("1"))}, placed: quota("1000m"), how: takeOver(ifNoDiff),
		want: want{action: engine.ActionTakeOver, fields: []string{}},
	},
	{
		name: "52 quantities, full comparison", before: []step{put("kubectl", quota("1"))}, placed: quota("1000m"), how: fully(ifNoDiff), want: want{
			action: engine.ActionRefuse, reason: "FailedToTakeOver", message: differencesFound + ")",
			diffs: []placement.PatchDetail{patch("/spec/hard/cpu", "1", "1000m")},
		},
	},
	{
		name: "52 quantities in a custom resource", before: []step{put("kubectl", widget("cpu: '1'"))}, placed: widget("cpu: 1000m"), how: takeOver(ifNoDiff),
		want: want{
			action: engine.ActionRefuse, reason: "FailedToTakeOver", message: differencesFound + ")",
			diffs: []placement.PatchDetail{patch("/spec/cpu", "1", "1000m")},
		},
	},
}

const (
	gone    = "{apiVersion: v1, kind: ConfigMap, metadata: {name: gone}, data: {a: \"1\"}}"
	gadget  = "{apiVersion: $ns.example.com/v1, kind: Gadget, metadata: {name: it, namespace: $ns}}"
	gadgets = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.$ns.example.com}
spec:
  group: $ns.example.com
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget, listKind: GadgetList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
`
)

func quota(cpu string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: ResourceQuota, metadata: {name: it}, spec: {hard: {cpu: %q}}}", cpu)
}

// jobPaths are what the API server adds to a Job, and its completions.
var jobPaths = []string{
	"/metadata/labels/controller-uid", "/metadata/labels/job-name", "/spec/backoffLimit", "/spec/completionMode", "/spec/completions",
	"/spec/manualSelector", "/spec/parallelism", "/spec/podReplacementPolicy", "/spec/selector", "/spec/suspend", "/spec/template/metadata",
	"/spec/template/spec/containers/0/imagePullPolicy", "/spec/template/spec/containers/0/resources",
	"/spec/template/spec/containers/0/terminationMessagePath", "/spec/template/spec/containers/0/terminationMessagePolicy",
	"/spec/template/spec/dnsPolicy", "/spec/template/spec/schedulerName", "/spec/template/spec/securityContext",
	"/spec/template/spec/terminationGracePeriodSeconds",
}

func TestWorkedCases(t *testing.T) {
	t.Parallel()
	run(t, worked)
}
