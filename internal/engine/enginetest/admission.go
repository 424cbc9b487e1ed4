package enginetest

import "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"

// policies are four admission policies. Each of the first three applies to the namespaces whose label "admission" has the policy's name without "$ns-". The first
// two reject ConfigMaps and Secrets with a key "denied": one with the default reason, Invalid, the other with Forbidden. The third rejects an update after which
// a ConfigMap has labels or owner references and had none before, or the reverse, as a rule against takeovers would. The fourth rejects Namespaces whose names
// end in "-denied".
const policies = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: $ns-invalid}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], resources: [configmaps, secrets], operations: [CREATE, UPDATE]}]}
  validations: [{expression: "!has(object.data) || !('denied' in object.data)", messageExpression: "'the key denied has ' + string(object.data.denied)"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: $ns-invalid}
spec: {policyName: $ns-invalid, validationActions: [Deny], matchResources: {namespaceSelector: {matchLabels: {admission: invalid}}}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: $ns-forbidden}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], resources: [configmaps, secrets], operations: [CREATE, UPDATE]}]}
  validations: [{expression: "!has(object.data) || !('denied' in object.data)", messageExpression: "'the key denied has ' + string(object.data.denied)", reason: Forbidden}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: $ns-forbidden}
spec: {policyName: $ns-forbidden, validationActions: [Deny], matchResources: {namespaceSelector: {matchLabels: {admission: forbidden}}}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: $ns-marks}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], resources: [configmaps], operations: [UPDATE]}]}
  validations: [{expression: "has(object.metadata.labels) == has(oldObject.metadata.labels) && has(object.metadata.ownerReferences) == has(oldObject.metadata.ownerReferences)", message: marks must stay, reason: Forbidden}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: $ns-marks}
spec: {policyName: $ns-marks, validationActions: [Deny], matchResources: {namespaceSelector: {matchLabels: {admission: marks}}}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: $ns-namespaces}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], resources: [namespaces], operations: [CREATE]}]}
  validations: [{expression: "!object.metadata.name.endsWith('-denied')", message: the name is denied, reason: Forbidden}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: $ns-namespaces}
