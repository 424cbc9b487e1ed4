// Package clusterset has the clusters to which the provider is configured to connect: the hub and the members. It is part of the provider's session, so that
// members can be read without an engine.
package clusterset
