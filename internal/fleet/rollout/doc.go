// Package rollout decides which clusters of a placement may change now ([Next]), in which order objects are applied to a cluster ([Wave]), and
// when an applied object counts as available ([AvailabilityOf]).
//
// # The rolling update
//
// [Next] is KubeFleet's rollout controller (pkg/controllers/rollout) as a function without a clock. The caller passes the state of every cluster, starts the
// returned changes, and calls Next again when a state has changed, or at the returned time at the latest. Next keeps no state between calls.
//
// The arithmetic is KubeFleet's. With T the number of clusters that the policy requests, and both percentages of T rounded up:
//
//	clusters that may be changed or removed now = working ones - (T - max_unavailable)
//	clusters that may be created now            = T + max_surge - clusters that have the placement, without the failed ones
//
// A cluster works if its objects are available. If their availability cannot be tracked, it works once they have been available for more than
// unavailable_period_seconds. Surge only admits new clusters while old ones still have the placement: the first version of a placement is
// applied to all clusters at the same time. Failed clusters are updated regardless of the budget. Removals, updates and creations follow, each
// sorted by name.
//
// This package differs where KubeFleet's behavior would lose working placements, or would wait for something that cannot happen:
//
//	upstream                                             here                                               why
//	---------------------------------------------------  -------------------------------------------------  ----------------------------------
//	A cluster whose objects are still being applied, or  It is in progress. At most max_unavailable of      After an outage, or while a first
//	are not available yet, has "failed" (its reasons     these clusters (one, if that is 0) get a newer     version starts, upstream writes a
//	are not in the list of harmless ones): all these     version at a time, including those at the newest   new version to all of them at the
//	clusters get a newer version at the same time.       version that are not available.                    same time, even a broken one.
//	The same clusters do not count for max_surge.        They count; failed ones do not.                    Otherwise the surge is unlimited.
//	T is PickN's number or PickFixed's list, even if     For max_unavailable, T is at most the number of    With 5 clusters for PickN 10,
//	fewer clusters exist: the missing ones use up        picked clusters.                                   upstream never updates again. The
//	max_unavailable.                                                                                        limit loses no working cluster.
//	The removal of a cluster that is not available       It needs no budget.                                Upstream never shrinks a broken
//	waits for budget.                                                                                       placement to zero.
//	An update of a cluster that is not available, and    It is counted separately (first row), and uses no  KubeFleet spends budget on a
//	has not failed, is charged like one of a working     budget of the working ones.                        change that loses nothing, and
//	cluster.                                                                                                blocks the version with the fix.
//	A cluster that cannot be reached counts as it last   It does not work, and nothing is started on it;    More outages than the budget
//	reported; changes are written for it on the hub.     it still counts for max_surge.                     allows must not become even more.
//	A cluster that is picked again while its removal     Only that cluster waits.                           The other clusters are not
//	is in progress stops the whole placement for 5 s.                                                       affected.
//	Clusters are ordered by the name of their binding,   By their own name.                                 There are no bindings; for names
//	which is truncated and has a random suffix.                                                             up to 27 characters it is the same.
//	The rollout ends when nothing is out of date.        It ends when all clusters are also available. The  An apply must not end before its
//	                                                     period after the last change is not waited for.    result is known to work.
//	Nothing reports that a rollout is stuck.             [Step] names the clusters.                         A user waits for the result.
//	A change of the apply strategy alone applies to all  The caller decides whether it is a change; if so,  The same objects are written by
//	clusters at the same time.                           it is rolled out like any change.                  different rules, which can fail.
//
// Unchanged, although unexpected: failed clusters are updated regardless of the budget; max_unavailable 0 never updates a working cluster; a first
// placement is not staged; a cluster counts for max_surge until its removal is complete.
package rollout
