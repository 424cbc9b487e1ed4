// Package predict foresees what a hub of KubeFleet is going to do about a placement: which members its scheduler picks, in which order its rollout
// comes to them, and what their agents do to every object. It asks the hub and, where the provider has a connection, the members, and
// writes nothing.
//
// It is a prediction: the hub decides on what it finds when it comes to it. It decides as this package does, accidents included, where the
// direct engine may do better.
package predict
