// Package override makes objects differ from cluster to cluster, as KubeFleet's ClusterResourceOverride and ResourceOverride do (API version
// placement.kubernetes-fleet.io/v1beta1).
//
// [Validate] and [ValidateChange] have the rules of the API. [Applicable] finds the overrides of an object on a cluster in the order in which
// [Apply] applies them (pkg/utils/overrider and pkg/controllers/workgenerator): first every ClusterResourceOverride by name, then every
// ResourceOverride by namespace and name, so that the latter has the last word; in each of them the rules from the first to the last.
//
// What differs from upstream:
//
//	upstream                                                here                                     why
//	------------------------------------------------------  ---------------------------------------  -------------------------------------
//	Overrides are ordered by the name of their snapshot,    By their own name.                       There are no snapshots. Only names of
//	which ends in a number.                                                                          which one begins with the other and
//	                                                                                                 "-" can come in another order.
//	After a Delete, the overrides that follow still fail    Nothing follows a Delete.                What is not there needs no values.
//	if a variable has no value.
//	Whether a kind lives in namespaces is known from the    An object with a namespace does.         There is no hub; such objects always
//	hub.                                                                                             name theirs.
//	What the webhook refuses is applied if it got past it.  A path that is refused is never          It would become another object, which
//	                                                        applied.                                 nobody keeps an account of.
//	An error repeats the value of which a variable is not   No error repeats a value.                It may be a Secret's.
//	closed.
//	Of two keys of a value that are the same once the       It is an error.                          Which one is last depends on how the
//	variables are replaced, the last one stays.                                                      text was written.
//	One failing override stops all objects of the cluster.  [Apply] tells of one object; what        The driver knows what belongs
//	                                                        becomes of the others is the driver's.   together.
//
// Objects from envelopes are overridden like others (upstream after v0.3.1), by what they are and not by their envelope, so open the envelopes
// first; the envelope itself is never overridden.
package override
