// Package override changes objects for individual clusters, as KubeFleet's ClusterResourceOverride and ResourceOverride do (API version
// placement.kubernetes-fleet.io/v1beta1).
//
// [ValidateCluster], [Validate] and [ValidateChange] have the rules of the API. [Applicable] lists the overrides of an object on a cluster in the order in
// which [Apply] applies them (pkg/utils/overrider and pkg/controllers/workgenerator): every ClusterResourceOverride by name, then every ResourceOverride by
// namespace and name, so that later ones take precedence. The rules of each are applied in order.
//
// Differences from upstream:
//
//	upstream                                                here                                     why
//	------------------------------------------------------  ---------------------------------------  -------------------------------------
//	Overrides are ordered by the name of their snapshot,    By their own name.                       There are no snapshots. The order can
//	which ends in a number.                                                                          differ if one name begins with the
//	                                                                                                 other name and "-".
//	After a Delete, the overrides that follow still fail    Nothing is applied after a Delete.       A deleted object needs no values.
//	if a variable has no value.
//	The hub determines whether a kind is namespaced.        An object with a namespace is            This package does not access the hub.
//	                                                        namespaced.                              Its callers pass every namespaced
//	                                                                                                 object with its namespace.
//	An invalid path is applied if the webhook missed it.    An invalid path is never applied.        A path such as /metadata/name would
//	                                                                                                 make another object, which no
//	                                                                                                 inventory contains.
//	An error contains the value with an unclosed variable.  No error contains a value.               The value may be that of a Secret.
//	If two keys of a value are equal once the variables     It is an error.                          Which key is last depends on how the
//	are replaced, the last one is used.                                                              text was written.
//	One failing override stops all objects of the cluster.  [Apply] handles one object; the caller   The caller knows which objects belong
//	                                                        handles the others.                      together.
//
// Objects from envelopes are overridden like others (upstream after v0.3.1), by their own identity and not by their envelope, so extract the
// envelopes first. The envelope itself is never overridden.
package override
