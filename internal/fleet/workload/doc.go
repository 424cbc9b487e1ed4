// Package workload says of a workload that runs on a cluster what belongs to it, what of its objects another cluster can have, and whether a
// write would restart its Pods.
//
// It is for handing what runs on a member over to a placement. The objects are those that a cluster has, with everything that its API server
// and controllers have added.
package workload
