package enginetest

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Final conditions that several examples share.
var (
	rolledOut = []string{
		"Scheduled True SchedulingPolicyFulfilled", "RolloutStarted True RolloutStarted", "Overridden True NoOverrideSpecified",
		"WorkSynchronized True WorkSynchronized",
	}
	placedWell  = and(rolledOut, "Applied True ApplySucceeded", "Available True ResourceAvailable")
	placedBadly = and(rolledOut, "Applied False ApplyFailed")

	onCluster = []string{
		"Scheduled True Scheduled", "RolloutStarted True RolloutStarted", "Overridden True NoOverrideSpecified",
		"WorkSynchronized True AllWorkSynced",
	}
	clusterWell = ClusterEnds{Conditions: and(onCluster, "Applied True AllWorkHaveBeenApplied", "Available True AllWorkAreAvailable")}
	// clusterUntracked has an object whose availability is not trackable.
	clusterUntracked = ClusterEnds{Conditions: and(onCluster, "Applied True AllWorkHaveBeenApplied",
		"Available True NotAllWorkAreAvailabilityTrackable")}
	clusterBadly = and(onCluster, "Applied False NotAllWorkHaveBeenApplied")
)

func and(some []string, more ...string) []string { return slices.Concat(some, more) }

// app is a Namespace with a ConfigMap.
const app = `{apiVersion: v1, kind: Namespace, metadata: {name: $ns-app, labels: {app: $ns}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $ns-app}, data: {greeting: hello}}`

var (
	theApp   = []placement.ResourceSelector{{Version: "v1", Kind: "Namespace", Name: "$ns-app"}}
	appParts = []string{"v1 Namespace $ns-app", "v1 ConfigMap $ns-app/settings"}
)

// appOn returns a final status in which app is available on these members.
func appOn(members ...string) Ends {
	ends := Ends{Selected: appParts, Conditions: placedWell, Clusters: map[string]ClusterEnds{}}
	for _, name := range members {
		ends.Clusters[name] = clusterWell
	}
	return ends
}

func matching(key, value string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}
}

func required(key, value string) *placement.ClusterSelector {
	return &placement.ClusterSelector{ClusterSelectorTerms: []placement.ClusterSelectorTerm{{LabelSelector: matching(key, value)}}}
}

// web is a workload that already runs on member-2 with other content before it is placed.
const (
	web = `{apiVersion: v1, kind: Namespace, metadata: {name: $ns-web, labels: {web: $ns}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $ns-web}, data: {greeting: hello}}
---
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: $ns-web}, spec: {selector: {app: web}, ports: [{port: 80}]}}`
	webBefore = `{apiVersion: v1, kind: Namespace, metadata: {name: $ns-web, labels: {web: $ns}}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: $ns-web}, data: {greeting: goodbye}}
---
{apiVersion: v1, kind: Service, metadata: {name: web, namespace: $ns-web}, spec: {selector: {app: web}, ports: [{port: 80}]}}`
)

var webParts = []string{"v1 Namespace $ns-web", "v1 ConfigMap $ns-web/settings", "v1 Service $ns-web/web"}

// takingOver returns the placement of web with a value of whenToTakeOver. second is the final status of member-2.
func takingOver(name string, when placement.WhenToTakeOver, conditions []string, second ClusterEnds) example {
	return example{
		name: name, hub: web, member: map[string]string{"member-2": webBefore}, places: webParts,
		spec: placement.Spec{
			ResourceSelectors: []placement.ResourceSelector{{Version: "v1", Kind: "Namespace", LabelSelector: matching("web", "$ns")}},
			Policy:            &placement.Policy{PlacementType: placement.PickAll},
			Strategy: &placement.Strategy{
				Type:          placement.RollingUpdateStrategy,
				ApplyStrategy: &placement.ApplyStrategy{WhenToTakeOver: when, ComparisonOption: placement.PartialComparison},
				RollingUpdate: &placement.RollingUpdate{MaxUnavailable: "100%", UnavailablePeriodSeconds: new(int64(1))},
			},
		},
		ends: Ends{
			Selected: webParts, Conditions: conditions,
			Clusters: map[string]ClusterEnds{"member-1": clusterWell, "member-2": second, "member-3": clusterWell},
		},
	}
}

