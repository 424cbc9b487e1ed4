// Package diff says how an object on a member differs from what is to be placed there, and who wrote the values that differ.
//
// [Full] is KubeFleet's comparison: both sides stripped of what servers set ([Strip]), all that is not equal counts. A partial comparison
// passes it what the API server made of the manifest in a server-side apply dry run. [Partial] foretells without an API server what such a
// dry run would change; where it cannot know, it says that it is in doubt.
//
// Every difference is told twice: [Comparison.Patches] word for word as KubeFleet's status has it, oddities included, and
// [Comparison.Differences] for people: by merge key, with JSON values and with the field manager ([Manager]). Values of Secrets appear in
// neither.
//
// A [Schema] tells of the built-in kinds which lists are merged by which keys, what is replaced as a whole, which empty values are dropped,
// and what can be written in more than one way. It knows what types tell. What API servers do besides is here: the defaults that they fill in
// within what is replaced as a whole, the addresses and ports that they give to Services, stringData of Secrets.
//
// An autoscaler owns no object but a field. [Difference.Autoscaled] tells it, by the subresource scale in the object's managedFields or by
// the name of the field manager.
package diff
