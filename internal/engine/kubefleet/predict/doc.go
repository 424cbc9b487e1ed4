// Package predict predicts what a KubeFleet hub does with a placement: which members its scheduler picks, in which order its rollout updates them, and what
// their agents do to every object. It reads the hub and the members to which the provider has a connection, and sends no writes except dry runs.
//
// The hub and its agents decide when they apply the change. This package reproduces their decisions, including flaws that the direct engine may avoid.
package predict
