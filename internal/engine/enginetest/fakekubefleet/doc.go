// Package fakekubefleet is a fake KubeFleet hub for tests: it reacts to the objects of the hub's API as KubeFleet's hub agent does, and writes to the
// members as its member agents do. It uses this repository's own packages. So it tests how the engine communicates with a hub, not whether those packages
// predict a hub's decisions; tests on real hubs do that.
//
// It does not simulate webhooks (a write right after fills in the defaults of the mutating one), snapshots in several parts, a history of snapshots, and the
// delays of KubeFleet's charts. An envelope that cannot be unwrapped counts as an invalid selector, where KubeFleet fails to synchronize each cluster.
package fakekubefleet
