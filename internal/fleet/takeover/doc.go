// Package takeover decides what happens to an object that a placement finds on a member: created, updated, taken over or left alone
// ([Decide], [DecideReport], [DecideDrift], [DecideApplied]), how it differs from what is to be placed ([Compare], [ComparePartialLocal],
// [Patches]), who wrote the values that differ ([Manager]) and who looks after the object now ([OwnerOf]).
//
// The decisions, reasons and messages are those of KubeFleet's work applier, so that a plan says what the hub will report.
//
// # Comparing
//
// [Patches] says what KubeFleet's status says, oddities included. [Compare] finds a difference if and only if Patches does and tells it
// better: by merge key, with JSON values and with the field manager. [ComparePartialLocal] foretells without an API server what a
// server-side apply in a dry run would change. It knows which fields of the built-in kinds are replaced as a whole, dropped when they are
// empty, or written in more than one way; of custom resources it knows no schema, and takes every difference for one.
//
// # Owners
//
// [OwnerMarks] lists by what each sort of owner is known, in the order in which it is looked for. Owner references and marks that name
// their owner come before field managers, which tell who wrote the object and not whose it is, and tools that make objects for others come
// before those: Flux before Helm. Other placements, KubeFleet and KubeAdmiral are exclusive; the objects of all others may be taken over,
// which the strategy decides. A placement of the provider's own is an ApplySet, and the engine that knows the sets tells it from others.
//
// An autoscaler owns no object but a field. [Difference.Autoscaled] tells it, by the subresource scale in the object's managedFields or by
// the name of the field manager.
package takeover
