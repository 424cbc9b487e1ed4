// Package supervisor runs a set of test clusters: it starts them, keeps a
// record of their processes, answers status and control requests on loopback,
// and takes everything away in the end.
//
// A run lives in one directory, which it claims empty and removes when it
// stops:
//
//	state.json       who runs here, and how to reach it
//	kubeconfig       the contexts, written when all of them work
//	supervisor.log   messages of a detached supervisor
//	etcd/ hub/ ...   keys, logs and data
package supervisor
