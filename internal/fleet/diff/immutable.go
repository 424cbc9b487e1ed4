package diff

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// immutableRule lists fields of a kind whose changes an API server rejects, regardless of the value.
type immutableRule struct {
	// paths are JSON pointers; they include the fields inside.
	paths []string
	// except are fields inside paths that may change.
	except []string
	// unless reports whether the fields of an object may change nevertheless; nil for never.
	unless func(desired, live *unstructured.Unstructured) bool
}

// immutableRules are those of the built-in kinds, from the validation of updates (pkg/apis/*/validation of Kubernetes).
var immutableRules = map[schema.GroupKind][]immutableRule{
	{Kind: "ConfigMap"}: {{paths: []string{"/data", "/binaryData", "/immutable"}, unless: isChangeable}},
	{Kind: "Secret"}: {
		{paths: []string{"/type"}},
		{paths: []string{"/data", "/stringData", "/immutable"}, unless: isChangeable},
	},
	{Kind: "Service"}: {{paths: []string{"/spec/clusterIP", "/spec/clusterIPs/0"}, unless: hasNoAddress}},
	{Kind: "PersistentVolumeClaim"}: {{
		paths: []string{"/spec"}, except: []string{"/spec/resources", "/spec/volumeAttributesClassName"}, unless: isUnbound,
	}, {paths: []string{"/spec/accessModes", "/spec/selector", "/spec/volumeMode", "/spec/dataSource"}}},
	{Kind: "PersistentVolume"}: {{paths: []string{"/spec"}, except: []string{
		"/spec/capacity", "/spec/accessModes", "/spec/claimRef", "/spec/persistentVolumeReclaimPolicy", "/spec/storageClassName",
		"/spec/mountOptions", "/spec/nodeAffinity", "/spec/volumeAttributesClassName", "/spec/csi/controllerExpandSecretRef",
	}}},
	{Kind: "Pod"}:                       {{paths: []string{"/spec/nodeName", "/spec/restartPolicy", "/spec/serviceAccountName", "/spec/volumes"}}},
	{Kind: "ResourceQuota"}:             {{paths: []string{"/spec/scopes"}}},
	{Group: "apps", Kind: "Deployment"}: {{paths: []string{"/spec/selector"}}},
	{Group: "apps", Kind: "ReplicaSet"}: {{paths: []string{"/spec/selector"}}},
	{Group: "apps", Kind: "DaemonSet"}:  {{paths: []string{"/spec/selector"}}},
	{Group: "apps", Kind: "StatefulSet"}: {{paths: []string{"/spec"}, except: []string{
		"/spec/replicas", "/spec/ordinals", "/spec/template", "/spec/updateStrategy", "/spec/revisionHistoryLimit",
		"/spec/persistentVolumeClaimRetentionPolicy", "/spec/minReadySeconds",
	}}},
	{Group: "apps", Kind: "ControllerRevision"}: {{paths: []string{"/data"}}},
	{Group: "batch", Kind: "Job"}: {
		{paths: []string{"/spec/selector", "/spec/completionMode", "/spec/podFailurePolicy", "/spec/backoffLimitPerIndex", "/spec/managedBy",
			"/spec/successPolicy"}},
		{paths: []string{"/spec/completions"}, unless: isIndexed},
		{paths: []string{"/spec/template"}, unless: isSuspended},
	},
	{Group: "rbac.authorization.k8s.io", Kind: "RoleBinding"}:        {{paths: []string{"/roleRef"}}},
	{Group: "rbac.authorization.k8s.io", Kind: "ClusterRoleBinding"}: {{paths: []string{"/roleRef"}}},
	{Group: "storage.k8s.io", Kind: "StorageClass"}: {
		{paths: []string{"/provisioner", "/parameters", "/reclaimPolicy", "/volumeBindingMode"}},
	},
	{Group: "storage.k8s.io", Kind: "VolumeAttributesClass"}: {{paths: []string{"/driverName", "/parameters"}}},
	{Group: "storage.k8s.io", Kind: "VolumeAttachment"}:      {{paths: []string{"/spec"}}},
	{Group: "scheduling.k8s.io", Kind: "PriorityClass"}:      {{paths: []string{"/value", "/preemptionPolicy"}}},
	{Group: "node.k8s.io", Kind: "RuntimeClass"}:             {{paths: []string{"/handler"}}},
	{Group: "networking.k8s.io", Kind: "IngressClass"}:       {{paths: []string{"/spec/controller"}}},
	{Group: "discovery.k8s.io", Kind: "EndpointSlice"}:       {{paths: []string{"/addressType"}}},
	{Group: "resource.k8s.io", Kind: "ResourceClaim"}:        {{paths: []string{"/spec"}}},
	{Group: "resource.k8s.io", Kind: "ResourceClaimTemplate"}: {
		{paths: []string{"/spec"}},
	},
	{Group: "certificates.k8s.io", Kind: "CertificateSigningRequest"}: {{paths: []string{"/spec"}}},
	{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}: {
		{paths: []string{"/spec/group", "/spec/scope", "/spec/names/plural", "/spec/names/kind"}},
	},
}

// Immutable returns the differences in immutable fields of built-in kinds. The API server rejects a write of the object that changes them.
func Immutable(desired, live *unstructured.Unstructured, differences []Difference) []Difference {
	var out []Difference
	for _, rule := range immutableRules[desired.GroupVersionKind().GroupKind()] {
		if rule.unless != nil && rule.unless(desired, live) {
			continue
		}
		for _, d := range differences {
			if isWithin(d.Path, rule.paths) && !isWithin(d.Path, rule.except) {
				out = append(out, d)
			}
		}
	}
	return out
}

// MarkImmutable returns the differences, and marks those that [Immutable] returns.
func MarkImmutable(desired, live *unstructured.Unstructured, differences []Difference) []Difference {
	out := slices.Clone(differences)
	for _, fixed := range Immutable(desired, live, differences) {
		i := slices.IndexFunc(out, func(d Difference) bool { return d.Path == fixed.Path && d.Field == fixed.Field })
		out[i].Immutable = true
	}
	return out
}

func isWithin(path string, others []string) bool {
	return slices.ContainsFunc(others, func(other string) bool { return path == other || strings.HasPrefix(path, other+"/") })
}

func isChangeable(_, live *unstructured.Unstructured) bool {
	frozen, _, _ := unstructured.NestedBool(live.Object, "immutable")
	return !frozen
}

// hasNoAddress reports whether a Service has no address before or after the write, so that the write allocates or releases it.
func hasNoAddress(desired, live *unstructured.Unstructured) bool {
	const external = "ExternalName"
	is := textAt(live, "spec", "type")
	will := textAt(desired, "spec", "type")
	return is == external || will == external || textAt(live, "spec", "clusterIP") == ""
}

// isUnbound reports whether a PersistentVolumeClaim has no volume yet, so that its volumeName or storageClassName may be set.
func isUnbound(_, live *unstructured.Unstructured) bool {
	return textAt(live, "spec", "volumeName") == ""
}

// isIndexed reports whether a Job has the completion mode Indexed, so that it may be scaled.
func isIndexed(_, live *unstructured.Unstructured) bool {
	return textAt(live, "spec", "completionMode") == "Indexed"
}

func isSuspended(_, live *unstructured.Unstructured) bool {
	suspended, _, _ := unstructured.NestedBool(live.Object, "spec", "suspend")
	return suspended
}

func textAt(u *unstructured.Unstructured, path ...string) string {
	text, _, _ := unstructured.NestedString(u.Object, path...)
	return text
}
