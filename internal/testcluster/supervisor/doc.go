// Package supervisor runs a set of test clusters: it starts them, records their processes, serves status and control requests on loopback, and removes
// everything at the end.
//
// A run has one directory, which is removed at the end. At the start it must be empty, missing, or the directory of a killed run:
//
//	state.json       the processes, and the address of the control server
//	kubeconfig       the contexts, written when all of them work
//	supervisor.log   messages of a detached supervisor
//	etcd/ hub/ ...   keys, logs and data
package supervisor
