package enginetest

import "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"

// workedTakeover are the worked cases about pre-existing objects and takeover.
var workedTakeover = []scenario{
	{name: "1 absent", placed: placedA1, want: Want{Action: creates}},
	{
		name: "2 Namespace, no difference", before: []step{put("kubectl", namespace("owner: redfield"))}, placed: namespace("owner: redfield"),
		object: "$ns-x", how: takeOver(always), want: Want{Action: takesOver, Fields: []string{}},
	},
	{
		name: "3 Namespace, Always", before: []step{put("kubectl", namespace("owner: wesker"))}, placed: namespace("owner: redfield"), object: "$ns-x",
		how: takeOver(always), want: Want{Action: takesOver, Fields: []string{"metadata.labels.owner"}},
		after: Has("v1 Namespace $ns-x", "redfield", "metadata", "labels", "owner"),
	},
	{
		name: "4 Namespace, IfNoDiff", before: []step{put("kubectl", namespace("owner: wesker"))}, placed: namespace("owner: redfield"), object: "$ns-x",
		how: takeOver(ifNoDiff), want: Want{
			Reason: "FailedToTakeOver", Message: differencesFound + ")", Fields: []string{"metadata.labels.owner"},
			Diffs: []placement.PatchDetail{patch("/metadata/labels/owner", "wesker", "redfield")},
		},
	},
	{
		name: "5 Namespace, an extra label", before: []step{put("kubectl", namespace("owner: redfield, use: hack"))}, placed: namespace("owner: redfield"),
		object: "$ns-x", how: takeOver(ifNoDiff), want: Want{Action: takesOver, Fields: []string{}},
		after: Has("v1 Namespace $ns-x", "hack", "metadata", "labels", "use"),
	},
	{
		name: "6 Namespace, an extra label, full comparison", before: []step{put("kubectl", namespace("owner: redfield, use: hack"))},
		placed: namespace("owner: redfield"), object: "$ns-x", how: fully(ifNoDiff), want: Want{
			Reason: "FailedToTakeOver", Message: differencesFound + ")",
			Diffs: []placement.PatchDetail{patch("/metadata/labels/use", "hack", ""), patch("/spec", "map[finalizers:[kubernetes]]", "")},
		},
	},
	{
		name: "7 Never", before: []step{put("kubectl", deployment("replicas: 2", app1))}, placed: deployment("replicas: 1", app1), how: takeOver(never),
		want: Want{Reason: "NotTakenOver", Message: needsTakeover, Fields: []string{"spec.replicas"}},
	},
	{
		name: "8 Never, ours", earlier: deployment("replicas: 1", app1), placed: deployment("replicas: 1", app2), how: takeOver(never),
		want: Want{Action: updates, Fields: []string{"spec.template.spec.containers[name=app].image"}},
	},
	{
		name: "9 Deployment, other replicas", before: []step{put("kubectl", deployment("replicas: 2", app1))}, placed: deployment("replicas: 1", app1),
		how: takeOver(ifNoDiff), want: Want{
			Reason: "FailedToTakeOver", Message: differencesFound + ")", Fields: []string{"spec.replicas"},
			Diffs: []placement.PatchDetail{patch("/spec/replicas", "2", "1")},
		},
	},
	{
		name: "10 Deployment, full comparison", before: []step{put("kubectl", deployment("replicas: 2", app1))}, placed: deployment("replicas: 1", app1),
		how: fully(ifNoDiff), want: Want{
			Reason: "FailedToTakeOver", Message: differencesFound + ")", Diffs: []placement.PatchDetail{
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
		how: takeOver(ifNoDiff), want: Want{Action: takesOver, Fields: []string{}}, after: Has(itsDeployment, int64(5), "spec", "replicas"),
	},
	{
		name: "12 Deployment, ours, autoscaled", earlier: deployment("replicas: 3", app1), since: []step{scaled(7)}, placed: deployment("replicas: 3", app1),
		want: Want{Action: updates, Fields: []string{"spec.replicas"}}, after: Has(itsDeployment, int64(3), "spec", "replicas"),
	},
	{
		name: "13 Deployment, ours, autoscaled, IfNotDrifted", earlier: deployment("replicas: 3", app1), since: []step{scaled(7)},
		placed: deployment("replicas: 3", app1), how: ifNotDrifted, want: Want{
			Reason: "FoundDrifts", Message: driftsFound + ")", Fields: []string{"spec.replicas"},
			Drifts: []placement.PatchDetail{patch("/spec/replicas", "7", "3")},
		},
		after: Has(itsDeployment, int64(7), "spec", "replicas"),
	},
	{
		name: "14 Deployment, ours, autoscaled, and the hub has changed", earlier: deployment("replicas: 3", app1), since: []step{scaled(7)},
		placed: deployment("replicas: 3", app2), how: ifNotDrifted,
		want:  Want{Action: updates, Fields: []string{"spec.replicas", "spec.template.spec.containers[name=app].image"}},
		after: Has(itsDeployment, int64(3), "spec", "replicas"),
	},
	{
		name: "15 a sidecar in the Pod only", earlier: deployment("", app1), placed: deployment("", app1), how: ifNotDrifted,
		since: []step{
			put("istio", `{apiVersion: v1, kind: ServiceAccount, metadata: {name: pods}}
---
{apiVersion: v1, kind: Pod, metadata: {name: it-1, labels: {app: it}}, spec: {serviceAccountName: pods, containers: [{name: app, image: "app:1"}, {name: side, image: "side:1"}]}}`),
		},
		want: Want{Action: keeps, Fields: []string{}},
	},
	{
		name: "16 a sidecar in the template", before: []step{put("kubectl", deployment("", app1, side))}, placed: deployment("", app1), how: takeOver(ifNoDiff),
		want: Want{Action: takesOver, Fields: []string{}},
	},
	{
		name: "17 a sidecar before the container, full comparison", before: []step{put("kubectl", deployment("", side, app1))}, placed: deployment("", app1),
		how: fully(ifNoDiff), want: Want{
			Reason: "FailedToTakeOver", Message: differencesFound + ")", Paths: []string{
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
		placed: deployment("", `{name: app, image: "app:1", args: [p, q]}`), how: takeOver(ifNoDiff), want: Want{
			Reason: "FailedToTakeOver", Message: differencesFound + ")",
			Diffs: []placement.PatchDetail{patch("/spec/template/spec/containers/0/args/-", "r", "")},
		},
	},
	{
		name: "19 a shorter list in a custom resource", before: []step{put("kubectl", widget("letters: [a, b]"))}, placed: widget("letters: [a, b, c, d], mode: standard"),
		how: fully(ifNoDiff), want: Want{
			Reason: "FailedToTakeOver", Message: differencesFound + ")",
			Diffs: []placement.PatchDetail{patch("/spec/letters/2", "", "c"), patch("/spec/letters/2", "", "c")},
		},
	},
	{
		name: "20 a recommended label", before: []step{put("kubectl", "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, labels: {app.kubernetes.io/name: why}}}")},
		placed: "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, labels: {app.kubernetes.io/name: ex}}}", how: takeOver(ifNoDiff),
		want:  Want{Action: takesOver, Fields: []string{`metadata.labels["app.kubernetes.io/name"]`}},
		after: Has(it, "ex", "metadata", "labels", "app.kubernetes.io/name"),
	},
	{
		name: "21 Helm's annotation, full comparison",
		before: []step{put("helm", "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, annotations: {meta.helm.sh/release-name: web}, "+
			"labels: {app.kubernetes.io/managed-by: Helm}}}")},
		placed: "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}}", how: fully(ifNoDiff), want: Want{
			Reason: "FailedToTakeOver", Message: differencesFound + ")",
			Diffs: []placement.PatchDetail{patch("/metadata/annotations/meta.helm.sh~1release-name", "web", "")},
		},
	},
	{
		name: "22 owned by a custom resource", before: []step{put("argocd", widget("")+"\n---\n"+placedA1), ownedBy(it, "$group/v1 Widget it")},
		placed: placedA2, want: refused("FailedToTakeOver", CoOwnership),
	},
	{
		name:   "23 owned by a custom resource, co-ownership allowed",
		before: []step{put("argocd", widget("")+"\n---\n"+placedA1), ownedBy(it, "$group/v1 Widget it")}, placed: placedA2, how: coOwning(always),
		want: Want{Action: takesOver}, after: keepsOwner,
	},
	{
		name: "24 another placement's", before: []step{placedBy("$ns-other", placedA1)}, placed: placedA1, how: coOwning(always),
		want: refused("FailedToTakeOver", TakeoverFailed+"the object is already owned by another Fleet AppliedWork object)"),
	},
	{
		name: "25 ours, and another client adds an owner", earlier: placedA1, since: []step{put("kubectl", theOwner), ownedBy(it, owner)}, placed: placedA1,
		want: refused("ManifestApplyFailed", ownersInvalid+"object is co-owned by multiple objects but co-ownership has been disallowed)"),
	},
	{
		name: "26 Job, ours, another image", earlier: job(1, "app:1"), placed: job(1, "app:2"), want: refused("ManifestApplyFailed", "field is immutable"),
	},
	{
		name: "27 Job, other completions", before: []step{put("kubectl", job(2, "app:1"))}, placed: job(3, "app:1"), how: takeOver(ifNoDiff),
		want: Want{Reason: "FailedToTakeOver", Message: differencesFound + degraded + ")", Paths: jobPaths},
	},
	{
		name: "28 Job, other completions, ReportDiff", before: []step{put("kubectl", job(2, "app:1"))}, placed: job(3, "app:1"), how: reporting(never),
		want: Want{Action: reports, Reason: "FoundDiffInDegradedMode", Message: "Diff has been found in degraded mode"}, after: reportsNone,
	},
	{
		name: "29 Deployment, absent, ReportDiff", placed: deployment("", app1), how: reporting(always),
		want: reported("FoundDiff", foundDiff, patch("/", "", "(the whole object)")),
	},
	{
		name: "30 Deployment, ReportDiff, Always", before: []step{put("kubectl", deployment("replicas: 2", app1))}, placed: deployment("replicas: 1", app1),
		how: reporting(always), want: reported("FoundDiff", foundDiff, patch("/spec/replicas", "2", "1")), after: Marked,
	},
	{
		name: "31 Deployment, ReportDiff, IfNoDiff", before: []step{put("kubectl", deployment("replicas: 2", app1))}, placed: deployment("replicas: 1", app1),
		how: reporting(ifNoDiff), want: reported("FailedToReportDiff", blocked+"FailedToTakeOver, error: cannot take over object"),
	},
	{
		name: "32 Secret", before: []step{put("kubectl", "{apiVersion: v1, kind: Secret, metadata: {name: it}, data: {k: djI=}}")},
		placed: "{apiVersion: v1, kind: Secret, metadata: {name: it}, data: {k: djE=}}", how: takeOver(ifNoDiff), want: Want{
			Reason: "FailedToTakeOver", Message: differencesFound + ")",
			Diffs: []placement.PatchDetail{patch("/data/k", redacted, redacted)},
		},
	},
	{
		name: "33 Secret with stringData", before: []step{put("kubectl", "{apiVersion: v1, kind: Secret, metadata: {name: it}, stringData: {k: v}}")},
		placed: "{apiVersion: v1, kind: Secret, metadata: {name: it}, stringData: {k: v}}", how: takeOver(ifNoDiff),
		want: Want{Action: takesOver, Fields: []string{}},
	},
	{
		name:   "33 Secret with stringData, full comparison",
		before: []step{put("kubectl", "{apiVersion: v1, kind: Secret, metadata: {name: it}, stringData: {k: v}}")},
		placed: "{apiVersion: v1, kind: Secret, metadata: {name: it}, stringData: {k: v}}", how: fully(ifNoDiff), want: Want{
			Reason: "FailedToTakeOver", Message: differencesFound + ")",
			Diffs: []placement.PatchDetail{patch("/type", "Opaque", "")},
		},
	},
}
