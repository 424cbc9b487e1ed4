// Package workload reads the workloads on members that can be handed over to a placement: a workload with its related objects, and the
// workloads without an owner.
package workload
