// Package direct is the engine that needs no hub software: it computes the placement itself and applies it to the members.
//
// What it has to remember lives on the members, in the namespace fleet-system (package record): a record that makes a cluster a member, and
// for every placement an inventory of its objects. The inventory is written before the objects it names, so that an apply that is killed
// leaves no object that nobody knows of. A preview and an apply begin with the same plan (package plan), which package apply carries out.
//
// What becomes of an object that is on a member already is decided as KubeFleet decides it, which the contract of the engines tests case by
// case. Where it is not, the deviations that the engine's tests declare say so: above all, a takeover is marked by a label and in the same
// write as the content, so that one that fails leaves nothing behind, an owner of KubeFleet or another placement always keeps its object,
// and reporting differences takes ownership of nothing.
package direct
