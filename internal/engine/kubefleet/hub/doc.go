// Package hub reads and writes KubeFleet's objects on a hub, in any version that the hub serves. It uses the types of v1beta1: version v1 has a subset of the
// fields, in the same form.
package hub
