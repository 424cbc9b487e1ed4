package record

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The labels and annotations of an ApplySet parent and its members (KEP-3659, kubectl apply --applyset).
const (
	applySetIDLabel           = "applyset.kubernetes.io/id"
	PartOfLabel               = "applyset.kubernetes.io/part-of"
	applySetToolingAnnotation = "applyset.kubernetes.io/tooling"
	KindsAnnotation           = "applyset.kubernetes.io/contains-group-kinds"
	NamespacesAnnotation      = "applyset.kubernetes.io/additional-namespaces"
	applySetTooling           = "terraform-provider-fleet"
)

// ApplySetID is the identity of the set whose parent is the placement's inventory: as the KEP has it, the unpadded URL-safe base64 of
// the SHA-256 of "NAME.NAMESPACE.KIND.GROUP" of the parent. It is the same on every member.
func ApplySetID(placement string) string {
	sum := sha256.Sum256([]byte(InventoryName(placement) + "." + Namespace + ".ConfigMap."))
	return "applyset-" + base64.RawURLEncoding.EncodeToString(sum[:]) + "-v1"
}

// applySetAnnotations describe the members of the set to other tools.
func applySetAnnotations(entries []Entry, version string) map[string]string {
	var kinds, namespaces []string
	for _, entry := range entries {
		kinds = append(kinds, schema.GroupKind{Group: entry.Group, Kind: entry.Kind}.String())
		if entry.Namespace != "" && entry.Namespace != Namespace {
			namespaces = append(namespaces, entry.Namespace)
		}
	}
	return map[string]string{
		applySetToolingAnnotation: applySetTooling + "/" + version,
		KindsAnnotation:           joinUnique(kinds),
		NamespacesAnnotation:      joinUnique(namespaces),
	}
}

func joinUnique(values []string) string {
	slices.Sort(values)
	return strings.Join(slices.Compact(values), ",")
}

// PartOf returns the set an object says it belongs to.
func PartOf(u *unstructured.Unstructured) string {
	set, _, _ := unstructured.NestedString(u.Object, "metadata", "labels", PartOfLabel)
	return set
}

// SetLabel sets one label of an object.
func SetLabel(u *unstructured.Unstructured, key, value string) {
	labels := u.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[key] = value
	u.SetLabels(labels)
}
