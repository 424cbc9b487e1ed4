package diff

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// immutable are fields of a kind that an API server does not let anybody change, whatever the value is.
type immutable struct {
	// paths are JSON pointers; what is within is meant as well.
	paths []string
	// but are fields within them that may be changed.
	but []string
	// unless tells the objects of which they may be changed nevertheless; nil for none.
	unless func(desired, live *unstructured.Unstructured) bool
}

// immutables are those of the kinds that are built into API servers, by their validation of updates (pkg/apis/*/validation of Kubernetes).
var immutables = map[schema.GroupKind][]immutable{
	{Kind: "ConfigMap"}: {{paths: []string{"/data", "/binaryData", "/immutable"}, unless: isChangeable}},
	{Kind: "Secret"}: {
		{paths: []string{"/type"}},
		{paths: []string{"/data", "/stringData", "/immutable"}, unless: isChangeable},
	},
	{Kind: "Service"}: {{paths: []string{"/spec/clusterIP", "/spec/clusterIPs/0"}, unless: hasNoAddress}},
	{Kind: "PersistentVolumeClaim"}: {{
		paths: []string{"/spec"}, but: []string{"/spec/resources", "/spec/volumeAttributesClassName"}, unless: isUnbound,
	}, {paths: []string{"/spec/accessModes", "/spec/selector", "/spec/volumeMode", "/spec/dataSource"}}},
	{Kind: "PersistentVolume"}: {{paths: []string{"/spec"}, but: []string{
		"/spec/capacity", "/spec/accessModes", "/spec/claimRef", "/spec/persistentVolumeReclaimPolicy", "/spec/storageClassName",
		"/spec/mountOptions", "/spec/nodeAffinity", "/spec/volumeAttributesClassName", "/spec/csi/controllerExpandSecretRef",
	}}},
	{Kind: "Pod"}:                       {{paths: []string{"/spec/nodeName", "/spec/restartPolicy", "/spec/serviceAccountName", "/spec/volumes"}}},
	{Kind: "ResourceQuota"}:             {{paths: []string{"/spec/scopes"}}},
	{Group: "apps", Kind: "Deployment"}: {{paths: []string{"/spec/selector"}}},
	{Group: "apps", Kind: "ReplicaSet"}: {{paths: []string{"/spec/selector"}}},
	{Group: "apps", Kind: "DaemonSet"}:  {{paths: []string{"/spec/selector"}}},
	{Group: "apps", Kind: "StatefulSet"}: {{paths: []string{"/spec"}, but: []string{
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

// Immutable are the fields among the differences which the API server would not let anybody change, of kinds that are built in. A write of
// the object is refused for them.
func Immutable(desired, live *unstructured.Unstructured, differences []Difference) []Difference {
	var out []Difference
	for _, rule := range immutables[desired.GroupVersionKind().GroupKind()] {
		if rule.unless != nil && rule.unless(desired, live) {
			continue
		}
		for _, d := range differences {
			if isIn(d.Path, rule.paths) && !isIn(d.Path, rule.but) {
				out = append(out, d)
			}
		}
	}
	return out
}

// MarkImmutable returns the differences with those marked that [Immutable] returns.
func MarkImmutable(desired, live *unstructured.Unstructured, differences []Difference) []Difference {
	out := slices.Clone(differences)
	for _, fixed := range Immutable(desired, live, differences) {
		i := slices.IndexFunc(out, func(d Difference) bool { return d.Path == fixed.Path && d.Field == fixed.Field })
		out[i].Immutable = true
	}
	return out
}

// isIn tells whether a path is one of others, or within one.
func isIn(path string, others []string) bool {
	return slices.ContainsFunc(others, func(other string) bool { return path == other || strings.HasPrefix(path, other+"/") })
}

func isChangeable(_, live *unstructured.Unstructured) bool {
	frozen, _, _ := unstructured.NestedBool(live.Object, "immutable")
	return !frozen
}

// hasNoAddress tells the Services whose type has no address before the write or after it, so that it is allocated or given up.
func hasNoAddress(desired, live *unstructured.Unstructured) bool {
	const external = "ExternalName"
	is := textAt(live, "spec", "type")
	will := textAt(desired, "spec", "type")
	return is == external || will == external || textAt(live, "spec", "clusterIP") == ""
}

// isUnbound tells the claims whose volume is yet to be chosen; then a name or a class may be filled in.
func isUnbound(_, live *unstructured.Unstructured) bool {
	return textAt(live, "spec", "volumeName") == ""
}

// isIndexed tells the Jobs that may be scaled.
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
