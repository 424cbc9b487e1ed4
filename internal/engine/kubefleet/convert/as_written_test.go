package convert

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	clusterv1beta1 "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// storedPlacement is a minimal placement as a hub with webhooks stores it.
const storedPlacement = `
resourceSelectors: [{group: "", version: v1, kind: Namespace, name: web, selectionScope: NamespaceWithResources}]
policy: {placementType: PickAll}
strategy:
  type: RollingUpdate
  rollingUpdate: {maxUnavailable: 25%, maxSurge: 25%, unavailablePeriodSeconds: 60}
  applyStrategy: {type: ClientSideApply, comparisonOption: PartialComparison, whenToApply: Always, whenToTakeOver: Always}
revisionHistoryLimit: 10
statusReportingScope: ClusterScopeOnly
`

func TestPlacementAsWritten(t *testing.T) {
	minimal := `resourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}]`
	tests := map[string]struct{ stored, written, want string }{
		"minimal":                   {storedPlacement, minimal, minimal},
		"import":                    {storedPlacement, `{}`, minimal},
		"all written":               {storedPlacement, storedPlacement, storedPlacement},
		"no webhooks":               {minimal + "\nrevisionHistoryLimit: 10", minimal, minimal},
		"changed by another client": {storedPlacement, minimal + "\nrevisionHistoryLimit: 5", minimal + "\nrevisionHistoryLimit: 10"},
		"added by another client": {
			minimal + "\npolicy: {placementType: PickN, numberOfClusters: 2, tolerations: [{key: a, operator: Equal}, {operator: Exists}]}", minimal,
			minimal + "\npolicy: {placementType: PickN, numberOfClusters: 2, tolerations: [{key: a}, {operator: Exists}]}",
		},
		"removed by another client": {minimal, minimal + "\nrevisionHistoryLimit: 5\nstrategy: {applyStrategy: {whenToTakeOver: Never}}",
			minimal},
		"one selector more": {
			`resourceSelectors: [{group: "", version: v1, kind: Namespace, name: web, selectionScope: NamespaceWithResources},
				{group: "", version: v1, kind: Namespace, name: more, selectionScope: NamespaceOnly}]`,
			minimal,
			minimal[:len(minimal)-1] + `, {group: "", version: v1, kind: Namespace, name: more, selectionScope: NamespaceOnly}]`,
		},
		"one selector of two changed": {
			`resourceSelectors: [{group: "", version: v1, kind: Namespace, name: a, selectionScope: NamespaceWithResources},
				{group: "", version: v1, kind: Namespace, name: c, selectionScope: NamespaceWithResources}]`,
			`resourceSelectors: [{group: "", version: v1, kind: Namespace, name: a}, {group: "", version: v1, kind: Namespace, name: b}]`,
			`resourceSelectors: [{group: "", version: v1, kind: Namespace, name: a}, {group: "", version: v1, kind: Namespace, name: c}]`,
		},
		"false and empty are dropped by webhooks": {
			storedPlacement, minimal + "\npolicy: {tolerations: []}\nstrategy: {applyStrategy: {allowCoOwnership: false}}",
			minimal + "\npolicy: {tolerations: []}\nstrategy: {applyStrategy: {allowCoOwnership: false}}",
		},
		"server-side apply, import": {
			minimal + "\nstrategy: {applyStrategy: {type: ServerSideApply, serverSideApplyConfig: {force: false}}}", `{}`,
			minimal + "\nstrategy: {applyStrategy: {type: ServerSideApply}}",
		},
		"numbers": {
			minimal + "\nstrategy: {rollingUpdate: {maxUnavailable: 2, maxSurge: 25%}}", minimal + "\nstrategy: {rollingUpdate: {maxUnavailable: '02'}}",
			minimal + "\nstrategy: {rollingUpdate: {maxUnavailable: '02'}}",
		},
		"what a hub does not keep": {
			minimal + "\nstrategy: {deleteStrategy: {propagationPolicy: Delete}}", minimal + "\nstrategy: {deleteStrategy: {contents: Delete}}",
			minimal + "\nstrategy: {deleteStrategy: {contents: Delete}}",
		},
		"pruned by v1": {storedPlacement, minimal + "\nstrategy: {deleteStrategy: {propagationPolicy: Abandon}}",
			minimal + "\nstrategy: {}"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			stored := ToPlacementSpec(parse[v1beta1.PlacementSpec](t, test.stored))
			got, err := PlacementAsWritten(stored, parse[placement.Spec](t, test.written))
			if diff := cmp.Diff(parse[placement.Spec](t, test.want), got); diff != "" || err != nil {
				t.Error(err, diff)
			}
		})
	}
}

