// Package record encodes and decodes the records of the direct engine. They are ConfigMaps and Secrets in one namespace on each member: a record that
// makes the cluster a member, overrides, and for each placement an inventory of its objects and the manifests of the last apply.
//
// An inventory is the parent of an ApplySet (KEP-3659), so that other tools can find the objects of a placement.
package record
