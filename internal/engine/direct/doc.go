// Package direct is the engine that needs no hub software: it computes the placement itself and applies it to the members.
//
// What it has to remember lives on the members, in the namespace fleet-system: a record that makes a cluster a member, and for every
// placement an inventory of its objects. The inventory is written before the objects it names, so that an apply that is killed leaves
// no object that nobody knows of.
package direct
