package selection

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/naming"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Given are the manifests of an attribute, by key.
type Given struct {
	Attribute string
	Texts     map[string]string
	// Null is the number of keys whose value is null. These keys are not in Texts, and count as omitted.
	Null int
}

// ValidateManifests lists the problems of manifests that can be found without a cluster, such as objects that every API server rejects, and objects of reserved
// namespaces.
func ValidateManifests(all ...Given) []placement.Problem {
	v := validator{first: map[manifest.Key]placement.Path{}}
	for i, given := range all {
	keys:
		for _, key := range slices.Sorted(maps.Keys(given.Texts)) {
			at := placement.At(given.Attribute).Key(key)
			for _, other := range all[:i] {
				if _, taken := other.Texts[key]; taken {
					v.add(at, "the same key is in %s: rename one of them", other.Attribute)
					continue keys
				}
			}
			objects, err := manifest.Parse("", given.Texts[key])
			switch {
			case err != nil:
				v.addParseErrors(at, err)
			case len(objects) == 0:
				v.add(at, "it has no object: it is empty, or has only comments. Omit the key, or set it to null")
			}
			for _, object := range objects {
				v.checkObject(at, object)
			}
		}
	}
	return v.problems
}

type validator struct {
	problems []placement.Problem
	// first has the path of the manifest in which each object was found first.
	first map[manifest.Key]placement.Path
}

func (v *validator) add(path placement.Path, format string, args ...any) {
	v.problems = append(v.problems, placement.Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

func (v *validator) addParseErrors(at placement.Path, err error) {
	for text := range strings.Lines(err.Error()) {
		v.add(at, "%s", strings.TrimPrefix(strings.TrimSpace(text), ": "))
	}
}

func (v *validator) checkObject(at placement.Path, o manifest.Object) {
	if first, found := v.first[o.Key()]; found {
		where := "it is also in " + first.String()
		if first.String() == at.String() {
			where = "it is listed twice"
		}
		v.add(at, "%s: %s. Remove one of them", o, where)
		return
	}
	v.first[o.Key()] = at
	if problem := problemOfName(o.Identifier); problem != "" {
		v.add(at, "%s: metadata.name: %s", describe(o), problem)
	}
	if problem := problemOfKind(o.GroupVersionKind().GroupKind()); problem != "" {
		v.add(at, "%s: kind: %s", describe(o), problem)
	}
	switch namespaced, known := BuiltInScope(o.GroupVersionKind().GroupKind()); {
	case known && namespaced && o.Namespace == "":
		v.add(at, "%s: a %s is namespaced: set metadata.namespace", o, o.Kind)
	case known && !namespaced && o.Namespace != "":
		v.add(at, "%s: a %s is cluster-scoped: remove metadata.namespace", o, o.Kind)
	}
	v.checkReserved(at, o)
	if size := sizeOf(o); size > maxObjectSize {
		v.add(at, "%s has %d bytes, and an API server stores %d at most: split it", o, size, maxObjectSize)
	}
}

// checkReserved adds a problem for a reserved Namespace, and for an object in one. The cluster or the fleet needs these objects for itself.
func (v *validator) checkReserved(at placement.Path, o manifest.Object) {
	switch {
	case o.GroupVersionKind() == namespaceKind && ReservedNamespace(o.Name):
		v.add(at, "%s: the namespace is reserved: it belongs to the cluster or the fleet, and is never placed", o)
	case ReservedContent(o.Namespace):
		v.add(at, "%s: the namespace %s is reserved: its objects belong to the cluster or the fleet, and are never placed", o, o.Namespace)
	}
}

// maxObjectSize is the maximum size of an object in bytes. An API server has the same limit for the data of a ConfigMap or Secret.
const maxObjectSize = 1 << 20

func sizeOf(o manifest.Object) int {
	text, err := json.Marshal(o.Content.Object)
	if err != nil {
		return 0 // a parsed object is JSON
	}
	return len(text)
}

// problemOfName returns the problem of an object's name, or "". Names must be DNS subdomains, except for the groups in groupsWithOtherNames. This is the rule
// for Kubernetes' own kinds and for custom resources. Aggregated APIs have their own rules. Their groups cannot be distinguished from those of custom
// resources, and most follow the same rule.
func problemOfName(id manifest.Identifier) string {
	if groupsWithOtherNames[id.Group] {
		return ""
	}
	return naming.Subdomain(id.Name)
}

// groupsWithOtherNames are the groups with kinds whose objects can have names other than DNS names: roles, signing requests, addresses, and OpenShift's users
// and images.
var groupsWithOtherNames = map[string]bool{
	"rbac.authorization.k8s.io": true, "certificates.k8s.io": true, "networking.k8s.io": true,
	"user.openshift.io": true, "image.openshift.io": true, "authorization.openshift.io": true, "oauth.openshift.io": true,
}

func describe(o manifest.Object) string {
	const maxLength = 80
	text := []rune(o.String())
	if len(text) > maxLength {
		return string(text[:maxLength]) + "..."
	}
	return string(text)
}
