// Package workload reads what runs on members, for handing it over to a placement: a workload with what belongs to it, and the workloads that
// nobody looks after.
package workload
