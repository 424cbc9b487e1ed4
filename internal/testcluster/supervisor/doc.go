// Package supervisor runs a set of test clusters: it starts them, records their processes, serves status and control requests on loopback, and removes
// everything at the end.
//
// A run has one directory, which must be empty or missing at the start and is removed at the end:
//
//	state.json       the processes, and the address of the control server
//	kubeconfig       the contexts, written when all of them work
//	supervisor.log   messages of a detached supervisor
//	etcd/ hub/ ...   keys, logs and data
package supervisor
