// Package federation has tests of handing over running workloads, for the acceptance tests of the engines: the plan shows which Pods will restart, and the
// takeover restarts only Pods that it must restart.
package federation
