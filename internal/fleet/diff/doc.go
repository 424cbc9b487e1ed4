// Package diff compares an object on a member with the object to place, and finds the field managers of the values that differ.
//
// [Full] is KubeFleet's comparison: both sides are stripped of server-set fields ([Strip]), and every inequality counts. A partial comparison
// passes the result of a server-side apply dry run to Full. [Partial] predicts the changes of that dry run without an API server, and
// reports a doubtful result if it cannot know.
//
// Full returns the differences in two forms. [Comparison.Patches] are identical to KubeFleet's status, including its oddities. [Comparison.Differences]
// are for display: by merge key, with JSON values and with the field manager ([Manager]). Neither contains values of Secrets. Partial returns only the
// latter.
//
// A [Schema] describes the built-in kinds: which lists are merged by which keys, which values are replaced as a whole, which empty values are
// dropped, and which values have several notations. A schema is derived from types. This package adds the other behavior of API servers: the
// defaults inside values that are replaced as a whole, the allocated addresses and ports of Services, and the stringData of Secrets.
//
// An autoscaler owns a field, not an object. [Difference.Autoscaled] detects it by the subresource scale in the object's managedFields or by
// the name of the field manager.
package diff
