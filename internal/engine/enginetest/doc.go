// Package enginetest is the contract of the engines: what every engine foresees and does for placements on real API servers.
//
// Its cases hold what KubeFleet does. Their names begin with the row of the decision table, which stands in package takeover, or with the
// number of the worked case that they are; the examples are those of the documentation that the resources are modelled on. An engine is
// held to them by a test of its own package, which describes the engine as a [Subject] and calls [Test]. Where the engine differs from
// KubeFleet, the description says so as data, case by case and with the reason: [Deviations].
//
// Of every case it is tested that the preview foresees the action, the reason, the message and the differences in KubeFleet's form; that it
// writes nothing, with the credentials of an administrator and with such that may only read; that the apply does what was foreseen, reports
// it in the same words, and leaves alone what it refuses; that another preview has nothing more to do, but for what the API server did not
// accept, which is tried again; and that an object which is taken over under IfNoDiff has no difference in a dry run as KubeFleet makes it.
// Of every example it is tested besides which clusters the preview picks, what the status ends in, which objects are there then, and that
// nothing is left of them when the placement is gone.
//
// # What there is nothing to test of
//
//	15      Pods are not compared: the case places what Pods are made from, beside a Pod that has more.
//	52      The hub's part, that a hub stores canonical quantities, is the API server's and not the engine's.
//	-       A policy that denies dry runs only: what it refuses is told as what the apply would be refused for, and the apply, which is
//	        tried nevertheless, goes through.
//
// Sanitising on the hub is the selection's; the names of Works and the trimming of their status have no counterpart.
//
// What is told of Secrets is this provider's in every case, and stricter than KubeFleet's: no answer of an API server about one is quoted,
// and its annotations are redacted like its data.
//
// The package also has what tests of one engine need besides: a [Fleet] of clusters that outlives no test run, and a [World] for each test.
package enginetest
