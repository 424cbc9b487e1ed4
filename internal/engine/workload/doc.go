// Package workload reads workloads on members: one workload with its related objects, or a list of the workloads that a placement can take over.
package workload
