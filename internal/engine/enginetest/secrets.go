package enginetest

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

func encoded(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// secret returns a Secret with a value, and with copies of the value in the annotations that tools add.
func secret(key, value string) string {
	return fmt.Sprintf(`
apiVersion: v1
kind: Secret
metadata:
  name: it
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: '{"data":{%[1]q:%[3]q}}'
    example.com/last-applied: '{"stringData":{%[1]q:%[2]q}}'
    example.com/copy: %[2]s
data: {%[1]s: %[3]s}
`, key, value, encoded(value))
}

// secretText returns a Secret with a value in stringData.
func secretText(value string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: Secret, metadata: {name: it}, stringData: {k: %s}}", value)
}

const (
	placedValue = "placed-hunter2"
	memberValue = "member-hunter2"
	itsSecret   = "v1 Secret it"
)

var (
	theirSecret = put("kubectl", secret("k", memberValue))
	bothValues  = []string{placedValue, memberValue}
	secretDiffs = []placement.PatchDetail{
		patch("/data/k", redacted, redacted), patch("/metadata/annotations/example.com~1copy", redacted, redacted),
		patch("/metadata/annotations/example.com~1last-applied", redacted, redacted),
	}
)

// overridden returns a Secret with one key in stringData and in data: an API server stores the value of stringData.
func overridden(value string) string {
	return "{apiVersion: v1, kind: Secret, metadata: {name: it}, stringData: {k: " + value + "}, data: {k: " + notStored + "}}"
}

const notStored = "bm90IHN0b3JlZA=="

// secrets are cases in which a message, a difference or an error could contain a Secret's values.
var secrets = []scenario{
	{
		name: "Always", before: []step{theirSecret}, placed: secret("k", placedValue), how: takeOver(always), want: Want{Action: takesOver},
		secrets: bothValues,
	},
	{
		name: "IfNoDiff", before: []step{theirSecret}, placed: secret("k", placedValue), how: takeOver(ifNoDiff), secrets: bothValues,
		want: Want{Reason: "FailedToTakeOver", Message: differencesFound + ")", Diffs: secretDiffs},
	},
	{
		name: "IfNoDiff, full comparison with stringData", before: []step{put("kubectl", secretText(memberValue))},
		placed: secretText(placedValue), how: fully(ifNoDiff), secrets: bothValues,
		want: Want{
			Reason: "FailedToTakeOver", Message: differencesFound + ")",
			Diffs: []placement.PatchDetail{patch("/data/k", redacted, redacted), patch("/type", "Opaque", "")},
		},
	},
	{
		name: "Never", before: []step{theirSecret}, placed: secretText(placedValue), how: takeOver(never), secrets: bothValues,
		want: Want{Reason: "NotTakenOver", Message: needsTakeover, Fields: []string{"data.k"}},
	},
	{
		name: "ReportDiff", before: []step{theirSecret}, placed: secret("k", placedValue), how: reporting(never), secrets: bothValues,
		want: reported("FoundDiff", foundDiff, secretDiffs...),
	},
	{
		name: "drifted", earlier: secretText(placedValue), since: []step{edit("kubectl-edit", itsSecret, "{stringData: {k: "+memberValue+"}}")},
		placed: secretText(placedValue), how: ifNotDrifted, secrets: bothValues, want: Want{
			Reason: "FoundDrifts", Message: driftsFound + ")", Drifts: []placement.PatchDetail{patch("/data/k", redacted, redacted)},
		},
	},
	{
		name: "full comparison after the apply", earlier: secretText(placedValue),
		since:  []step{edit("kubectl-edit", itsSecret, "{stringData: {extra: "+memberValue+"}}")},
		placed: secretText(placedValue), how: fully(always), secrets: bothValues, want: Want{
			Action: keeps,
			Drifts: []placement.PatchDetail{patch("/data/extra", redacted, ""), patch("/type", "Opaque", "")},
		},
	},
	{
		name: "stringData over data, unchanged", earlier: overridden(placedValue), placed: overridden(placedValue), secrets: bothValues,
		want: Want{Action: keeps, Fields: []string{}},
	},
	{
		name: "stringData over data, unchanged under server-side apply", earlier: overridden(placedValue), placed: overridden(placedValue), how: serverSide(false),
		secrets: bothValues, want: Want{Action: keeps, Fields: []string{}},
	},
	{
		name: "stringData over data that changes", earlier: strings.ReplaceAll(overridden(placedValue), notStored, encoded(memberValue)), placed: overridden(placedValue),
		secrets: bothValues, want: Want{Action: updates, Fields: []string{}}, after: Has(itsSecret, encoded(placedValue), "data", "k"),
	},
	{
		name: "stringData over data, changed", earlier: overridden(memberValue), placed: overridden(placedValue), secrets: bothValues,
		want: Want{Action: updates, Fields: []string{"data.k"}}, after: Has(itsSecret, encoded(placedValue), "data", "k"),
	},
	{
		name: "stringData over data, removed", earlier: overridden(memberValue),
		placed:  "{apiVersion: v1, kind: Secret, metadata: {name: it}, data: {k: " + notStored + "}}",
		secrets: []string{memberValue}, want: Want{Action: updates, Fields: []string{"data.k"}}, after: Has(itsSecret, notStored, "data", "k"),
	},
	{
		name: "immutable", before: []step{put("kubectl", "{apiVersion: v1, kind: Secret, metadata: {name: it}, immutable: true, stringData: {k: "+memberValue+"}}")},
		placed: "{apiVersion: v1, kind: Secret, metadata: {name: it}, immutable: true, stringData: {k: " + placedValue + "}}", secrets: bothValues,
		want: refused("ManifestApplyFailed", "Invalid at data"),
	},
	{
		name: "server-side apply against kubectl", before: []step{theirSecret}, placed: secret("k", placedValue), how: serverSide(false),
		secrets: bothValues, want: refused("ManifestApplyFailed", `"kubectl" owns .data.k`),
	},
	{
		name: "not base64", placed: "{apiVersion: v1, kind: Secret, metadata: {name: it}, data: {k: \"" + placedValue + "!\"}}", secrets: bothValues,
		want: refused("ManifestApplyFailed", "withheld"), readOnly: creates,
	},
	{
		name: "not base64, taken over", before: []step{theirSecret}, placed: "{apiVersion: v1, kind: Secret, metadata: {name: it}, data: {k: \"" + placedValue + "!\"}}",
		secrets: bothValues, how: takeOver(ifNoDiff), want: refused("FailedToTakeOver", "withheld"),
	},
}
