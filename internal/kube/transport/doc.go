// Package transport is what lies between client-go and the network: the round tripper of one cluster.
//
// It knows HTTP requests and nothing of objects, and imports no other package of the provider. transport.go is what its users see;
// round_trip.go the way of one request; health.go decides whether a cluster counts as reachable; stats.go counts; errors.go has the
// failures of the network and tells them apart.
package transport
