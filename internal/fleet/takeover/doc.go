// Package takeover decides what happens to an object that a placement finds on a member: created, updated, taken over or left alone
// ([Decide], [DecideDrift], [DecideReport]), and tells who looks after the object now ([OwnerOf]).
//
// The decisions, reasons and messages are those of KubeFleet's work applier, so that a plan says what the hub will report. They depend on
// values only ([Input]); how the object differs comes from package diff, and nil stands for a comparison that was not made. Ask first
// whether one is needed, since it may cost a dry run: [Input.NeedsComparison], [Input.GatedByDrift], [Input.NeedsReport].
//
// # Decision table
//
// "Ours" is an object that carries the placement's mark of ownership. Always, IfNoDiff and Never are values of whenToTakeOver; owners are
// owner references besides ours, and an AppliedWork is KubeFleet's own. An object that is left alone is not written at all, and the reason
// stands in its condition Applied.
//
//	     object on the member                    strategy              outcome
//	D1   none                                    any                   created
//	D2   equal                                   Always                taken over
//	D3   differs                                 Always                taken over, and overwritten without a word
//	D4   equal                                   IfNoDiff              taken over
//	D5   differs                                 IfNoDiff              FailedToTakeOver, with the differences
//	D6   differs; dry run found it invalid       IfNoDiff              FailedToTakeOver in degraded mode: compared in full
//	D7   equal in full; dry run found it invalid IfNoDiff              taken over, and the apply will tell
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
//	D18  ours only                               any                   updated; whenToTakeOver matters no more
//	D19  ours and owners                         any                   ManifestApplyFailed
//	D20  ours and owners                         co-ownership          updated
//	D21  ours and another AppliedWork            co-ownership          ManifestApplyFailed
//	D22  about to be deleted                     any                   as its row: the applier does not look
//	D23  fields of other managers                Always, server-side   ManifestApplyFailed for the conflict; ours since before
//
// Engine direct has one row more: an object of another placement of the configuration, which agreed to hand it over, is taken over whatever whenToTakeOver
// is. Its other owners count as in D19 to D21.
//
// What the API server makes of a write is no part of the decision. A refusal, for an immutable field or another that is not valid, is the
// caller's to report with [Rejected]; so is what a write removes: fields that left the manifest since it was applied last go with the next
// apply, on the client's side by what was applied then, on the server's by what the field manager owns. Objects that are no longer placed
// are pruned, or orphaned if they were taken over, have another owner besides, or the delete strategy says so.
//
// Under strategy type ReportDiff nothing is applied. Ownership is taken all the same, and the reason stands in the condition DiffReported.
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
//	R10  not looked at: not decoded, duplicate   any                   FailedToReportDiff
//
// Drifts are looked for in an object of ours if whenToApply is IfNotDrifted and the same manifest was applied before. They leave it as it
// is: FoundDrifts, FoundDriftsInDegradedMode, or FailedToRunDriftDetection if it cannot be compared.
//
// # Owners
//
// [OwnerMarks] lists by what each sort of owner is known, in the order in which it is looked for. Owner references and marks that name
// their owner come before field managers, which tell who wrote the object and not whose it is, and tools that make objects for others come
// before those: Flux before Helm. Other placements, KubeFleet and KubeAdmiral are exclusive; the objects of all others may be taken over,
// which the strategy decides. What is the placement's own is no owner: the engine says by what it is known ([Ours]). Other placements of the
// provider's are ApplySets, and the engine that knows the sets tells them from those of others.
package takeover
