package v1alpha1

// SystemNamespace is the namespace in which a host stores the credentials of its members. It also exists on each member that has joined.
const SystemNamespace = "kube-admiral-system"

// These are labels and annotations of an object on the host. The control plane removes them before it sends the object to members.
const (
	PolicyLabel        = "kubeadmiral.io/propagation-policy-name"
	ClusterPolicyLabel = "kubeadmiral.io/cluster-propagation-policy-name"

	ConflictResolutionAnnotation = "kubeadmiral.io/conflict-resolution"
	ClustersToAdoptAnnotation    = "kubeadmiral.io/clusters-to-adopt"
	OrphanAnnotation             = "kubeadmiral.io/orphan"
	AffinityAnnotation           = "kubeadmiral.io/affinity"
	// NoSchedulingAnnotation has the scheduler keep the placement of an object, whatever its value. What changes meanwhile counts as scheduled: without
	// the annotation, the object keeps its placement until something else changes.
	NoSchedulingAnnotation = "kubeadmiral.io/no-scheduling"
	// NoFederatedResourceAnnotation keeps the control plane from making a FederatedObject of an object, and from changing the one there is. It
	// does not remove that one.
	NoFederatedResourceAnnotation = "kubeadmiral.io/no-federated-resource"
	// SchedulingAnnotation is written by the control plane itself.
	SchedulingAnnotation = "kubeadmiral.io/scheduling"
)

// These are values of the annotations. With any other value of OrphanAnnotation, objects are deleted.
const (
	ConflictResolutionAdopt = "adopt"
	OrphanAll               = "all"
	OrphanAdopted           = "adopted"
)

// OverridingAnnotations are the annotations that take precedence over the policy of an object.
var OverridingAnnotations = []string{
	"kubeadmiral.io/scheduling-mode", "kubeadmiral.io/sticky-cluster", "kubeadmiral.io/clusterSelector", AffinityAnnotation,
	"kubeadmiral.io/tolerations", "kubeadmiral.io/placements", "kubeadmiral.io/maxClusters", NoSchedulingAnnotation,
}

// MovedAnnotations are those that the control plane moves to the FederatedObject, and does not send to members.
var MovedAnnotations = append([]string{
	"kubeadmiral.io/retain-replicas", "kubeadmiral.io/no-auto-propagation", OrphanAnnotation, ConflictResolutionAnnotation, ClustersToAdoptAnnotation,
	"kubeadmiral.io/follows-object", FollowersAnnotation, "kubeadmiral.io/disable-following", "kubeadmiral.io/migration-configuration",
	"kubeadmiral.io/dry-run", SchedulingAnnotation, "kubeadmiral.io/latest-replicaset-digests", "kubeadmiral.io/applied-migration-configuration",
}, OverridingAnnotations...)

// MovedLabels are the labels that it moves.
var MovedLabels = append([]string{PolicyLabel, ClusterPolicyLabel}, OverridingLabels...)

// OverridingLabels bind an object to policies that change it on some members.
var OverridingLabels = []string{"kubeadmiral.io/override-policy-name", "kubeadmiral.io/cluster-override-policy-name"}

// SuspendingAnnotations keep an object from members, or move it between them.
var SuspendingAnnotations = []string{"kubeadmiral.io/dry-run", "kubeadmiral.io/migration-configuration"}

// RetainReplicasAnnotation keeps the number of replicas that an object has on a member.
const RetainReplicasAnnotation = "kubeadmiral.io/retain-replicas"

// FollowersAnnotation lists the objects that are placed on every member of a workload.
const FollowersAnnotation = "kubeadmiral.io/followers"

// Annotations of a FederatedObject.
const (
	// PendingControllersAnnotation lists the controllers that have not processed the object yet. The object is not sent to members before the list is empty.
	PendingControllersAnnotation = "kubeadmiral.io/pending-controllers"
	NoPendingControllers         = "[]"
	// SchedulingTriggersAnnotation has the input of the scheduler's last decision.
	SchedulingTriggersAnnotation = "kubeadmiral.io/scheduling-triggers"
	// GlobalScheduler is the controller that places objects according to the policy.
	GlobalScheduler = "kubeadmiral.io/global-scheduler"
	// FollowerController is the controller that places followers on the members of their leaders.
	FollowerController = "kubeadmiral.io/follower-controller"
	// EnableFollowerSchedulingAnnotation on a scheduled object says whether its policy lets other objects follow it.
	EnableFollowerSchedulingAnnotation = "internal.kubeadmiral.io/enable-follower-scheduling"
	// FederatedHPAController is the controller that processes autoscalers. It completes for autoscalers that follow their workload, or whose workload is not
	// on the host.
	FederatedHPAController = "kubeadmiral.io/federatedhpa-controller"
)

// These are the control plane's labels and annotations on an object on a member.
const (
	ManagedLabel                       = "kubeadmiral.io/managed"
	AdoptedAnnotation                  = "kubeadmiral.io/adopted"
	SourceGenerationAnnotation         = "kubeadmiral.io/source-generation"
	PropagatedAnnotationKeysAnnotation = "kubeadmiral.io/propagated-annotation-keys"
	PropagatedLabelKeysAnnotation      = "kubeadmiral.io/propagated-label-keys"
	// ClusterUIDAnnotation is on the system namespace of a member: the UID of its FederatedCluster.
	ClusterUIDAnnotation = "kubeadmiral.io/federated-cluster-uid"
)

// These are finalizers. The control plane sends no objects to a member without the second one.
const (
	FederateFinalizer        = "kubeadmiral.io/federate-controller"
	SyncFinalizer            = "kubeadmiral.io/sync-controller"
	ClusterFinalizer         = "kubeadmiral.io/federated-cluster-controller"
	CascadingDeleteFinalizer = "kubeadmiral.io/cascading-delete"
)

// CascadingDeleteAnnotation on a FederatedCluster has its objects deleted when it leaves, whatever its value.
const CascadingDeleteAnnotation = "kubeadmiral.io/cascading-delete"
