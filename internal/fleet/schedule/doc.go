// Package schedule decides on which clusters a placement goes, as KubeFleet's scheduler does (pkg/scheduler of KubeFleet).
//
// It is made of pure functions over plain values: the policy, the clusters as they are, and the decisions. Every cluster gets a
// decision with its reason, picked or not, in KubeFleet's words.
package schedule
