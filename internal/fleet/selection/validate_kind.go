package selection

import (
	"fmt"
	"strings"
	"unicode"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// ValidateKind lists the problems of a group, version or kind that no cluster can have. at is the path of the attributes.
func ValidateKind(at placement.Path, kind schema.GroupVersionKind) []placement.Problem {
	var v validator
	switch {
	case kind.Group == "core":
		v.add(at.Attribute("group"), "there is no group \"core\": the core group is \"\"")
	case strings.Contains(kind.Group, "/"):
		group, version, _ := strings.Cut(kind.Group, "/")
		v.add(at.Attribute("group"), "%q includes a version: set group to %q and version to %q", kind.Group, group, version)
		kind.Group = group
	}
	if group, version, found := strings.Cut(kind.Version, "/"); found {
		v.add(at.Attribute("version"), "%q includes a group: set group to %q and version to %q", kind.Version, group, version)
	}
	if problem := problemOfKind(kind.GroupKind()); problem != "" {
		v.add(at.Attribute("kind"), "%s", problem)
	}
	return v.problems
}

// problemOfKind returns the reason why no cluster serves a kind. It returns "" for a kind that a cluster may serve, and for an empty kind.
func problemOfKind(kind schema.GroupKind) string {
	if _, known := BuiltInScope(kind); known || kind.Kind == "" {
		return ""
	}
	guess := suggestKind(kind.Kind)
	switch {
	case guess != "" && isKubernetesGroup(kind.Group):
		return fmt.Sprintf("%q is not a kind: did you mean %s?", kind.Kind, guess)
	case unicode.IsLower([]rune(kind.Kind)[0]):
		return fmt.Sprintf("%q is not a kind: kinds begin with a capital letter, as in Namespace", kind.Kind)
	default:
		return ""
	}
}

// isKubernetesGroup reports whether a group belongs to Kubernetes. Other groups are those of CustomResourceDefinitions, which are DNS names with a dot.
func isKubernetesGroup(group string) bool {
	return !strings.Contains(group, ".") || strings.HasSuffix(group, ".k8s.io")
}
