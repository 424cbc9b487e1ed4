// Package kubeadmiral is the engine for hosts of KubeAdmiral: it writes members and policies as objects of the host's API, puts the label of a policy
// and the annotations about takeovers on the objects that a placement selects, foresees what the control plane makes of it, and follows that to its
// end.
//
//	api/       the fields of the API that the engine uses
//	convert/   between these and the nouns of internal/fleet, and the table of what a host can express
//	host/      what is read from a host, and how it is written
//	dispatch/  whose an object on a member is, and how the control plane writes it
//	predict/   what the control plane is going to do
//	standin/   a control plane for the tests
//
// # What stays when a placement goes
//
// A control plane deletes an object on a member, whatever its annotation says of orphans, as soon as the object on the host loses its label, the
// policy leaves the cluster out, or a taint does. It honours the annotation only when the FederatedObject itself is deleted. A removal therefore
// never begins with the label: see [host.Release] for the order, and for why every step is where it is.
//
// # How an object changes its placement
//
// The label of an object names its policy. A placement that takes objects over writes its own policy first, and then the label, the other keys and the content of
// each object in one write: see [host.Take]. The scheduler picks clusters by the new policy then. If both policies keep the clusters that were picked and have the
// same effect, the object stays where it is. A Namespace has no label: it belongs to the policies that have it in their records, and nothing deletes it while there
// are two.
//
// # What is trusted
//
// A FederatedObject is said to be propagated also where it is placed nowhere, and keeps its status when its policy is gone. A status counts only when
// no step is pending and it is about the object as it is now, and what is placed is held against what was asked for.
package kubeadmiral
