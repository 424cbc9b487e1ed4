// Package enginetest is the contract of the engines: what every engine predicts and does for placements on real API servers.
//
// Its cases state KubeFleet's behavior. If a case is a row of the decision table in package takeover, or a worked case, its name begins with the row or with
// the number. The examples come from KubeFleet's documentation. Each engine has a test in its own package that describes the engine as a [Subject] and calls
// [Test]. Where an engine differs from KubeFleet, the description lists each such case with the reason: [Deviations].
//
// Each case, except examples and those about removals and identities, checks that:
//   - the preview with an administrator's credentials predicts the action, the reason, the message and the differences in KubeFleet's form, and writes nothing;
//   - the preview with read-only credentials predicts the action, and sends neither writes nor dry runs;
//   - the apply does what the preview predicted, reports it in the same words, and leaves rejected objects unchanged;
//   - the next preview is empty, except for objects that the API server rejected, which the next apply retries;
//   - an object taken over under IfNoDiff has no difference in a dry run like KubeFleet's.
//
// Each example checks that the preview picks the right clusters and writes nothing. It also checks the final status, which objects exist then, and that the
// deletion of the placement leaves none of the objects that the placement has created.
//
// # What the cases do not test
//
//	15      Pods are not compared. The case only places a workload next to a Pod that has one container more.
//	52      That a hub stores canonical quantities is a property of its API server, not of the engine.
//	-       A policy that rejects dry runs only: the preview reports the rejection, but the apply still tries the write and succeeds.
//
// The tests of package selection cover the fields that a hub removes from manifests. No case covers the names of Works, or how KubeFleet trims the status of a
// Work.
//
// For Secrets, every case expects this provider's rules, which are stricter than KubeFleet's: messages never quote an API server's answer about a Secret, and
// annotations are redacted like data.
//
// The package also has helpers for other tests of one engine: a [Fleet] of clusters for a test run, and a [World] for each test.
package enginetest
