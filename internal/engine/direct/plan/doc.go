// Package plan computes the actions of an apply of the direct engine: the members it picks, the action for each object, and the new content of the
// records. It writes nothing. Package apply executes a plan.
//
// [New] reads the records on the members (a [Survey]) and the objects to place concurrently. The scheduler picks the clusters (schedule.go). Then each
// cluster is examined separately (cluster.go): package memberpreview decides about the placed objects, and prune.go decides about the objects to remove.
package plan
