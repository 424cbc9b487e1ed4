package kubefleetapi

import (
	"regexp"
	"strings"
)

// The name of a Work, and of its AppliedWork on a member, begins with the name of the placement. workSuffix follows: "work" or the number of a resource
// snapshot. If the Work has the content of an envelope, the name ends with envelopeSuffix.
var (
	envelopeSuffix = regexp.MustCompile(`-(?:envelope-[0-9a-f]{16}|configmap-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$`)
	workSuffix     = regexp.MustCompile(`-(?:work|\d+)$`)
)

// PlacementOfWork returns the placement of a Work, by the Work's name. The name of the Work of a namespaced placement begins with the namespace and a dot.
// Names of cluster-scoped placements can have dots as well, so the namespace is a guess. ok is false for a name that KubeFleet does not create.
func PlacementOfWork(work string) (namespace, name string, ok bool) {
	work = envelopeSuffix.ReplaceAllString(work, "")
	name = workSuffix.ReplaceAllString(work, "")
	if name == work || name == "" {
		return "", "", false
	}
	if before, after, found := strings.Cut(name, "."); found {
		return before, after, true
	}
	return "", name, true
}