// quotaText returns a quota that must not take effect on the hub.
func quotaText(cpu string) string {
	return "{apiVersion: v1, kind: ResourceQuota, metadata: {name: mem-cpu-demo, namespace: $ns-app}, spec: {hard: {requests.cpu: '" + cpu +
		"', requests.memory: 1Gi, limits.cpu: '2', limits.memory: 2Gi}}}"
}

// webhookText is a webhook that must not take effect on the hub. In this test it matches no existing namespace.
const webhookText = `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata:
  creationTimestamp: null
  labels: {azure-workload-identity.io/system: "true"}
  name: $ns-webhook
webhooks:
- admissionReviewVersions: [v1, v1beta1]
  clientConfig: {service: {name: azure-wi-webhook-webhook-service, namespace: $ns-app, path: /mutate-v1-pod}}
  failurePolicy: Fail
  matchPolicy: Equivalent
  name: mutation.azure-workload-identity.io
  namespaceSelector: {matchLabels: {none: $ns}}
  rules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pods]}]
  sideEffects: None
`

// enveloping returns the placement of app on one member, with an envelope in its namespace.
func enveloping(name string, manifests map[string]string, places, conditions []string, first ClusterEnds) example {
	return example{
		name: name, hub: app, places: and(appParts, places...),
		envelope: &envelope.Spec{Name: "envelope-configmap", Namespace: "$ns-app", Manifests: manifests},
		spec: placement.Spec{
			ResourceSelectors:    theApp,
			Policy:               &placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"member-1"}},
			Strategy:             &placement.Strategy{Type: placement.RollingUpdateStrategy},
			RevisionHistoryLimit: new(int32(10)),
		},
		ends: Ends{
			Selected: and(appParts, "v1 ConfigMap $ns-app/envelope-configmap"), Conditions: conditions,
			Clusters: map[string]ClusterEnds{"member-1": first},
		},
	}
}

