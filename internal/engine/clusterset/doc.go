// Package clusterset has the set of clusters, the hub and the members, that the provider is configured to reach. It is part of the provider's session, so
// that members can be read without an engine.
package clusterset
