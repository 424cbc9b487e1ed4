// Package hub reads KubeFleet's objects on a hub, in whichever version it serves. What is read is in the types of v1beta1: version v1 has a part
// of its fields, in the same form.
package hub
