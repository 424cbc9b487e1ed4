// Package connection defines and validates the settings of a connection to a cluster.
//
// A Connection is plain data: the arguments of a provider block, or the path of a kubeconfig. Problems validates it offline, without reading
// files; RESTConfig reads the files and returns client-go's configuration. Neither connects, and neither runs a credential plugin. Messages
// contain no credentials.
//
// The package does not depend on clusters and objects. A new argument belongs in Connection (connection.go), its validation in problems.go,
// and its effect in rest_config.go.
package connection
