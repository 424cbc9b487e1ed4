// Package transport is the HTTP transport between client-go and the network, one per cluster.
//
// The package handles HTTP requests, not objects, and imports no other package of the provider.
package transport
