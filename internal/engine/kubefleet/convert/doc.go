// Package convert translates between the nouns of internal/fleet and the objects of a KubeFleet hub. It is pure: it reads and writes no
// cluster, and knows of versions only which fields they have.
//
// A spec goes to the wire with [FromPlacementSpec], [FromMember], [FromClusterOverride] and [FromOverride]: what the user left out is left out
// there, so that only configured fields are sent and owned. [Encode] makes the object of it that is sent, in the version that [Choose] has
// found. It comes back with [Decode] and [ToPlacementSpec], [ToMember], [ToClusterOverride] and [ToOverride], with what the hub has filled
// in. [PlacementAsWritten] and its like take that out again: they return what was configured wherever the two mean the same, and what is
// stored wherever they do not. Without a configuration they leave out all that a hub fills in; [ImportedPlacement] and its like, which read an
// object for an import, know better where somebody has applied it.
//
// Envelopes need no types of a version: Encode and Decode of package envelope write and read them.
//
// A status only comes from the wire: [PlacementStatus] and [MemberStatus].
package convert
