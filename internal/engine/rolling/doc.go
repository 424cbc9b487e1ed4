// Package rolling drives a rolling update over clusters. The pure decisions, which clusters may change now, are internal/fleet/rollout's; this
// starts the clusters that are due, watches them, and asks again whenever one of them has come further.
package rolling
