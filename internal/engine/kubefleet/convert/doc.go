// Package convert translates between the types of internal/fleet and the objects of a KubeFleet hub. It is pure: it neither reads nor writes a cluster. Of
// the versions, it knows only which fields they have.
//
// [FromPlacementSpec], [FromMember], [FromClusterOverride] and [FromOverride] encode a spec without the fields that the configuration omits, so that only
// configured fields are sent and owned. Package codec encodes the object in the version that [Choose] returns, and decodes the stored object, with defaults,
// for [ToPlacementSpec], [ToMember], [ToClusterOverride] and [ToOverride]. [PlacementAsWritten] and similar functions remove the defaults: they return the
// configured value if it means the same as the stored one, and the stored value otherwise. Without a configuration they omit all defaults.
// [ImportedPlacement] and similar functions read an object for an import, and keep the fields that a client has applied.
//
// Envelopes need no types of a version: Encode and Decode of package envelope write and read them.
//
// A status is only decoded: [PlacementStatus] and [MemberStatus].
package convert
