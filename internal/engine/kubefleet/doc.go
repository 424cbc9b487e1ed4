// Package kubefleet is the engine for hubs of KubeFleet and Azure Kubernetes Fleet Manager: it writes members, placements, envelopes and overrides
// as objects of the hub's API, foresees what the hub makes of them, and follows that to its end.
//
//	api/      the fields of the API that the engine uses, a package per group and version
//	convert/  between these and the nouns of internal/fleet
//	hub/      what is read from a hub, and how it is written
//	agent/    whose an object on a member is, and how the member's agent writes it
//	predict/  what the hub and its agents are going to do
//
// The verbs of the port stand beside each other in a file a noun; follow.go waits for a rollout.
package kubefleet
