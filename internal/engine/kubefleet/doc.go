// Package kubefleet is the engine for hubs of KubeFleet and Azure Kubernetes Fleet Manager. It writes members, placements, envelopes, overrides, staged updates
// and disruption budgets as objects of the hub's API, predicts what the hub does with them, and follows the rollout to its end.
//
//	api/      the fields of the API that the engine uses, a package per group and version
//	convert/  converts between the types of api and the types of internal/fleet
//	hub/      reads and writes the objects of a hub
//	agent/    which objects on a member belong to a placement, and how the member agent writes them
//	predict/  predicts what the hub and its agents do
//
// The methods of the engine are in one file for each kind of object; follow.go waits for a rollout.
package kubefleet
