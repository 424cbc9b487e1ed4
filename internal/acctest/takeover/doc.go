// Package takeover holds the preview of the direct engine against real API servers: what it foresees for an object that a placement finds
// on a member is what the apply then does, and both are what KubeFleet does.
//
// The cases are the rows of the decision table and the worked cases of reference/kubefleet-apply-takeover.md, with the corrections of
// reference/kubefleet-observed.md; their names begin with the row or the number. Of every case it is tested that the preview foresees the
// action, the reason, the message and the differences in KubeFleet's form; that it writes nothing, with the credentials of an administrator
// and with such that may only read; that the apply does what was foreseen, reports it in the same words, and leaves alone what it refuses;
// that another preview has nothing more to do, but for what the API server did not accept, which is tried again; and that an object which
// is taken over under IfNoDiff has no difference in a dry run as KubeFleet makes it.
//
// # Where the direct engine differs from KubeFleet
//
//	D2      An object is marked as taken over by the ApplySet's label and not by an owner reference: nothing runs on the member that could
//	        be its owner.
//	D3-422, A takeover that fails leaves nothing behind: mark and content are one write. KubeFleet has written its owner reference before
//	D7, D23, and keeps the object, so that removing the placement deletes it.
//	41
//	D3-PUT  Taking over and applying are one write, so that the reason of a refusal is ManifestApplyFailed and not FailedToTakeOver.
//	D10     Other owners are told by kind and name. KubeFleet prints Go structures, with addresses that change from loop to loop.
//	D15     An AppliedWork owner always keeps its object. Whether its Work is gone could only be seen on KubeFleet's hub.
//	D22     An object that is being deleted, and that the strategy would write to, is refused and tried again by the next apply: what is
//	        written to it would be lost. KubeFleet reports it as applied and available until it is gone.
//	R4, 28  The differences reach the placement's status. KubeFleet shows none of a cluster's as soon as one object was compared in degraded
//	        mode.
//	R5, R6, Reporting takes ownership of nothing, whatever whenToTakeOver says: removing the placement would delete what was only to be
//	30      reported.
//	19      The plan tells every element that a list lacks with its own index and value. The status has KubeFleet's words.
//	24      Another placement of the direct engine keeps its object as another one of KubeFleet does, and is told by name.
//	35      Objects of a kind that comes with the placement wait until the kind is served. KubeFleet needs a second loop.
//	37, 38  A manifest without a name, and the same object twice, are errors of the placement before anything is looked at, rather than the
//	        reasons FoundGenerateName and Duplicated of one object.
//	39      An object with too little room for the last applied configuration is written on the client's side all the same. KubeFleet turns
//	        to server-side apply.
//	40      What was created owns its fields in the way of server-side apply before it is applied again, so that it does not conflict with
//	        itself.
//	47      What the placement has made is removed at once. KubeFleet leaves an object that it has not applied to its garbage collection.
//
// Besides, a partial comparison makes its dry run only where the local comparison finds something or is in doubt, or an admission rule has a
// say, and a post-apply drift of an object that is yet to be created is not foreseen, since the API server allocates addresses and the like
// anew. Who may only read has no dry run, and foresees no more than the local comparison finds.
//
// Answers of the API server are told in the words of this provider, and those about a Secret without what they may quote; KubeFleet puts its
// own around them, and tells a kind that is not served in those of its client. Annotations of a Secret are redacted like its data, which
// KubeFleet prints. What a manifest says of its UID, resource version and owners is dropped, where KubeFleet's agent has the API server refuse
// it; a label or annotation that is null is an error of the manifest.
//
// # What there is nothing to test of
//
//	15      Pods are not compared: the case places what Pods are made from, beside a Pod that has more.
//	33, 52  The hub's part, that a hub stores stringData as data and canonical quantities, is the API server's and not the engine's.
//	D15     As KubeFleet does it, with a hub that has no Work of the owner's name.
//
// Sanitising on the hub (section 1.1) is the selection's; the names of Works and the trimming of their status have no counterpart.
package takeover
