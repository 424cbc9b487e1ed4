// Package predict predicts how a KubeAdmiral host processes a placement: which clusters its scheduler picks for each object, and what happens to the objects
// on the members.
package predict
