// Package takeover decides whether an object that a placement finds on a member is created, updated, taken over or not written ([Decide], [DecideDrift],
// [DecideReport]), and determines its current owner ([OwnerOf]).
//
// The decisions, reasons and messages are those of KubeFleet's work applier, so a plan shows what the hub will report. They depend only on
// values ([Input]). Package diff compares the objects; a nil comparison means that none was made. A comparison can cost a dry run, so first
// check whether one is needed: [Input.NeedsComparison], [Input.GatedByDrift], [Input.NeedsReport].
//
// # Decision table
//
// "Ours" is an object with the placement's ownership mark. Always, IfNoDiff and Never are values of whenToTakeOver. "Owners" are owner
// references other than ours. An AppliedWork is the owner that KubeFleet sets. An object that is not taken over is not written at all; its
// condition Applied has the reason.
//
//	     object on the member                    strategy              outcome
//	D1   none                                    any                   created
//	D2   equal                                   Always                taken over
//	D3   differs                                 Always                taken over and overwritten, without a report of the differences
//	D4   equal                                   IfNoDiff              taken over
//	D5   differs                                 IfNoDiff              FailedToTakeOver, with the differences
//	D6   differs; dry run found it invalid       IfNoDiff              FailedToTakeOver in degraded mode: compared in full
//	D7   equal in full; dry run found it invalid IfNoDiff              taken over; the apply may still fail
//	D8   could not be compared                   IfNoDiff              FailedToTakeOver
//	D9   not ours                                Never                 NotTakenOver, and nothing is compared
//	D10  owners                                  Always, IfNoDiff      FailedToTakeOver, and nothing is compared
//	D11  owners                                  Always, co-ownership  taken over
//	D12  owners                                  IfNoDiff, co-own.     as D4 or D5
//	D13  another AppliedWork                     Always, IfNoDiff      as D10
//	D14  another AppliedWork                     same, co-ownership    FailedToTakeOver
//	D15  AppliedWork whose Work is gone          Always, IfNoDiff      as D2 to D5; the reference is dropped
//	D16  AppliedWork whose Work is gone          Never                 as D9
//	D17  any owners                              Never                 as D9
//	D18  ours only                               any                   updated; whenToTakeOver no longer applies
//	D19  ours and owners                         any                   ManifestApplyFailed
//	D20  ours and owners                         co-ownership          updated
//	D21  ours and another AppliedWork            co-ownership          ManifestApplyFailed
//	D22  being deleted                           any                   as its row: the applier does not check for it
//	D23  fields of other managers                Always, server-side   ManifestApplyFailed for the conflict; already ours
//
// One more row is this provider's own: if another placement of the configuration has agreed to hand an object over ([Input.Given]), the object is
// taken over regardless of whenToTakeOver. Its other owners count as in D19 to D21.
//
// The decision does not cover how the API server responds to a write: the caller reports a rejection with [Rejected]. The caller also reports the fields that a
// write removes, which have left the manifest since the last apply. Client-side apply finds them in the last applied manifest, server-side apply in the
// fields that the field manager owns. Each engine decides by its own rules whether it prunes or orphans an object that is no longer placed.
//
// Strategy type ReportDiff applies nothing. KubeFleet takes ownership nevertheless, unless whenToTakeOver is Never or the takeover is blocked. The direct
// engine never does. The condition DiffReported has the reason. In R2 to R4, whenToTakeOver can have any value for an object of ours, and is Never for others.
//
//	     object on the member                    whenToTakeOver        outcome
//	R1   none                                    any                   FoundDiff, of the whole object
//	R2   equal; ours or not                      any; Never            NoDiffFound
//	R3   differs; ours or not                    any; Never            FoundDiff
//	R4   differs; dry run found it invalid       any; Never            FoundDiffInDegradedMode; the cluster's status has no differences
//	R5   not ours                                Always                ours from now on, then R2 to R4
//	R6   equal, not ours                         IfNoDiff              ours from now on, NoDiffFound
//	R7   differs, not ours                       IfNoDiff              FailedToReportDiff, for FailedToTakeOver
//	R8   owners                                  Always, IfNoDiff      FailedToReportDiff, for FailedToTakeOver
//	R9   could not be compared                   any                   FailedToReportDiff
//	R10  not processed: not decoded, duplicate   any                   FailedToReportDiff
//
// Drift is checked in an object of ours if whenToApply is IfNotDrifted and the same manifest was applied before. If there is drift, the
// object remains unchanged: FoundDrifts, FoundDriftsInDegradedMode, or FailedToRunDriftDetection if it cannot be compared.
//
// # Owners
//
// [OwnerMarks] lists the marks of each kind of owner in the order in which they are checked. Owner references and marks that name their owner precede field
// managers, which show who wrote the object but not who owns it. Tools that create objects through another tool precede that tool: Flux before Helm. Exclusive
// owners (other placements, KubeFleet and KubeAdmiral) keep their objects; the strategy decides whether those of other owners may be taken over. The engine
// supplies the placement's own mark ([Ours]), and distinguishes the provider's other placements from ApplySets of other tools.
package takeover
