// Package schedule picks the clusters of a placement as KubeFleet's scheduler does (pkg/scheduler of KubeFleet), including its quirks.
//
// It consists of pure functions over the policy, the current clusters, the existing bindings, and the time. Each processed cluster gets a decision with
// KubeFleet's reason, whether it is picked or not. The plugin ClusterAffinity is in requiredaffinity.go and preferredaffinity.go, SamePlacementAntiAffinity in
// ranking.go.
//
// # JSON
//
// This is an example of the JSON form of [Input]:
//
//	{
//	  "policy": {
//	    "placementType": "PickN", "numberOfClusters": 2,
//	    "tolerations": [{"key": "gpu", "operator": "Exists"}],
//	    "topologySpreadConstraints": [{"topologyKey": "region", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}]
//	  },
//	  "now": "2026-01-01T12:00:00Z",
//	  "clusters": [
//	    {
//	      "name": "east-1",
//	      "labels": {"region": "east"},
//	      "taints": [{"key": "gpu", "value": "", "effect": "NoSchedule"}],
//	      "properties": {"kubernetes-fleet.io/node-count": "3"},
//	      "resourceUsage": {"capacity": {"cpu": "8"}, "allocatable": {"cpu": "7500m"}, "available": {"cpu": "2"}},
//	      "agent": {
//	        "lastReceivedHeartbeat": "2026-01-01T11:59:30Z",
//	        "joined": {"status": "True"},
//	        "healthy": {"status": "True", "lastTransitionTime": "2025-12-01T00:00:00Z"}
//	      }
//	    },
//	    {"name": "west-1", "labels": {"region": "west"}},
//	    {"name": "west-2", "labels": {"region": "west"}, "leaving": true}
//	  ],
//	  "bindings": [
//	    {"name": "web-west-1-0a1b2c3d", "cluster": "west-1", "state": "Bound", "obsolete": true,
//	     "clusterScore": {"affinityScore": 0, "priorityScore": 0}}
//	  ],
//	  "limits": {"decisions": 1000, "unselected": 20}
//	}
//
// The policy's fields have the names of the CRD, and the policy's defaults are set. A cluster without "agent" counts as healthy; {"agent": {"offline":
// true}} is a MemberCluster whose agent has never reported. The "previousState" of an "Unscheduled" binding is restored if its cluster is picked again.
// "deleting" marks a binding with a deletionTimestamp, "leaving" a cluster with one. Without "limits", the list of decisions is complete.
//
// The JSON form of [Outcome] has the decisions as in the policy snapshot's status, where "priorityScore" is the topology spread score. It also has every
// binding after the run with its action, and the condition:
//
//	{
//	  "decisions": [
//	    {
//	      "clusterName": "east-1", "selected": true, "clusterScore": {"affinityScore": 0, "priorityScore": 1},
//	      "reason": "Successfully scheduled resources for placement in \"east-1\" (affinity score: 0, topology spread score: 1): ..."
//	    },
//	    ...
//	  ],
//	  "bindings": [
//	    {"name": "web-west-1-0a1b2c3d", "cluster": "west-1", "state": "Bound", "action": "Restamp", ...},
//	    {"cluster": "east-1", "state": "Scheduled", "action": "Create", ...}
//	  ],
//	  "wanted": 2, "found": 2, "fulfilled": true, "reported": true,
//	  "reason": "SchedulingPolicyFulfilled",
//	  "message": "found all cluster needed as specified by the scheduling policy, found 2 cluster(s)"
//	}
//
// The bindings of an outcome, except those with the action "Release", are the bindings of the next input.
//
// # Differences
//
// For the same input, KubeFleet's code returns the same result, including reasons and conditions, except in these cases:
//
//	upstream                                              here
//	----------------------------------------------------  -----------------------------------------------------------------
//	The name of a binding has no dots. The whole cycle    Names may have dots: some engines have no bindings.
//	fails if the first 26 characters of the placement's
//	name have one, or the first 27 of a picked cluster's.
//	With more than 1,000 picked clusters, up to 20 more   There are never more than 1,000.
//	decisions are written about clusters that were not
//	picked, and the API server rejects all decisions.
//	Exponents of quantities are unbounded, and comparing  An exponent of more than three digits is an error.
//	two takes unlimited time.
//	An unknown placementType silently does nothing.       It is an error.
//	A violated DoNotSchedule constraint without maxSkew   The default of maxSkew is 1, as in the API.
//	crashes the scheduler.
//	A PickFixed name that is listed twice and has an      The first cycle succeeds.
//	obsolete binding makes the first cycle fail.
package schedule
