// Package kubeadmiral is the engine for KubeAdmiral host clusters (hosts). It writes members and policies as objects of the host's API. It sets the label of
// the policy and the annotations about takeovers on the objects that a placement selects. It predicts the actions of the control plane, and follows them
// until they are complete.
//
//	api/       the fields of the API that the engine uses
//	convert/   conversion between the API and the types of internal/fleet, and the table of arguments that a host can express
//	host/      reads and writes on a host
//	dispatch/  who owns an object on a member, and how the control plane writes it
//	predict/   predictions of the control plane's actions
//
// # Objects that remain after a placement is removed
//
// A control plane deletes an object on a member, and ignores its orphan annotation, as soon as the object on the host loses its label, or the policy or a
// taint excludes the cluster. It honours the annotation only when the FederatedObject itself is deleted. A removal therefore never removes the label first:
// see [host.Release] for the order and its reasons.
//
// # How an object changes its placement
//
// The label of an object names its policy. A placement that takes objects over writes its own policy first, and then the label, the annotations and the
// content of each object in one write: see [host.Take]. From then on, the scheduler picks clusters by the new policy. If both policies keep the clusters that
// were picked and have the same effect, the object remains on its clusters. A Namespace has no label. It belongs to each policy whose record lists it, and is
// not deleted while the records of two policies list it.
//
// # Status
//
// A FederatedObject is reported as propagated even if it is placed on no cluster, and keeps its status after its policy is deleted. The engine uses a status
// only if no controller is pending and the status is of the current generation. It also compares the placements in the FederatedObject with the desired
// clusters.
package kubeadmiral
