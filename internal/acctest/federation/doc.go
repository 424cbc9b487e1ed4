// Package federation has tests of handing over running workloads that every engine must pass: the plan shows which Pods will restart, and the takeover restarts
// only Pods that it must restart. The acceptance tests of each engine call its functions.
package federation
