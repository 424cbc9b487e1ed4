// Package kubeadmiral is the engine for KubeAdmiral host clusters (hosts). It writes members and policies as objects of the host's API. It creates the objects
// in a placement's manifests on the host. On these objects and on the objects that the placement selects, it sets the label of the policy, and annotations
// about takeovers, deletion and preferred clusters. It predicts the actions of the control plane, and follows them until they are complete.
//
//	api/       the fields of the API that the engine uses
//	convert/   conversion between the API and the types of internal/fleet, and the table of arguments that a host can express
//	host/      reads and writes on a host
//	dispatch/  who owns an object on a member, and how the control plane writes it
//	predict/   predictions of the control plane's actions
//
// # Objects that remain after a placement is removed
//
// If an object on the host loses its label, or if the policy or a taint excludes a cluster, the control plane deletes the object on members and ignores its
// orphan annotation. It honours the annotation only when the FederatedObject itself is deleted. A removal therefore never removes the label first: see
// [host.Release] for the order and its reasons.
//
// # How an object changes its placement
//
// The label of an object names its policy. A placement that takes objects over writes its own policy first, and then the label, the annotations and the
// content of each object in one write: see [host.Take]. From then on, the scheduler picks clusters by the new policy. If both policies keep the clusters that
// were picked and have the same effect, the object remains on its clusters. A Namespace has no label. It belongs to each policy whose record lists it. The
// record is an annotation of the policy with the objects that the provider created. A Namespace is not deleted while the record of another policy lists it.
//
// # Status
//
// A FederatedObject is reported as propagated even if it is placed on no cluster, and keeps its status after its policy is deleted. The engine uses a status
// only if no controller is pending and the status is of the current generation. It also compares the placements in the FederatedObject with the desired
// clusters.
package kubeadmiral
