// Package workload reads the workloads on members that a placement can take over: one workload with its related objects, or a list of workloads.
package workload
