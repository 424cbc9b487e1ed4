// Package convert translates between the types of internal/fleet and the objects of a KubeFleet hub. It neither reads nor writes a cluster. It determines which
// fields each version of the API has.
//
// [FromPlacementSpec], [FromMember], [FromClusterOverride] and [FromOverride] encode a spec without the fields that the configuration omits, so that only
// configured fields are sent and owned. Package codec encodes the object in the version that [Choose] returns, and decodes the stored object, with defaults,
// for [ToPlacementSpec], [ToMember], [ToClusterOverride] and [ToOverride]. [PlacementAsWritten] and similar functions remove the defaults. They return the
// configured value if it means the same as the stored one, and the stored value otherwise. Without a configuration they omit all defaults. [ImportedPlacement]
// and similar functions decode an object for an import, and return the fields that a client has applied.
//
// Package envelope encodes and decodes envelopes.
//
// [PlacementStatus], [MemberStatus] and [UpdateRunStatus] decode a status. Only the status of an approval request is encoded: see [ApprovalPatch].
package convert
