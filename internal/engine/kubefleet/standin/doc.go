// Package standin is a hub of KubeFleet for tests: it answers the objects of the hub's API as KubeFleet's hub agent does, and writes to the
// members as its member agents do. It is made of this repository's own packages, so that it proves how the engine speaks with a hub, and not
// that hubs decide as those packages say: that is what real hubs are for.
//
// What it does not have: webhooks (the defaults of the mutating one are filled in by a write right after), snapshots in several parts, a history
// of snapshots, the delays of KubeFleet's charts, ResourcePlacements, staged updates and evictions. An envelope that cannot be opened counts
// as an invalid selector, where KubeFleet fails to synchronise each cluster.
package standin
