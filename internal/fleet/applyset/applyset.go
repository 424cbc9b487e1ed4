package applyset

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// IDLabel is the label of an ApplySet's parent. PartOfLabel is the label of its members, which are objects and not member clusters. The value of both is the ID
// of the ApplySet.
const (
	IDLabel     = "applyset.kubernetes.io/id"
	PartOfLabel = "applyset.kubernetes.io/part-of"
)

// The annotations of a parent: the tool that wrote it, the kinds of the members as KIND.GROUP, and their namespaces other than the parent's.
const (
	ToolingAnnotation    = "applyset.kubernetes.io/tooling"
	KindsAnnotation      = "applyset.kubernetes.io/contains-group-kinds"
	NamespacesAnnotation = "applyset.kubernetes.io/additional-namespaces"
)

// ID returns the ID of the ApplySet that has the given parent. As the KEP specifies, the ID contains the unpadded URL-safe base64 of the SHA-256 of the
// parent's "NAME.NAMESPACE.KIND.GROUP".
func ID(parent manifest.Key) string {
	sum := sha256.Sum256([]byte(parent.Name + "." + parent.Namespace + "." + parent.Kind + "." + parent.Group))
	return "applyset-" + base64.RawURLEncoding.EncodeToString(sum[:]) + "-v1"
}

// Annotations returns the annotations of a parent that describe the members of its set to other tools. tooling is NAME/VERSION.
func Annotations(parent manifest.Key, members []manifest.Key, tooling string) map[string]string {
	var kinds, namespaces []string
	for _, member := range members {
		kinds = append(kinds, GroupKind(member.Group, member.Kind))
		if member.Namespace != "" && member.Namespace != parent.Namespace {
			namespaces = append(namespaces, member.Namespace)
		}
	}
	return map[string]string{ToolingAnnotation: tooling, KindsAnnotation: joinUnique(kinds), NamespacesAnnotation: joinUnique(namespaces)}
}

// GroupKind formats a kind as KIND.GROUP.
func GroupKind(group, kind string) string {
	if group == "" {
		return kind
	}
	return kind + "." + group
}

func joinUnique(values []string) string {
	slices.Sort(values)
	return strings.Join(slices.Compact(values), ",")
}

// PartOf returns the ID of the ApplySet in the label of an object, or "" if the object has no such label.
func PartOf(u *unstructured.Unstructured) string {
	set, _, _ := unstructured.NestedString(u.Object, "metadata", "labels", PartOfLabel)
	return set
}

// Mark sets the label that makes an object a member of the ApplySet with an ID.
func Mark(u *unstructured.Unstructured, set string) {
	labels := u.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[PartOfLabel] = set
	u.SetLabels(labels)
}
