package convert

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

const imported = `
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterResourcePlacement
metadata:
  name: web
  labels: {mine: a, theirs: b}
  managedFields:
    - manager: hubagent
      operation: Update
      fieldsV1: {f:spec: {f:revisionHistoryLimit: {}}}
    - manager: ours
      operation: Apply
      fieldsV1:
        f:metadata: {f:labels: {f:mine: {}}}
        f:spec:
          f:resourceSelectors: {}
          f:policy: {f:placementType: {}, f:gone: {}}
          f:strategy: {f:applyStrategy: {f:type: {}}}
spec:
  resourceSelectors: [{group: "", version: v1, kind: Namespace, name: web, selectionScope: NamespaceWithResources}]
  policy: {placementType: PickAll}
  strategy:
    type: RollingUpdate
    rollingUpdate: {maxUnavailable: 25%, maxSurge: 25%, unavailablePeriodSeconds: 60}
    applyStrategy: {type: ClientSideApply, comparisonOption: PartialComparison, whenToApply: Always, whenToTakeOver: Always}
  revisionHistoryLimit: 5
`

// TestImportedPlacement checks that an import has the notation of the author, including explicit defaults, and the later changes by others.
func TestImportedPlacement(t *testing.T) {
	u := &unstructured.Unstructured{Object: parse[map[string]any](t, imported)}
	is := func(manager, want string) {
		t.Helper()
		got, err := ImportedPlacement(u, manager)
		if diff := cmp.Diff(parse[placement.Spec](t, want), got); diff != "" || err != nil {
			t.Error(err, diff)
		}
	}
	selectors := `resourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}]`
	is("ours", selectors+"\npolicy: {placementType: PickAll}\nstrategy: {applyStrategy: {type: ClientSideApply}}\nrevisionHistoryLimit: 5")
	is("somebody", selectors+"\nrevisionHistoryLimit: 5")
	u.SetAnnotations(map[string]string{lastApplied: `{"spec":{"statusReportingScope":"ClusterScopeOnly","strategy":{"type":"RollingUpdate"}}}`})
	is("somebody", selectors+"\nstrategy: {type: RollingUpdate}\nrevisionHistoryLimit: 5\nstatusReportingScope: ClusterScopeOnly")
	u.SetAnnotations(map[string]string{lastApplied: `not JSON`})
	is("somebody", selectors+"\nrevisionHistoryLimit: 5")
}

func TestImportedOverrides(t *testing.T) {
	u := &unstructured.Unstructured{Object: parse[map[string]any](t, `
metadata:
  managedFields: [{manager: ours, operation: Apply, fieldsV1: {f:spec: {f:placement: {f:name: {}, f:scope: {}}, f:policy: {f:overrideRules: {}}}}}]
spec: {placement: {name: web, scope: Cluster}, policy: {overrideRules: [{overrideType: JSONPatch}]}}`)}
	for manager, scope := range map[string]override.Scope{"ours": override.ClusterScope, "somebody": ""} {
		want := override.Spec{Placement: &override.PlacementReference{Name: "web", Scope: scope}, Policy: &override.Policy{OverrideRules: []override.Rule{{}}}}
		got, err := ImportedOverride(u, manager)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Error(err, diff)
		}
		cluster, err := ImportedClusterOverride(u, manager)
		if diff := cmp.Diff(override.ClusterSpec{Placement: want.Placement, Policy: want.Policy}, cluster); diff != "" || err != nil {
			t.Error(err, diff)
		}
	}
}

func TestImportedMember(t *testing.T) {
	u := &unstructured.Unstructured{Object: parse[map[string]any](t, `
metadata:
  name: member-1
  labels: {mine: a, theirs: b, kubernetes-fleet.io/member-name: member-1}
  managedFields:
    - {manager: ours, operation: Apply, fieldsV1: {f:metadata: {f:labels: {f:mine: {}}}, f:spec: {f:identity: {}, f:heartbeatPeriodSeconds: {}}}}
spec: {identity: {kind: User, name: a}, heartbeatPeriodSeconds: 60}`)}
	identity := &member.Identity{Kind: member.User, Name: "a"}
	for manager, want := range map[string]member.Spec{
		"ours":     {Name: "member-1", Labels: map[string]string{"mine": "a"}, Identity: identity, HeartbeatPeriodSeconds: new(int32(60))},
		"somebody": {Name: "member-1", Labels: map[string]string{"mine": "a", "theirs": "b"}, Identity: identity},
	} {
		got, err := ImportedMember(u, manager)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Error(manager, err, diff)
		}
	}
}
