// Package convert translates between the nouns of internal/fleet and the objects of a KubeFleet hub. It is pure: it reads and writes no
// cluster, and knows of versions only which fields they have.
//
// A spec goes to the wire with [FromPlacementSpec], [FromMember], [FromClusterOverride] and [FromOverride]: what the user left out is left out
// there, so that only configured fields are sent and owned. Package codec encodes the object in the version that [Choose] returns, and decodes
// what the hub has stored, defaults included, for [ToPlacementSpec], [ToMember], [ToClusterOverride] and [ToOverride]. [PlacementAsWritten] and
// similar functions remove the defaults: they return the configured value if it means the same as the stored one, and the stored value otherwise.
// Without a configuration they omit all defaults. [ImportedPlacement] and similar functions read an object for an import, and keep the fields
// that a client has applied.
//
// Envelopes need no types of a version: Encode and Decode of package envelope write and read them.
//
// A status only comes from the wire: [PlacementStatus] and [MemberStatus].
package convert
