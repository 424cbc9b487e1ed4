package direct

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
	applySetIDLabel              = "applyset.kubernetes.io/id"
	applySetPartOfLabel          = "applyset.kubernetes.io/part-of"
	applySetToolingAnnotation    = "applyset.kubernetes.io/tooling"
	applySetKindsAnnotation      = "applyset.kubernetes.io/contains-group-kinds"
	applySetNamespacesAnnotation = "applyset.kubernetes.io/additional-namespaces"
	applySetTooling              = "terraform-provider-fleet"
)

// applySetID is the identity of the set whose parent is the placement's inventory: as the KEP has it, the unpadded URL-safe base64 of
// the SHA-256 of "NAME.NAMESPACE.KIND.GROUP" of the parent. It is the same on every member.
func applySetID(placement string) string {
	sum := sha256.Sum256([]byte(inventoryName(placement) + "." + Namespace + ".ConfigMap."))
	return "applyset-" + base64.RawURLEncoding.EncodeToString(sum[:]) + "-v1"
}

// applySetAnnotations describe the members of the set to other tools.
func (e *Engine) applySetAnnotations(entries []Entry) map[string]string {
	var kinds, namespaces []string
	for _, entry := range entries {
		kinds = append(kinds, schema.GroupKind{Group: entry.Group, Kind: entry.Kind}.String())
		if entry.Namespace != "" && entry.Namespace != Namespace {
			namespaces = append(namespaces, entry.Namespace)
		}
	}
	return map[string]string{
		applySetToolingAnnotation:    applySetTooling + "/" + e.version,
		applySetKindsAnnotation:      joinUnique(kinds),
		applySetNamespacesAnnotation: joinUnique(namespaces),
	}
}

func joinUnique(values []string) string {
	slices.Sort(values)
	return strings.Join(slices.Compact(values), ",")
}

// partOf returns the set an object says it belongs to.
func partOf(u *unstructured.Unstructured) string {
	set, _, _ := unstructured.NestedString(u.Object, "metadata", "labels", applySetPartOfLabel)
	return set
}

func setLabel(u *unstructured.Unstructured, key, value string) {
	labels := u.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[key] = value
	u.SetLabels(labels)
}
