package v1alpha1

// SystemNamespace is the namespace in which a host stores the credentials of its members. It also exists on each member that has joined.
const SystemNamespace = "kube-admiral-system"

// These are labels and annotations of an object on the host. The control plane removes them before it sends the object to members, except
// NoFederatedResourceAnnotation.
const (
	PolicyLabel        = "kubeadmiral.io/propagation-policy-name"
	ClusterPolicyLabel = "kubeadmiral.io/cluster-propagation-policy-name"

	ConflictResolutionAnnotation = "kubeadmiral.io/conflict-resolution"
	ClustersToAdoptAnnotation    = "kubeadmiral.io/clusters-to-adopt"
	OrphanAnnotation             = "kubeadmiral.io/orphan"
	AffinityAnnotation           = "kubeadmiral.io/affinity"
	// NoSchedulingAnnotation makes the scheduler keep the placement of an object, unless the value is empty. Changes that the scheduler ignores because of the
	// annotation count as scheduled: after the annotation is removed, the object keeps its placement until the next change. With the value "true", the object
	// also loses its followers.
	NoSchedulingAnnotation = "kubeadmiral.io/no-scheduling"
	// NoFederatedResourceAnnotation prevents the control plane from creating or changing the FederatedObject of an object, unless the value is empty. It does
	// not make the control plane delete an existing FederatedObject.
	NoFederatedResourceAnnotation = "kubeadmiral.io/no-federated-resource"
	// SchedulingAnnotation has the placement of an object. The control plane sets it on the FederatedObject when the placement changes, and later on the object.
	SchedulingAnnotation = "kubeadmiral.io/scheduling"
)

// These are values of the annotations. With any other value of OrphanAnnotation, no objects remain on members.
const (
	ConflictResolutionAdopt = "adopt"
	OrphanAll               = "all"
	OrphanAdopted           = "adopted"
	// NoSchedulingPinned is the provider's value of NoSchedulingAnnotation. It is not "true", so that the object keeps its followers.
	NoSchedulingPinned = "pinned-by-terraform"
)

// OverridingAnnotations are the annotations that take precedence over the policy of an object.
var OverridingAnnotations = []string{
	"kubeadmiral.io/scheduling-mode", "kubeadmiral.io/sticky-cluster", "kubeadmiral.io/clusterSelector", AffinityAnnotation,
	"kubeadmiral.io/tolerations", "kubeadmiral.io/placements", "kubeadmiral.io/maxClusters", NoSchedulingAnnotation,
}

// MovedAnnotations are the annotations that the control plane copies to the metadata of the FederatedObject or ignores, and does not send to members.
var MovedAnnotations = append([]string{
	"kubeadmiral.io/retain-replicas", "kubeadmiral.io/no-auto-propagation", OrphanAnnotation, ConflictResolutionAnnotation, ClustersToAdoptAnnotation,
	"kubeadmiral.io/follows-object", FollowersAnnotation, "kubeadmiral.io/disable-following", "kubeadmiral.io/migration-configuration",
	"kubeadmiral.io/dry-run", SchedulingAnnotation, "kubeadmiral.io/latest-replicaset-digests", "kubeadmiral.io/applied-migration-configuration",
}, OverridingAnnotations...)

// MovedLabels are the labels that the control plane copies to the metadata of the FederatedObject, and does not send to members.
var MovedLabels = append([]string{PolicyLabel, ClusterPolicyLabel}, OverridingLabels...)

// OverridingLabels are labels that name OverridePolicies, which change an object on some members.
var OverridingLabels = []string{"kubeadmiral.io/override-policy-name", "kubeadmiral.io/cluster-override-policy-name"}

// SuspendingAnnotations are the annotations that stop the control plane from sending an object to members, or make it move the object between members.
var SuspendingAnnotations = []string{"kubeadmiral.io/dry-run", "kubeadmiral.io/migration-configuration"}

// RetainReplicasAnnotation makes the control plane keep the number of replicas of an object on a member.
const RetainReplicasAnnotation = "kubeadmiral.io/retain-replicas"

// FollowersAnnotation lists the objects that are placed on every member of a workload.
const FollowersAnnotation = "kubeadmiral.io/followers"

// These are annotations of a FederatedObject, and the names of controllers in them and in spec.placements.
const (
	// PendingControllersAnnotation lists the controllers that have not processed the object yet. The object is not sent to members before the list is empty.
	PendingControllersAnnotation = "kubeadmiral.io/pending-controllers"
	NoPendingControllers         = "[]"
	// SchedulingTriggersAnnotation has the input of the scheduler's last decision.
	SchedulingTriggersAnnotation = "kubeadmiral.io/scheduling-triggers"
	// ObservedAnnotationsAnnotation lists the keys of the annotations of the object on the host, as the control plane has observed them: the keys in
	// MovedAnnotations that it copied, "|", and the other keys. Both lists are sorted and separated by commas.
	ObservedAnnotationsAnnotation = "federate.controller.kubeadmiral.io/observed-annotations"
	// GlobalScheduler is the controller that places objects according to the policy.
	GlobalScheduler = "kubeadmiral.io/global-scheduler"
	// FollowerController is the controller that places followers on the members of their leaders.
	FollowerController = "kubeadmiral.io/follower-controller"
	// EnableFollowerSchedulingAnnotation is "true" on a scheduled object if its policy allows other objects to follow it.
	EnableFollowerSchedulingAnnotation = "internal.kubeadmiral.io/enable-follower-scheduling"
	// FederatedHPAController is the controller that processes autoscalers. It remains pending for an autoscaler whose workload is on the host, unless the
	// autoscaler follows the workload.
	FederatedHPAController = "kubeadmiral.io/federatedhpa-controller"
	// HPAModeLabel is a label of an autoscaler. With the value HPAModeCentralized, the FederatedHPAController remains pending in any case.
	HPAModeLabel       = "kubeadmiral.io/hpa-mode"
	HPAModeCentralized = "centralized"
)

// These are the control plane's labels and annotations on an object on a member.
const (
	ManagedLabel                       = "kubeadmiral.io/managed"
	AdoptedAnnotation                  = "kubeadmiral.io/adopted"
	SourceGenerationAnnotation         = "kubeadmiral.io/source-generation"
	PropagatedAnnotationKeysAnnotation = "kubeadmiral.io/propagated-annotation-keys"
	PropagatedLabelKeysAnnotation      = "kubeadmiral.io/propagated-label-keys"
	// ClusterUIDAnnotation is an annotation of the system namespace on a member. Its value is the UID of the FederatedCluster.
	ClusterUIDAnnotation = "kubeadmiral.io/federated-cluster-uid"
)

// These are finalizers. The control plane does not send objects to a member whose FederatedCluster does not have CascadingDeleteFinalizer.
const (
	FederateFinalizer        = "kubeadmiral.io/federate-controller"
	SyncFinalizer            = "kubeadmiral.io/sync-controller"
	ClusterFinalizer         = "kubeadmiral.io/federated-cluster-controller"
	CascadingDeleteFinalizer = "kubeadmiral.io/cascading-delete"
)

// CascadingDeleteAnnotation on a FederatedCluster makes the control plane delete the placed objects when the member leaves, except those that the orphan
// annotation keeps. The value of the annotation does not matter.
const CascadingDeleteAnnotation = "kubeadmiral.io/cascading-delete"
