// Package transport is the HTTP transport between client-go and the network, one per cluster.
//
// The package handles HTTP requests, not objects, and imports no other package of the provider. transport.go has the type Transport.
// round_trip.go sends a request, and retry.go repeats it. answer.go rejects unusable answers. health.go decides whether a cluster counts as
// reachable. wait_budget.go limits how long a plan waits for a cluster. stats.go counts requests, and exchange.go reports them. errors.go
// defines and classifies network failures.
package transport
