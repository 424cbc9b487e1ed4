// Package predict foresees what a host of KubeAdmiral makes of a placement: which clusters its scheduler picks, for each object by itself, and what
// becomes of the objects on the members.
package predict
