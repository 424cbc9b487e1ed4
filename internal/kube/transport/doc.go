// Package transport is what lies between client-go and the network: the round tripper of one cluster.
//
// It knows HTTP requests and nothing of objects, and imports no other package of the provider. transport.go is what its users see;
// round_trip.go the way of one request; answer.go what is refused of an answer; health.go decides whether a cluster counts as reachable, and
// patience.go how long plans wait for one; stats.go counts and exchange.go tells; errors.go has the failures of the network and tells them
// apart.
package transport