var examples = []example{
	{
		name: "example: no policy", hub: app, places: appParts, ends: appOn("member-1", "member-2", "member-3"),
		spec: placement.Spec{ResourceSelectors: theApp},
	},
	{
		name: "example: PickAll with a label", hub: app, places: appParts, ends: appOn("member-1", "member-2"),
		spec: placement.Spec{ResourceSelectors: theApp, Policy: &placement.Policy{
			PlacementType: placement.PickAll,
			Affinity:      &placement.Affinity{ClusterAffinity: &placement.ClusterAffinity{Required: required("environment", "production")}},
		}},
	},
	{
		name: "example: PickFixed", hub: app, places: appParts, ends: appOn("member-1", "member-2"),
		spec: placement.Spec{ResourceSelectors: theApp, Policy: &placement.Policy{
			PlacementType: placement.PickFixed, ClusterNames: []string{"member-1", "member-2"},
		}},
	},
	{
		name: "example: PickN with affinities", hub: app, places: appParts, ends: appOn("member-1", "member-2", "member-3"),
		spec: placement.Spec{ResourceSelectors: theApp, Policy: &placement.Policy{
			PlacementType: placement.PickN, NumberOfClusters: new(int32(3)),
			Affinity: &placement.Affinity{ClusterAffinity: &placement.ClusterAffinity{
				Required: required("critical-allowed", "true"),
				Preferred: []placement.PreferredClusterSelector{
					{Weight: 20, Preference: placement.ClusterSelectorTerm{LabelSelector: matching("critical-level", "1")}},
				},
			}},
		}},
	},
	{
		name: "example: PickN with affinities, the best one", hub: app, places: appParts, ends: appOn("member-1"),
		spec: placement.Spec{ResourceSelectors: theApp, Policy: &placement.Policy{
			PlacementType: placement.PickN, NumberOfClusters: new(int32(1)),
			Affinity: &placement.Affinity{ClusterAffinity: &placement.ClusterAffinity{
				Required: required("critical-allowed", "true"),
				Preferred: []placement.PreferredClusterSelector{
					{Weight: 20, Preference: placement.ClusterSelectorTerm{LabelSelector: matching("critical-level", "1")}},
				},
			}},
		}},
	},
	{
		name: "example: PickN with affinities, and too few that match", hub: app, places: appParts,
		spec: placement.Spec{ResourceSelectors: theApp, Policy: &placement.Policy{
			PlacementType: placement.PickN, NumberOfClusters: new(int32(3)),
			Affinity: &placement.Affinity{ClusterAffinity: &placement.ClusterAffinity{Required: required("environment", "production")}},
		}},
		ends: Ends{
			Selected: appParts, Conditions: and([]string{"Scheduled False SchedulingPolicyUnfulfilled"}, placedWell[1:]...),
			Clusters: map[string]ClusterEnds{"member-1": clusterWell, "member-2": clusterWell},
		},
	},
	{
		name: "example: PickN spread over regions", hub: app, places: appParts, ends: appOn("member-1", "member-3"),
		spec: placement.Spec{ResourceSelectors: theApp, Policy: &placement.Policy{
			PlacementType: placement.PickN, NumberOfClusters: new(int32(2)),
			TopologySpreadConstraints: []placement.TopologySpreadConstraint{
				{MaxSkew: new(int32(2)), TopologyKey: "region", WhenUnsatisfiable: "DoNotSchedule"},
				{MaxSkew: new(int32(2)), TopologyKey: "updateDay", WhenUnsatisfiable: "ScheduleAnyway"},
			},
		}},
	},
	{
		name: "example: RollingUpdate", hub: app, places: appParts, ends: appOn("member-1", "member-2", "member-3"),
		spec: placement.Spec{
			ResourceSelectors: theApp, Policy: &placement.Policy{PlacementType: placement.PickAll},
			Strategy: &placement.Strategy{Type: placement.RollingUpdateStrategy, RollingUpdate: &placement.RollingUpdate{
				MaxUnavailable: "25%", MaxSurge: "25%", UnavailablePeriodSeconds: new(int64(60)),
			}},
		},
	},
	takingOver("example: a pre-existing workload, Never", never, placedBadly, ClusterEnds{Conditions: clusterBadly, Failed: []string{
		"v1 Namespace $ns-web: NotTakenOver", "v1 ConfigMap $ns-web/settings: NotTakenOver", "v1 Service $ns-web/web: NotTakenOver",
	}}),
	takingOver("example: a pre-existing workload, IfNoDiff", ifNoDiff, placedBadly, ClusterEnds{
		Conditions: clusterBadly, Failed: []string{"v1 ConfigMap $ns-web/settings: FailedToTakeOver"},
		Diffed: []string{"v1 ConfigMap $ns-web/settings: /data/greeting"},
	}),
	takingOver("example: a pre-existing workload, Always", always, placedWell, clusterWell),
	enveloping("example: an envelope", map[string]string{"resourceQuota.yaml": quotaText("1"), "webhook.yaml": webhookText},
		[]string{"v1 ResourceQuota $ns-app/mem-cpu-demo", "admissionregistration.k8s.io/v1 MutatingWebhookConfiguration $ns-webhook"},
		placedWell, clusterUntracked),
	enveloping("example: an envelope with an object that members reject", map[string]string{"resourceQuota.yaml": quotaText("-1")},
		nil, placedBadly, ClusterEnds{Conditions: clusterBadly, Failed: []string{
			"v1 ResourceQuota $ns-app/mem-cpu-demo: ManifestApplyFailed in ConfigMap $ns-app/envelope-configmap",
		}}),
}
