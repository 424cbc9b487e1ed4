package selection

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// builtInKinds maps the built-in kinds of Kubernetes to whether they are namespaced.
var builtInKinds = buildBuiltIn()

func buildBuiltIn() map[schema.GroupKind]bool {
	out := map[schema.GroupKind]bool{}
	add := func(namespaced bool, group, kinds string) {
		for kind := range strings.FieldsSeq(kinds) {
			out[schema.GroupKind{Group: group, Kind: kind}] = namespaced
		}
	}
	add(true, "", "ConfigMap Endpoints Event LimitRange PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service "+
		"ServiceAccount")
	add(false, "", "Namespace Node PersistentVolume")
	add(true, "apps", "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet")
	add(true, "batch", "CronJob Job")
	add(true, "autoscaling", "HorizontalPodAutoscaler")
	add(true, "policy", "PodDisruptionBudget")
	add(true, "networking.k8s.io", "Ingress NetworkPolicy")
	add(false, "networking.k8s.io", "IngressClass IPAddress ServiceCIDR")
	add(true, "rbac.authorization.k8s.io", "Role RoleBinding")
	add(false, "rbac.authorization.k8s.io", "ClusterRole ClusterRoleBinding")
	add(true, "coordination.k8s.io", "Lease")
	add(true, "discovery.k8s.io", "EndpointSlice")
	add(false, "storage.k8s.io", "CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass")
	add(true, "storage.k8s.io", "CSIStorageCapacity")
	add(false, "scheduling.k8s.io", "PriorityClass")
	add(false, "node.k8s.io", "RuntimeClass")
	add(false, "apiextensions.k8s.io", "CustomResourceDefinition")
	add(false, "apiregistration.k8s.io", "APIService")
	add(false, "certificates.k8s.io", "CertificateSigningRequest ClusterTrustBundle")
	add(false, "flowcontrol.apiserver.k8s.io", "FlowSchema PriorityLevelConfiguration")
	add(false, "admissionregistration.k8s.io", "MutatingWebhookConfiguration ValidatingWebhookConfiguration MutatingAdmissionPolicy "+
		"MutatingAdmissionPolicyBinding ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding")
	add(true, "resource.k8s.io", "ResourceClaim ResourceClaimTemplate")
	add(false, "resource.k8s.io", "DeviceClass ResourceSlice")
	return out
}

// BuiltInScope reports whether a built-in kind of Kubernetes is namespaced. known is false for other kinds.
func BuiltInScope(kind schema.GroupKind) (namespaced, known bool) {
	namespaced, known = builtInKinds[kind]
	return namespaced, known
}

// suggestKind returns the built-in kind whose plural, or whose name in another case, is kind. It returns "" if there is none.
func suggestKind(kind string) string {
	for known := range builtInKinds {
		lower, written := strings.ToLower(known.Kind), strings.ToLower(kind)
		if known.Kind != kind && (written == lower || written == lower+"s" || written == lower+"es" || written == strings.TrimSuffix(lower, "y")+"ies") {
			return known.Kind
		}
	}
	return ""
}
