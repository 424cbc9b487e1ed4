package takeover

import (
	"context"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// policies refuse ConfigMaps and Secrets with a key "denied", each in the namespaces with its name as the label "admission"; the first with
// the reason that is the default, Invalid, and the second as forbidden. The third refuses every change of labels, as a rule that wants
// nobody to take objects over would, and the fourth namespaces of a name.
const policies = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: takeover-invalid}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], resources: [configmaps, secrets], operations: [CREATE, UPDATE]}]}
  validations: [{expression: "!has(object.data) || !('denied' in object.data)", messageExpression: "'the key denied has ' + string(object.data.denied)"}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: takeover-invalid}
spec: {policyName: takeover-invalid, validationActions: [Deny], matchResources: {namespaceSelector: {matchLabels: {admission: invalid}}}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: takeover-forbidden}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], resources: [configmaps, secrets], operations: [CREATE, UPDATE]}]}
  validations: [{expression: "!has(object.data) || !('denied' in object.data)", messageExpression: "'the key denied has ' + string(object.data.denied)", reason: Forbidden}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: takeover-forbidden}
spec: {policyName: takeover-forbidden, validationActions: [Deny], matchResources: {namespaceSelector: {matchLabels: {admission: forbidden}}}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: takeover-labels}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], resources: [configmaps], operations: [UPDATE]}]}
  validations: [{expression: "has(object.metadata.labels) == has(oldObject.metadata.labels)", message: labels must stay, reason: Forbidden}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: takeover-labels}
spec: {policyName: takeover-labels, validationActions: [Deny], matchResources: {namespaceSelector: {matchLabels: {admission: labels}}}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: takeover-namespaces}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], resources: [namespaces], operations: [CREATE]}]}
  validations: [{expression: "!object.metadata.name.endsWith('-denied')", message: the name is denied, reason: Forbidden}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: takeover-namespaces}
