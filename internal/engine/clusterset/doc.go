// Package clusterset has the clusters to which the provider is configured to connect: the hub and the members. The engine and the readers of the provider's
// session share one [Set], so that members can be read without an engine.
package clusterset
