// Package fakekubefleet is a fake KubeFleet hub for tests: it reacts to the objects of the hub's API as KubeFleet's hub agent does, and writes to the members
// as its member agents do. It decides with this repository's own packages. Tests with the fake therefore check how the engine communicates with a hub. Only
// tests on real hubs check whether these packages predict a hub's decisions.
//
// It does not simulate webhooks (instead of the mutating webhook, the hub agent writes the defaults), snapshots in several parts, revisionHistoryLimit (it
// keeps all snapshots), and the delays of KubeFleet's charts. On a real hub, an envelope that cannot be unwrapped makes the synchronization of each cluster
// fail; the fake treats it as an invalid selector.
package fakekubefleet
