// Package takeover decides what happens to an object that a placement finds on a member: created, updated, taken over or left alone
// ([Decide], [DecideReport]), how it differs from what is to be placed ([Compare], [ComparePartialLocal]), and who looks after it now
// ([OwnerOf]).
//
// The decisions, reasons and messages are those of KubeFleet's work applier, so that a plan says what the hub will report.
package takeover
