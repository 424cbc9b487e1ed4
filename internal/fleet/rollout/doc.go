// Package rollout says which clusters of a placement may change now ([Next]), in which order objects are applied to a cluster ([Wave])
// and when an applied object counts as available ([AvailabilityOf]).
//
// # The rolling update
//
// [Next] is KubeFleet's rollout controller (pkg/controllers/rollout) as a function without a clock. A driver calls it with the state of every
// cluster, starts what it says, and calls it again when a state has changed, or at the latest when it says. Nothing is remembered between two
// calls: an apply that was interrupted goes on from what the clusters look like.
//
// The arithmetic is upstream's. With T the number of clusters that the policy wants, and both percentages of T rounded up:
//
//	clusters that may be changed or removed now = working ones - (T - max_unavailable)
//	clusters that may be created now            = T + max_surge - clusters that have the placement, without the failed ones
//
// A cluster works if what it has is available; if its availability cannot be tracked, it works once it has been available for more than
// unavailable_period_seconds. Surge only lets new clusters in while old ones are still there: the first version of a placement reaches all its
// clusters at once. Failed clusters are given a newer version whatever the budget; then come removals, updates and creations, each by name.
//
// Where upstream's behaviour loses working placements, or waits for what cannot come, this package differs:
//
//	upstream                                             here                                               why
//	---------------------------------------------------  -------------------------------------------------  ----------------------------------
//	A cluster whose objects are still being applied, or  It is in progress. A newer version reaches at      After an outage, or while a first
//	are not available yet, has "failed" (its reasons     most max_unavailable such clusters at a time       version starts, upstream writes a
//	are not in the list of harmless ones): every such    (one, if that is 0), those at the newest version   new version to all of them at
//	cluster gets a newer version at once.                that are not available included.                   once, a broken one too.
//	The same clusters do not count for max_surge.        They count; only failed ones do not.               Otherwise the surge has no bound.
//	T is PickN's number or PickFixed's list, also if     For max_unavailable, T is at most the number of    With 5 clusters for PickN 10,
//	fewer clusters are there: the missing ones use up    clusters that are picked.                          upstream never updates again. No
//	max_unavailable.                                                                                        working one is lost by it.
//	The removal of a cluster that is not available       It needs no budget.                                Upstream never shrinks a broken
//	waits for budget.                                                                                       placement to zero.
//	An update of a cluster that is not available, and    It is counted apart (first row), and takes no      Upstream spends budget on what
//	has not failed, is charged like one of a working     budget from the working ones.                      takes away nothing, and blocks the
//	cluster.                                                                                                version that would mend it.
//	A cluster that cannot be reached counts as it last   It does not work, and nothing is started on it;    One outage more than the budget
//	reported; changes are written for it on the hub.     it still counts for max_surge.                     allows must not be added to.
//	A cluster that is picked again while its removal     Only that cluster waits.                           The others have nothing to do
//	is under way stops the whole placement for 5 s.                                                         with it.
//	Clusters are ordered by the name of their binding,   By their own name.                                 There are no bindings; for names
//	which is cut and ends at random.                                                                        up to 27 characters it is the same.
//	The end of the roll is when nothing is out of date.  It is when all clusters are available too. The     An apply must not end before what
//	                                                     period after the last change is not waited for.    it did is known to work.
//	Nothing says that a roll is stuck.                   [Step] names the clusters.                         Somebody waits for an answer.
//	A change of the apply strategy alone goes to all     The driver decides whether it is a change; if it   The same objects are written again
//	clusters at once.                                    is, it is rolled out like one.                     by other rules, which can fail.
//
// Kept, although they surprise: failed clusters get a newer version without regard to the budget; max_unavailable 0 never updates in place; a
// first placement is not staged; a removal that is under way holds its place until it is over.
package rollout
