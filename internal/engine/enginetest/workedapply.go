package enginetest

import (
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// workedApply are the worked cases about what an apply writes, removes and reports. Numbers 36 and 51 are with the admission policies.
var workedApply = []scenario{
	{
		name: "34 a kind that the member does not serve", placed: gadget,
		want: refused("DecodingErred", "Failed to apply the manifest (error: failed to decode manifest: failed to find GVR from member cluster "+
			"client REST mapping: "),
		after: func(c *Case) { // the next apply succeeds once the kind is served
			put("kubectl", gadgets)(c)
			c.AwaitKinds(c.Member, "$ns.example.com/v1 Gadget")
			request := c.request(gadget, placement.ApplyStrategy{})
			request.Again = true
			c.ApplyBy(c.Past(), request)
			c.must("$ns.example.com/v1 Gadget it")
		},
	},
	{
		name: "35 a kind with its definition", placed: gadgets + "\n---\n" + gadget,
		want: refused("DecodingErred", notServed), after: func(c *Case) {
			c.Eventually("the object is there", func() bool { return c.find("$ns.example.com/v1 Gadget it") != nil })
		},
	},
	{
		name: "37 generateName only", placed: "{apiVersion: v1, kind: ConfigMap, metadata: {generateName: it-}}", object: nameless,
		want: refused("FoundGenerateName", "objects with only generate name are not supported"),
	},
	{
		name: "38 the same object twice", placed: placedA1 + "\n---\n" + placedA2,
		want: refused("Duplicated", "a duplicate manifest has been found"),
	},
	{
		name: "39 no room for the last applied configuration", earlier: big("one"), placed: big("two"),
		want:  Want{Action: updates, Fields: []string{"data.extra"}},
		after: appliedByServer,
	},
	{
		name: "40 Deployment, ours, server-side apply", earlier: deployment("replicas: 1", app1), placed: deployment("replicas: 1", app2),
		since: []step{
			edit("kube-controller-manager", itsDeployment, "{metadata: {annotations: {deployment.kubernetes.io/revision: '1'}}}"),
			editSubresource("status", "kube-controller-manager", itsDeployment, "{status: {observedGeneration: 1, replicas: 1}}"),
		},
		how: serverSide(false), want: refused("ManifestApplyFailed", "conflict"),
	},
	{
		name: "41 server-side apply against kubectl", before: []step{put("kubectl", placedA1)}, placed: placedA2, how: serverSide(false),
		want: refused("ManifestApplyFailed", `conflict with "kubectl"`), after: Marked,
	},
	{
		name: "42 server-side apply with force", before: []step{put("kubectl", placedA1)}, placed: placedA2, how: serverSide(true),
		want: Want{Action: takesOver, Fields: []string{"data.a"}}, after: Has(it, "2", "data", "a"),
	},
	{
		name: "43 an extra label, full comparison", earlier: placedA1, since: []step{edit("kubectl-label", it, "{metadata: {labels: {extra: theirs}}}")},
		placed: placedA1, how: fully(always),
		want: Want{Action: keeps, Drifts: []placement.PatchDetail{patch("/metadata/labels/extra", "theirs", "")}},
	},
	{
		name: "44 an extra label, full comparison, IfNotDrifted", earlier: placedA1, since: []step{edit("kubectl-label", it, "{metadata: {labels: {extra: theirs}}}")},
		placed: placedA1, how: placement.ApplyStrategy{WhenToApply: placement.ApplyIfNotDrifted, ComparisonOption: full}, want: Want{
			Reason: "FoundDrifts", Message: driftsFound + ")",
			Drifts: []placement.PatchDetail{patch("/metadata/labels/extra", "theirs", "")},
		},
	},
	{
		name: "45 removed from the placement", earlier: placedA1 + "\n---\n" + gone, placed: placedA1, object: "gone", want: Want{Action: prunes},
	},
	{
		name: "46 removed from the placement, and another owner", earlier: placedA1 + "\n---\n" + gone,
		since: []step{put("kubectl", theOwner), ownedBy("v1 ConfigMap gone", owner)}, placed: placedA1, object: "gone",
		want: Want{Action: orphans},
	},
	{
		name: "47 removed from the placement while drifted", earlier: placedA1 + "\n---\n" + gone,
		since: []step{edit("kubectl-edit", "v1 ConfigMap gone", "{data: {a: theirs}}")}, placed: placedA1, object: "gone", how: ifNotDrifted,
		want: Want{Action: keeps}, after: Remains("v1 ConfigMap gone"),
	},
	{
		name: "48 placement deleted", earlier: placedA1 + "\n---\n" + gone, since: []step{put("kubectl", theOwner), ownedBy(it, owner)},
		placed: placedA1 + "\n---\n" + gone, how: coOwning(always), want: Want{Action: keeps},
		after: func(c *Case) {
			if _, err := (Request{Name: c.Name, Again: true}).Delete(c.Context(), c.engine); err != nil {
				c.Error(err)
			}
			Removed("v1 ConfigMap gone")(c)
			Unmarked(c)
		},
	},
	{
		name: "49 Service without an address", placed: "{apiVersion: v1, kind: Service, metadata: {name: it}, spec: {type: LoadBalancer, ports: [{port: 80}]}}",
		want: Want{Action: creates}, after: func(c *Case) {
			failed := c.Status.FailedPlacements
			if len(failed) != 1 || failed[0].Condition.Type != placement.Available || failed[0].Condition.Reason != "ManifestNotAvailableYet" {
				c.Errorf("failed placements: %+v", failed)
			}
		},
	},
	{
		name: "50 HorizontalPodAutoscaler", placed: "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: it}, spec: {maxReplicas: 3, " +
			"scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: it}}}",
		want: Want{Action: creates}, after: func(c *Case) {
			if got, _ := c.Status.Condition(placement.Available); got.Status != placement.True || !strings.Contains(got.Reason, "Track") {
				c.Errorf("available: %+v", got)
			}
		},
	},
	{
		name: "52 quantities", before: []step{put("kubectl", quota("1"))}, placed: quota("1000m"), how: takeOver(ifNoDiff),
		want: Want{Action: takesOver, Fields: []string{}},
	},
	{
		name: "52 quantities, full comparison", before: []step{put("kubectl", quota("1"))}, placed: quota("1000m"), how: fully(ifNoDiff), want: Want{
			Reason: "FailedToTakeOver", Message: differencesFound + ")",
			Diffs: []placement.PatchDetail{patch("/spec/hard/cpu", "1", "1000m")},
		},
	},
	{
		name: "52 quantities in a custom resource", before: []step{put("kubectl", widget("cpu: '1'"))}, placed: widget("cpu: 1000m"), how: takeOver(ifNoDiff),
		want: Want{
			Reason: "FailedToTakeOver", Message: differencesFound + ")",
			Diffs: []placement.PatchDetail{patch("/spec/cpu", "1", "1000m")},
		},
	},
}
