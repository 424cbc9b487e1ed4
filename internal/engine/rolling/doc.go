// Package rolling runs a rolling update over clusters. internal/fleet/rollout decides which clusters may change now; this package writes to
// these clusters, watches them, and asks for the next decision when a cluster makes progress.
package rolling