spec: {policyName: takeover-namespaces, validationActions: [Deny]}
`

// mutations write a key and a label into ConfigMaps.
const mutations = `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: takeover-mutating}
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
metadata: {name: takeover-mutating}
spec: {policyName: takeover-mutating, matchResources: {namespaceSelector: {matchLabels: {admission: mutating}}}}
`

// Placed objects that a policy refuses, or not.
const (
	denied1 = "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}, data: {denied: \"1\"}}"
	denied2 = "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}, data: {denied: \"2\"}}"

	notCompared = "failed to calculate configuration diffs between the manifest object and the object from the member cluster: failed to apply " +
		"the manifest in dry-run mode: "
)

// under lets a policy look at what is written to the case's namespace from now on.
func under(policy string) step {
	return func(w *world) {
		w.Helper()
		edit("kubectl-label", "v1 Namespace $ns", "{metadata: {labels: {admission: "+policy+"}}}")(w)
		probe := w.objects("{apiVersion: v1, kind: ConfigMap, metadata: {name: probe}, data: {denied: probe}}")[0]
		effective := func() bool {
			stored, err := w.past.Create(w.Context(), probe, kube.WriteOptions{DryRun: true})
			return err != nil || stored.GetLabels()["mutated"] != ""
		}
		if policy == "labels" {
			put("kubectl", "{apiVersion: v1, kind: ConfigMap, metadata: {name: probe}}")(w)
			effective = func() bool {
				_, err := w.past.Patch(w.Context(), w.ref("v1 ConfigMap probe"), "application/merge-patch+json",
					[]byte(`{"metadata":{"labels":{"a":"b"}}}`), kube.WriteOptions{DryRun: true})
				return err != nil
			}
		}
		for deadline := time.Now().Add(30 * time.Second); !effective(); time.Sleep(50 * time.Millisecond) {
			if time.Now().After(deadline) {
				w.Fatalf("the policy %q is not effective", policy)
			}
		}
	}
}

// denials are the rows and cases for which something must be refused by an admission rule.
var denials = []scenario{
	{
		name: "D3-PUT Always, the write that takes over is refused", before: []step{put("kubectl", placedA1), under("labels")}, placed: placedA1,
		how: takeOver(always), want: refused("ManifestApplyFailed", "labels must stay"), readOnly: engine.ActionTakeOver, after: unmarked,
		differs: "taking over and applying are one write, so that the reason is that of a failed apply and not FailedToTakeOver",
	},
	{
		name: "D6 by a policy", before: []step{put("kubectl", denied2), under("invalid")}, placed: denied1, how: takeOver(ifNoDiff), want: want{
			action: engine.ActionRefuse, reason: "FailedToTakeOver", message: differencesFound + degraded + ")",
			diffs: []placement.PatchDetail{patch("/data/denied", "2", "1")},
		},
	},
	{
		name: "D7 the dry run is refused as invalid, no difference", before: []step{put("kubectl", denied1), under("invalid")}, placed: denied1,
		how: takeOver(ifNoDiff), want: refused("ManifestApplyFailed", "the key denied has 1"), readOnly: engine.ActionTakeOver, after: unmarked,
		differs: "a takeover that fails leaves nothing behind, see D3-422",
	},
	{
		name: "D8 the dry run is forbidden", before: []step{put("kubectl", denied2), under("forbidden")}, placed: denied1, how: takeOver(ifNoDiff),
		want: refused("FailedToTakeOver", takeoverFailed+notCompared), after: unmarked,
	},
	{
		name: "D8 the dry run is forbidden, no difference", before: []step{put("kubectl", denied1), under("forbidden")}, placed: denied1,
		how: takeOver(ifNoDiff), want: refused("FailedToTakeOver", takeoverFailed+notCompared), readOnly: engine.ActionTakeOver, after: unmarked,
	},
	{
		name: "D5 a full comparison makes no dry run", before: []step{put("kubectl", denied2), under("forbidden")}, placed: denied1, how: fully(ifNoDiff),
		want: want{
			action: engine.ActionRefuse, reason: "FailedToTakeOver", message: differencesFound + ")",
			diffs: []placement.PatchDetail{patch("/data/denied", "2", "1")},
		},
	},
	{
		name: "D1 the creation is forbidden", before: []step{under("forbidden")}, placed: denied1, how: takeOver(always),
		want: refused("ManifestApplyFailed", "the key denied has 1"), readOnly: engine.ActionCreate,
	},
	{
		name: "D1 the creation is invalid", before: []step{under("invalid")}, placed: denied1, how: serverSide(always, false),
		want: refused("ManifestApplyFailed", "the key denied has 1"), readOnly: engine.ActionCreate,
	},
	{
		name: "D1 in a namespace that is not there", placed: "{apiVersion: v1, kind: ConfigMap, metadata: {name: it, namespace: $ns-absent}}",
		want: refused("ManifestApplyFailed", `namespaces "$ns-absent" does not exist (404)`), readOnly: engine.ActionCreate,
	},
	{
		name: "D18 the update is forbidden", earlier: placedA1, since: []step{under("forbidden")}, placed: denied1,
		want: refused("ManifestApplyFailed", "the key denied has 1"), readOnly: engine.ActionUpdate,
	},
	{
		name: "D18 an update that restores is forbidden", earlier: placedA1,
		since: []step{edit("kubectl-edit", it, "{data: {a: theirs, denied: theirs}}"), under("forbidden")}, placed: placedA1,
		want: refused("ManifestApplyFailed", "the key denied has theirs"), readOnly: engine.ActionUpdate,
	},
	{
		name: "D18 drifts cannot be found out", earlier: placedA1, how: ifNotDrifted,
		since: []step{edit("kubectl-edit", it, "{data: {a: theirs, denied: theirs}}"), under("forbidden")}, placed: placedA1,
		want: refused("FailedToRunDriftDetection", "failed to calculate pre-apply drifts between the manifest and the object from the member "+
			"cluster: failed to apply the manifest in dry-run mode: "),
	},
	{
		name: "D18 drifts in degraded mode", earlier: placedA1, how: ifNotDrifted,
		since: []step{edit("kubectl-edit", it, "{data: {a: theirs, denied: theirs}}"), under("invalid")}, placed: placedA1, want: want{
			action: engine.ActionRefuse, reason: "FoundDriftsInDegradedMode", message: driftsFound + degraded + ")",
			drifts: []placement.PatchDetail{patch("/data/a", "theirs", "1"), patch("/data/denied", "theirs", "")},
		},
	},
	{
		name: "R9 the dry run is forbidden", before: []step{put("kubectl", denied2), under("forbidden")}, placed: denied1, how: reporting(never),
		want: reported("FailedToReportDiff", "Failed to report the diff between the hub cluster and the member cluster (error = "+notCompared),
	},
	{
		name: "36 a namespace that is denied, and what is in it", placed: "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-denied}}\n---\n" +
			"{apiVersion: v1, kind: ConfigMap, metadata: {name: it, namespace: $ns-denied}}",
		want: refused("ManifestApplyFailed", `namespaces "$ns-denied" does not exist (404)`), readOnly: engine.ActionCreate,
	},
	{
		name: "36 the namespace itself", placed: "{apiVersion: v1, kind: Namespace, metadata: {name: $ns-denied}}", object: "$ns-denied",
		want: refused("ManifestApplyFailed", "the name is denied"), readOnly: engine.ActionCreate,
	},
	{
		name: "51 denied", before: []step{put("kubectl", placedA1), edit("kubectl", it, "{data: {denied: '1'}}"), under("forbidden")}, placed: placedA2,
		how: takeOver(ifNoDiff), want: refused("FailedToTakeOver", takeoverFailed+notCompared),
	},
	{
		name: "Secret quoted by a policy that forbids it", before: []step{put("kubectl", secret("denied", "member-hunter2")), under("forbidden")},
		placed: secret("denied", "placed-hunter2"), how: takeOver(always), want: refused("ManifestApplyFailed", "withheld"),
		secrets: []string{"member-hunter2", "placed-hunter2"}, readOnly: engine.ActionTakeOver,
	},
	{
		name: "Secret quoted by a policy in a dry run", before: []step{put("kubectl", secret("denied", "member-hunter2")), under("forbidden")},
		placed: secret("denied", "placed-hunter2"), how: takeOver(ifNoDiff), want: refused("FailedToTakeOver", "withheld"),
		secrets: []string{"member-hunter2", "placed-hunter2"},
	},
	{
		name: "Secret quoted by a policy that finds it invalid", before: []step{under("invalid")}, placed: secret("denied", "placed-hunter2"),
		want: refused("ManifestApplyFailed", "withheld"), secrets: []string{"placed-hunter2"}, readOnly: engine.ActionCreate,
	},
}

// mutated are cases in which an admission rule changes what is written.
var mutated = []scenario{
	{
		name: "a rule makes of the manifest what the member has", before: []step{under("mutating"), put("kubectl", theirsA2)}, placed: placedA1,
		how: takeOver(ifNoDiff), want: want{action: engine.ActionTakeOver, fields: []string{}}, readOnly: engine.ActionRefuse, altered: true,
		after: has(it, "mutated", "data", "a"),
	},
	{
		name: "a rule adds what the member does not have", before: []step{put("kubectl", "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}}"), under("mutating")},
		placed: "{apiVersion: v1, kind: ConfigMap, metadata: {name: it}}", how: takeOver(ifNoDiff), want: want{
			action: engine.ActionRefuse, reason: "FailedToTakeOver", message: differencesFound + ")",
			diffs: []placement.PatchDetail{patch("/data", "", "map[a:mutated]"), patch("/metadata/labels/mutated", "", "yes")},
		},
		readOnly: engine.ActionTakeOver,
	},
	{
		name: "a rule changes what is created", before: []step{under("mutating")}, placed: placedA1, how: takeOver(always),
		want: want{action: engine.ActionCreate}, altered: true, after: has(it, "mutated", "data", "a"),
	},
}

// The policies are there for these cases only: nothing else runs meanwhile.
func TestAdmission(t *testing.T) {
	clusters.Need(t, env)
	shared, err := prepare()
	if err != nil {
		t.Fatal(err)
	}
	scenarios := denials
	text := policies
	if _, err := shared.past.Resolve(t.Context(), refOf("admissionregistration.k8s.io/v1 MutatingAdmissionPolicy").GVK); err == nil {
		scenarios, text = append(scenarios, mutated...), text+"\n---\n"+mutations
	} else {
		t.Log("the API server has no MutatingAdmissionPolicy: ", err)
	}
	for _, policy := range documents(text) {
		stored, err := shared.past.Create(t.Context(), policy, kube.WriteOptions{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := shared.past.Delete(context.Background(), kube.RefOf(stored), stored.GetUID(), ""); err != nil {
				t.Error(err)
			}
		})
	}
	run(t, scenarios)
}
