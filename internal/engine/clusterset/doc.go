// Package clusterset is the hub and the members that the provider is configured to reach. It hangs in the provider's session, so that
// whatever reads members can do so without an engine.
package clusterset
