// Package connection says how to reach a cluster, and what is wrong with what was said.
//
// A Connection is plain data: the arguments of a provider block, or the path of a kubeconfig. Problems checks it offline, without reading
// a file; RESTConfig reads the files and returns what client-go needs. Neither dials, and neither runs a credential plugin. Messages hold
// no credentials and no contents of files.
//
// The package knows nothing of clusters and objects, and imports no other package of the provider. A new argument goes into Connection
// (connection.go), its checks into problems.go, and its effect into rest_config.go.
package connection
