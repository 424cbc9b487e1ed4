// Package record is what the direct engine keeps on the members, in ConfigMaps and Secrets of one namespace: a record that makes a cluster a
// member, overrides, and for every placement an inventory of its objects with the manifests that it was applied with.
//
// An inventory is the parent of an ApplySet (KEP-3659), so that other tools recognise what belongs together.
package record
