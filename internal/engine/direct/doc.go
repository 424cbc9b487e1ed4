// Package direct is the engine that needs no hub software: it computes the placement itself and applies it to the members.
//
// It stores its records on the members, in the namespace fleet-system (package record): a record that makes a cluster a member, records of overrides, and for each
// placement an inventory of its objects. It writes the inventory before the objects, so that an apply that is killed leaves no unrecorded object. A preview and an
// apply start with the same plan (package plan). Package apply executes it.
//
// The engine treats pre-existing objects on a member as KubeFleet does. Package enginetest tests each case for all engines, and deviations_test.go declares the
// deviations of this engine. Above all, a takeover sets a label in the same write as the content, so that a failed takeover leaves nothing behind. The engine
// never takes over an object of KubeFleet or KubeAdmiral. It takes over objects of another placement only in a hand-over (takes_over_from). With the apply
// strategy ReportDiff, it takes over no objects.
package direct
