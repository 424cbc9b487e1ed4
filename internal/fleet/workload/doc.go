// Package workload analyzes a workload that runs on a cluster: which objects belong to it, which parts of them another cluster can use, and
// whether a write would restart its Pods.
//
// It supports the handover of a member's workloads to a placement. Its input is live objects, with all the fields that API servers and
// controllers have added.
package workload
