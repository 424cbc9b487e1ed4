package convert

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	clusterv1beta1 "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

const unfilled = `
  - conditions: [{type: Scheduled, status: "False", reason: ScheduleFailed, message: 'Specified cluster "member-8" is not found', observedGeneration: 2}]
  - conditions: [{type: Scheduled, status: "False", reason: ScheduleFailed, message: 'Specified cluster "member-9" is not found', observedGeneration: 2}]
`

func TestPlacementStatus(t *testing.T) {
	text := `
observedResourceIndex: "3"
selectedResources: [{version: v1, kind: Namespace, name: web}, {group: apps, version: v1, kind: Deployment, name: web, namespace: web}]
conditions: [{type: ResourcePlacementScheduled, status: "True", reason: R, message: M, observedGeneration: 2, lastTransitionTime: "2026-11-21T08:58:33Z"}]
placementStatuses:
  - clusterName: member-1
    observedResourceIndex: "3"
    applicableClusterResourceOverrides: [cro-1]
    applicableResourceOverrides: [{name: ro-0, namespace: web}]
    conditions: [{type: Applied, status: "False", reason: NotAllWorkHaveBeenApplied, message: not yet, observedGeneration: 2}]
    failedPlacements:
      - {version: v1, kind: ConfigMap, name: app, namespace: web, envelope: {name: e, namespace: web, type: ResourceEnvelope},
         condition: {type: Applied, status: "False", reason: NotTakenOver, message: not yet, observedGeneration: 7}}
    driftedPlacements:
      - {version: v1, kind: ConfigMap, name: d, namespace: web, observationTime: "2026-11-21T09:58:33+01:00", firstDriftedObservedTime: "2026-11-21T08:00:00Z",
         targetClusterObservedGeneration: 4, observedDrifts: [{path: /data/a, valueInHub: "1", valueInMember: "2"}]}
    diffedPlacements:
      - {version: v1, kind: ConfigMap, name: e, namespace: web, observationTime: "2026-11-21T08:58:33Z", firstDiffedObservedTime: "2026-11-21T08:00:00Z",
         observedDiffs: [{path: /, valueInHub: "(the whole object)"}]}
` + unfilled
	got := PlacementStatus(parse[v1beta1.PlacementStatus](t, text), nil)
	configMap := func(name string) manifest.Identifier {
		return manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "web", Name: name}
	}
	failed := configMap("app")
	failed.Envelope = &manifest.Envelope{Name: "e", Namespace: "web", Type: "ResourceEnvelope"}
	want := placement.Status{
		ObservedResourceIndex: "3",
		Conditions:            []placement.Condition{{Type: "ResourcePlacementScheduled", Status: "True", Reason: "R", Message: "M", ObservedGeneration: 2}},
		SelectedResources: []manifest.Identifier{
			{Version: "v1", Kind: "Namespace", Name: "web"}, {Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "web", Name: "web"},
		},
		Unfilled:           2,
		UnfilledConditions: []placement.Condition{notFound("member-8"), notFound("member-9")},
		Clusters: map[string]placement.ClusterStatus{"member-1": {
			ObservedResourceIndex: "3", ApplicableClusterResourceOverrides: []string{"cro-1"},
			ApplicableResourceOverrides: []placement.NamespacedName{{Namespace: "web", Name: "ro-0"}},
			Conditions:                  []placement.Condition{{Type: "Applied", Status: "False", Reason: "NotAllWorkHaveBeenApplied", Message: "not yet", ObservedGeneration: 2}},
			FailedPlacements: []placement.FailedPlacement{{
				Identifier: failed, Condition: placement.Condition{Type: "Applied", Status: "False", Reason: "NotTakenOver", Message: "not yet", ObservedGeneration: 7},
			}},
			DriftedPlacements: []placement.DriftedPlacement{{
				Identifier:     configMap("d"),
				Observation:    placement.Observation{ObservationTime: "2026-11-21T08:58:33Z", FirstObservedTime: "2026-11-21T08:00:00Z", TargetClusterObservedGeneration: 4},
				ObservedDrifts: []placement.PatchDetail{{Path: "/data/a", ValueInHub: "1", ValueInMember: "2"}},
			}},
			DiffedPlacements: []placement.DiffedPlacement{{
				Identifier:    configMap("e"),
				Observation:   placement.Observation{ObservationTime: "2026-11-21T08:58:33Z", FirstObservedTime: "2026-11-21T08:00:00Z"},
				ObservedDiffs: []placement.PatchDetail{{Path: "/", ValueInHub: "(the whole object)"}},
			}},
		}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if !got.Is("Scheduled") || got.Is("Applied") {
		t.Error("the condition types of a placement in a namespace are not known")
	}
}

func notFound(name string) placement.Condition {
	return placement.Condition{
		Type: "Scheduled", Status: "False", Reason: "ScheduleFailed", Message: `Specified cluster "` + name + `" is not found`, ObservedGeneration: 2,
	}
}

// Clusters of a policy that the hub could not pick get their names back, each with the message about it.
func TestNamesOfClustersThatAreNotThere(t *testing.T) {
	status := parse[v1beta1.PlacementStatus](t, "placementStatuses: [{clusterName: member-1}]")
	status.PlacementStatuses = append(status.PlacementStatuses, parse[v1beta1.PlacementStatus](t, "placementStatuses:"+unfilled).PlacementStatuses...)
	policy := &v1beta1.PlacementPolicy{PlacementType: "PickFixed", ClusterNames: []string{"member-9", "member-1", "member-8"}}
	got := PlacementStatus(status, policy)
	want := placement.Status{Clusters: map[string]placement.ClusterStatus{
		"member-1": {}, "member-8": {Conditions: []placement.Condition{notFound("member-8")}}, "member-9": {Conditions: []placement.Condition{notFound("member-9")}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	policy.ClusterNames = []string{"member-1", "member-9"} // the status is about an earlier policy
	got = PlacementStatus(status, policy)
	if len(got.Clusters) != 2 || got.Unfilled != 1 || len(got.UnfilledConditions) != 1 || got.UnfilledConditions[0] != notFound("member-8") {
		t.Errorf("%+v", got)
	}
	policy.PlacementType = "PickN"
	if got = PlacementStatus(status, policy); len(got.Clusters) != 1 || got.Unfilled != 2 {
		t.Errorf("%+v", got)
	}
}

func TestMemberStatus(t *testing.T) {
	got := MemberStatus(parse[clusterv1beta1.MemberClusterStatus](t, `
conditions: [{type: Joined, status: "True", reason: MemberClusterJoined, message: M, observedGeneration: 3}]
agentStatus:
  - type: MemberAgent
    conditions: [{type: Healthy, status: "True", reason: R, message: "", observedGeneration: 3}]
    lastReceivedHeartbeat: "2026-11-21T10:07:18+01:00"
  - type: Other
properties: {kubernetes-fleet.io/node-count: {value: "2", observationTime: "2026-11-21T09:07:18Z"}}
resourceUsage: {capacity: {cpu: "8", memory: 32Gi}, allocatable: {cpu: 7500m}, available: {cpu: 1}, observationTime: "2026-11-21T09:07:18Z"}`))
	want := member.Status{
		Conditions: []member.Condition{{Type: "Joined", Status: "True", Reason: "MemberClusterJoined", Message: "M", ObservedGeneration: 3}},
		AgentStatus: []member.AgentStatus{
			{
				Type: "MemberAgent", Conditions: []member.Condition{{Type: "Healthy", Status: "True", Reason: "R", ObservedGeneration: 3}},
				LastReceivedHeartbeat: "2026-11-21T09:07:18Z",
			},
			{Type: "Other"},
		},
		Properties: map[string]string{"kubernetes-fleet.io/node-count": "2"},
		Usage: member.ResourceUsage{
			Capacity: map[string]string{"cpu": "8", "memory": "32Gi"}, Allocatable: map[string]string{"cpu": "7500m"}, Available: map[string]string{"cpu": "1"},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
