package enginetest

import (
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// readers are cases in which the existing object shows whether an API server rejects a write. A preview with read-only credentials predicts the same as one with
// an administrator's credentials.
var readers = []scenario{
	frozen("a Deployment's selector", deployment("", app1),
		"{apiVersion: apps/v1, kind: Deployment, metadata: {name: it}, spec: {selector: {matchLabels: {app: other}}, "+
			"template: {metadata: {labels: {app: other}}, spec: {"+itsApp+"}}}}", "field is immutable"),
	frozen("a StatefulSet's service", statefulSet("serviceName: a"), statefulSet("serviceName: b"), "are forbidden"),
	frozen("a Job's template", job(1, "app:1"), job(1, "app:2"), "field is immutable"),
	frozen("a Service's address", service("selector: {a: b}"), service("clusterIP: None"), "may not change once set"),
	frozen("a claim's access modes", volumeClaim("ReadWriteOnce"), volumeClaim("ReadWriteMany"), "spec is immutable after creation"),
	frozen("a binding's role", binding("a"), binding("b"), "cannot change roleRef"),
	frozen("a Secret's type", "{apiVersion: v1, kind: Secret, metadata: {name: it}, type: example.com/a}",
		"{apiVersion: v1, kind: Secret, metadata: {name: it}, type: example.com/b}", "Invalid at type"),
	{
		name: "a field of another manager under server-side apply", before: []step{put("kubectl", configMap("b: theirs"))},
		earlier: placedA1, earlierHow: new(serverSide(false)), since: []step{edit("kubectl-edit", it, "{data: {a: theirs}}")},
		placed: placedA2, how: serverSide(false), want: refused("ManifestApplyFailed", `"kubectl-edit"`),
	},
	{
		name: "a field that another manager has scaled under server-side apply", earlier: deployment("replicas: 1", app1),
		earlierHow: new(serverSide(false)), since: []step{scaled(3)}, placed: deployment("replicas: 2", app1), how: serverSide(false),
		want: refused("ManifestApplyFailed", "through scale"),
	},
	{
		name: "a field beside another manager's under server-side apply", earlier: placedA1, earlierHow: new(serverSide(false)),
		since:  []step{edit("kubectl-edit", it, "{data: {b: theirs}}")},
		placed: placedA2, how: serverSide(false), want: Want{Action: updates, Fields: []string{"data.a"}},
	},
	{
		name: "the value that another manager has set under server-side apply", before: []step{put("kubectl", theirsA2)},
		placed: placedA2, how: serverSide(false), want: Want{Action: takesOver, Fields: []string{}},
	},
	{
		name: "a Job whose selector has no labels is taken over", before: []step{put("kubectl", job(1, "app:1"))},
		placed: selecting(job(1, "app:1")), how: takeOver(always), want: Want{Action: takesOver}, inspect: differsIn(), altered: true,
	},
	{
		name: "a Job whose selector has no labels is updated", earlier: selecting(job(1, "app:1")),
		placed: selecting(job(1, "app:1")) + "  parallelism: 2\n", how: takeOver(always), want: Want{Action: updates},
		inspect: differsIn("spec.parallelism"), altered: true,
	},
	{
		name: "IfNoDiff, a field that cannot be changed", before: []step{put("kubectl", binding("a"))}, placed: binding("b"), how: takeOver(ifNoDiff),
		want: Want{
			Reason: "FailedToTakeOver", Message: differencesFound + degraded + ")",
			Diffs: []placement.PatchDetail{patch("/roleRef/name", "a", "b")},
		},
		inspect: func(c *Case, predicted engine.ObjectPreview) {
			c.Helper()
			if predicted.Obstacle != takeover.ObstacleDegradedDifferences {
				c.Errorf("obstacle: %s", predicted.Obstacle)
			}
		},
	},
}

// selecting returns a Job with a selector from which the labels of the hub were stripped.
func selecting(job string) string { return job + "  selector: {matchLabels: {}}\n" }

// differsIn returns a check that a preview has exactly these differences.
func differsIn(fields ...string) func(*Case, engine.ObjectPreview) {
	return func(c *Case, preview engine.ObjectPreview) {
		c.Helper()
		if got := fieldsOf(preview); !slices.Equal(got, fields) {
			c.Errorf("differences: %v, want %v", got, fields)
		}
	}
}

// frozen returns the case of an immutable field.
func frozen(what, onMember, placed, message string) scenario {
	return scenario{
		name: what + " cannot be changed", before: []step{put("kubectl", onMember)}, placed: placed, how: takeOver(always),
		want: refused("ManifestApplyFailed", message),
	}
}

func statefulSet(fields string) string {
	return "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: it}, spec: {replicas: 0, " + fields + ", selector: {matchLabels: {app: it}}, " +
		"template: {metadata: {labels: {app: it}}, spec: {" + itsApp + "}}}}"
}

func volumeClaim(mode string) string {
	return "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: it}, spec: {storageClassName: '', accessModes: [" + mode +
		"], resources: {requests: {storage: 1Gi}}}}"
}

func binding(role string) string {
	return "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: it}, " +
		"roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: " + role + "}}"
}