spec: {policyName: $ns-namespaces, validationActions: [Deny]}
`

// mutations write a key and a label into ConfigMaps.
const mutations = `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: $ns-mutating}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], resources: [configmaps], operations: [CREATE, UPDATE]}]}
  failurePolicy: Fail
  reinvocationPolicy: Never
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: "Object{metadata: Object.metadata{labels: {'mutated': 'yes'}}, data: {'a': 'mutated'}}"}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: $ns-mutating}
spec: {policyName: $ns-mutating, matchResources: {namespaceSelector: {matchLabels: {admission: mutating}}}}
`

// Manifests with the key that a policy rejects, and the start of a message.
const (
	denied1 = "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}, data: {denied: \"1\"}}"
	denied2 = "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}, data: {denied: \"2\"}}"

	notCompared = "failed to calculate configuration diffs between the manifest object and the object from the member cluster: failed to apply " +
		"the manifest in dry-run mode: "
)

// denials are the rows and cases in which the API server rejects a write or a dry run, or would reject it.
var denials = []scenario{
	{
		name: "D3-PUT Always, the write that takes over is refused", before: []step{put("kubectl", placedA1), enforce("marks")}, placed: placedA1,
		how: takeOver(always), want: refused("FailedToTakeOver", "marks must stay"), readOnly: takesOver, after: Unmarked,
	},
	{
		name: "D6 by a policy", before: []step{put("kubectl", denied2), enforce("invalid")}, placed: denied1, how: takeOver(ifNoDiff), want: Want{
			Reason: "FailedToTakeOver", Message: differencesFound + degraded + ")",
			Diffs: []placement.PatchDetail{patch("/data/denied", "2", "1")},
		},
	},
	{
		name: "D7 the dry run is refused as invalid, no difference", before: []step{put("kubectl", denied1), enforce("invalid")}, placed: denied1,
		how: takeOver(ifNoDiff), want: refused("ManifestApplyFailed", "the key denied has 1"), readOnly: takesOver, after: Marked,
	},
	{
		name: "D8 the dry run is forbidden", before: []step{put("kubectl", denied2), enforce("forbidden")}, placed: denied1, how: takeOver(ifNoDiff),
		want: refused("FailedToTakeOver", TakeoverFailed+notCompared), after: Unmarked,
	},
	{
		name: "D8 the dry run is forbidden, no difference", before: []step{put("kubectl", denied1), enforce("forbidden")}, placed: denied1,
		how: takeOver(ifNoDiff), want: refused("FailedToTakeOver", TakeoverFailed+notCompared), readOnly: takesOver, after: Unmarked,
	},
	{
		name: "D5 a full comparison makes no dry run", before: []step{put("kubectl", denied2), enforce("forbidden")}, placed: denied1, how: fully(ifNoDiff),
		want: Want{
			Reason: "FailedToTakeOver", Message: differencesFound + ")",
			Diffs: []placement.PatchDetail{patch("/data/denied", "2", "1")},
		},
	},
	{
		name: "D1 the creation is forbidden", before: []step{enforce("forbidden")}, placed: denied1, how: takeOver(always),
		want: refused("ManifestApplyFailed", "the key denied has 1"), readOnly: creates,
	},
	{
		name: "D1 the creation is invalid", before: []step{enforce("invalid")}, placed: denied1, how: serverSide(false),
		want: refused("ManifestApplyFailed", "the key denied has 1"), readOnly: creates,
	},
	{
		name: "D1 in a namespace that is not there", placed: "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, namespace: $ns-absent}}",
		want: refused("ManifestApplyFailed", `namespaces "$ns-absent"`), readOnly: creates,
	},
	{
		name: "D18 the update is forbidden", earlier: placedA1, since: []step{enforce("forbidden")}, placed: denied1,
		want: refused("ManifestApplyFailed", "the key denied has 1"), readOnly: updates,
	},
	{
		name: "D18 an update that restores is forbidden", earlier: placedA1,
		since: []step{edit("kubectl-edit", it, "{data: {a: theirs, denied: theirs}}"), enforce("forbidden")}, placed: placedA1,
		want: refused("ManifestApplyFailed", "the key denied has theirs"), readOnly: updates,
	},
	{
		name: "D18 drifts cannot be found out", earlier: placedA1, how: ifNotDrifted,
		since: []step{edit("kubectl-edit", it, "{data: {a: theirs, denied: theirs}}"), enforce("forbidden")}, placed: placedA1,
		want: refused("FailedToRunDriftDetection", "failed to calculate pre-apply drifts between the manifest and the object from the member "+
			"cluster: failed to apply the manifest in dry-run mode: "), readOnly: drifts,
	},
	{
		name: "D18 drifts in degraded mode", earlier: placedA1, how: ifNotDrifted,
		since: []step{edit("kubectl-edit", it, "{data: {a: theirs, denied: theirs}}"), enforce("invalid")}, placed: placedA1, want: Want{
			Reason: "FoundDriftsInDegradedMode", Message: driftsFound + degraded + ")",
			Drifts: []placement.PatchDetail{patch("/data/a", "theirs", "1"), patch("/data/denied", "theirs", "")},
		},
	},
	{
		name: "R9 the dry run is forbidden", before: []step{put("kubectl", denied2), enforce("forbidden")}, placed: denied1, how: reporting(never),
		want: reported("FailedToReportDiff", "Failed to report the diff between the hub cluster and the member cluster (error = "+notCompared),
	},
	{
		name: "36 a namespace that is denied, and what is in it", before: []step{enableNamePolicy}, placed: "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-denied}}\n---\n" +
			"{apiVersion: v1, kind: ConfigMap, metadata: {name: it, namespace: $ns-denied}}",
		want: refused("ManifestApplyFailed", `namespaces "$ns-denied"`), readOnly: creates,
	},
	{
		name: "36 the namespace itself", before: []step{enableNamePolicy}, placed: "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-denied}}", object: "$ns-denied",
		want: refused("ManifestApplyFailed", "the name is denied"), readOnly: creates,
	},
	{
		name: "51 denied", before: []step{put("kubectl", placedA1), edit("kubectl", it, "{data: {denied: '1'}}"), enforce("forbidden")}, placed: placedA2,
		how: takeOver(ifNoDiff), want: refused("FailedToTakeOver", TakeoverFailed+notCompared),
	},
	{
		name: "Secret quoted by a policy that forbids it", before: []step{put("kubectl", secret("denied", "member-hunter2")), enforce("forbidden")},
		placed: secret("denied", "placed-hunter2"), how: takeOver(always), want: refused("ManifestApplyFailed", "withheld"),
		secrets: []string{"member-hunter2", "placed-hunter2"}, readOnly: takesOver,
	},
	{
		name: "Secret quoted by a policy in a dry run", before: []step{put("kubectl", secret("denied", "member-hunter2")), enforce("forbidden")},
		placed: secret("denied", "placed-hunter2"), how: takeOver(ifNoDiff), want: refused("FailedToTakeOver", "withheld"),
		secrets: []string{"member-hunter2", "placed-hunter2"},
	},
	{
		name: "Secret quoted by a policy that finds it invalid", before: []step{enforce("invalid")}, placed: secret("denied", "placed-hunter2"),
		want: refused("ManifestApplyFailed", "withheld"), secrets: []string{"placed-hunter2"}, readOnly: creates,
	},
}

// mutated are the cases in which an admission policy changes the written object.
var mutated = []scenario{
	{
		name: "a mutation makes the manifest equal to the live object", before: []step{enforce("mutating"), put("kubectl", theirsA2)}, placed: placedA1,
		how: takeOver(ifNoDiff), want: Want{Action: takesOver, Fields: []string{}}, readOnly: leaves, altered: true,
		after: Has(it, "mutated", "data", "a"),
	},
	{
		name: "a mutation adds a field that the live object does not have", before: []step{put("kubectl", "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}}"), enforce("mutating")},
		placed: "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}}", how: takeOver(ifNoDiff), want: Want{
			Reason: "FailedToTakeOver", Message: differencesFound + ")",
			Diffs: []placement.PatchDetail{patch("/data", "", "map[a:mutated]"), patch("/metadata/labels/mutated", "", "yes")},
		},
		readOnly: takesOver,
	},
	{
		name: "a rule changes what is created", before: []step{enforce("mutating")}, placed: placedA1, how: takeOver(always),
		want: Want{Action: creates}, altered: true, after: Has(it, "mutated", "data", "a"),
	},
}