func TestOverrideAsWritten(t *testing.T) {
	written := `
placement: {name: web}
clusterResourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}]
policy: {overrideRules: [{clusterSelector: {clusterSelectorTerms: []}, jsonPatchOverrides: [{op: add, path: /a, value: {b: 1.0}}]}]}`
	stored := `
placement: {name: web, scope: Cluster}
clusterResourceSelectors: [{group: "", version: v1, kind: Namespace, name: web, selectionScope: NamespaceWithResources}]
policy: {overrideRules: [{overrideType: JSONPatch, clusterSelector: {clusterSelectorTerms: []}, jsonPatchOverrides: [{op: add, path: /a, value: {b: 1}}]}]}`
	for name, test := range map[string]struct{ stored, written, want string }{
		"same":   {stored, written, written},
		"import": {stored, `{}`, written},
		"another selector": {
			`policy: {overrideRules: [{overrideType: JSONPatch, clusterSelector: {clusterSelectorTerms: []}}]}`, `policy: {overrideRules: [{}]}`,
			`policy: {overrideRules: [{clusterSelector: {clusterSelectorTerms: []}}]}`,
		},
		"another value": {
			`policy: {overrideRules: [{jsonPatchOverrides: [{op: add, path: /a, value: [2]}]}]}`,
			`policy: {overrideRules: [{jsonPatchOverrides: [{op: add, path: /a, value: [1]}]}]}`,
			`policy: {overrideRules: [{jsonPatchOverrides: [{op: add, path: /a, value: [2]}]}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ClusterOverrideAsWritten(ToClusterOverride(parse[v1beta1.ClusterResourceOverrideSpec](t, test.stored)),
				parse[override.ClusterSpec](t, test.written))
			if err != nil {
				t.Fatal(err)
			}
			// Compare the JSON, because a number can be written in two ways.
			want, err := codec.Tree(parse[override.ClusterSpec](t, test.want))
			if err != nil {
				t.Fatal(err)
			}
			is, err := codec.Tree(got)
			if diff := cmp.Diff(want, is); diff != "" || err != nil {
				t.Error(err, diff)
			}
		})
	}
}

func TestMemberAsWritten(t *testing.T) {
	stored := ToMember(parse[clusterv1beta1.MemberCluster](t, `
metadata:
  name: member-1
  labels: {region: east, kubernetes-fleet.io/member-name: member-1, fleet.azure.com/location: eastus, operator: x}
  annotations: {fleet.azure.com/cluster-resource-id: /subscriptions/x, note: a}
spec:
  identity: {kind: ServiceAccount, name: a, namespace: fleet-system, apiGroup: ""}
  heartbeatPeriodSeconds: 60
  deleteOptions: {validationMode: Strict}`))
	identity := &member.Identity{Kind: member.ServiceAccount, Name: "a", Namespace: "fleet-system"}
	for name, test := range map[string]struct {
		written *member.Spec
		want    member.Spec
	}{
		"import": {nil, member.Spec{
			Name: "member-1", Labels: map[string]string{"region": "east", "operator": "x"}, Annotations: map[string]string{"note": "a"}, Identity: identity,
		}},
		"only what is configured": {
			&member.Spec{Name: "member-1", Labels: map[string]string{"region": "east"}, Identity: identity},
			member.Spec{Name: "member-1", Labels: map[string]string{"region": "east"}, Identity: identity},
		},
		"drift": {
			&member.Spec{Name: "member-1", Labels: map[string]string{"region": "west", "gone": "x"}, HeartbeatPeriodSeconds: new(int32(15)), Identity: identity},
			member.Spec{Name: "member-1", Labels: map[string]string{"region": "east"}, HeartbeatPeriodSeconds: new(int32(60)), Identity: identity},
		},
		"what a hub does not keep": {
			&member.Spec{Name: "member-1", DeleteOptions: &member.DeleteOptions{OnUnreachable: member.FailUnreachable}, Identity: identity},
			member.Spec{Name: "member-1", DeleteOptions: &member.DeleteOptions{OnUnreachable: member.FailUnreachable}, Identity: identity},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := MemberAsWritten(stored, test.written)
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
				t.Error(err, diff)
			}
		})
	}
}

func parse[T any](t *testing.T, text string) T {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var out T
	if err := json.Unmarshal(data, &out); err != nil {
		t.Fatal(err)
	}
	return out
}
