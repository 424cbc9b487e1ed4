// Package schedule decides on which clusters a placement goes, as KubeFleet's scheduler does (pkg/scheduler of KubeFleet), quirks included.
//
// It is made of pure functions over plain values: the policy, the clusters as they are, the bindings that exist, and the time. Every
// cluster that was looked at gets a decision with its reason, picked or not, in KubeFleet's words. Each plugin of the scheduler has its
// file: requiredaffinity and preferredaffinity (ClusterAffinity), eligibility, namespaceaffinity, tainttoleration, topologyspread. Being held
// already (SamePlacementAntiAffinity) is part of contest.go, the ranking.
//
// # JSON
//
// [Schedule] can be driven from outside by the JSON form of [Input]:
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
// The policy has the names of the CRD, and its defaults are filled in already. A cluster without "agent" is taken for a healthy one;
// {"agent": {"offline": true}} is a MemberCluster whose agent has never reported. A binding that is "Unscheduled" says with "previousState"
// what it becomes when it is picked again. "deleting" is a binding with a deletionTimestamp, "leaving" a cluster with one. Without "limits"
// no reason is left out.
//
// The outcome has the decisions as in the policy snapshot's status ("priorityScore" is the topology spread score, as there), every binding
// as it is afterwards with what was done to it, and the condition:
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
// The bindings of an outcome, without those whose action is "Release", are the bindings of the next input.
//
// # Differences
//
// Upstream's code, run over the same inputs, answers the same, reasons and conditions included, except where its answer is an accident:
//
//	upstream                                              here
//	----------------------------------------------------  -----------------------------------------------------------------
//	The name of a binding has no dots. The whole cycle    Names may have dots: not every engine makes bindings.
//	fails if the first 26 characters of the placement's
//	name have one, or the first 27 of a picked cluster's.
//	With more than 1,000 picked clusters, up to 20        There are never more than 1,000.
//	decisions too many are written about clusters that
//	were not picked, and the API server refuses them all.
//	Exponents of quantities are unbounded, and comparing  An exponent of more than four digits is an error.
//	two takes time without bounds.
//	An unknown placementType does nothing, silently.      It is an error.
//	A violated DoNotSchedule constraint without maxSkew   Without maxSkew it is 1, as the API's default has it.
//	crashes the scheduler.
//	A PickFixed name that is listed twice and has an      It succeeds at once.
//	obsolete binding makes the first cycle fail.
package schedule
