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

// Given are manifests that are given in an attribute, by their keys.
type Given struct {
	Attribute string
	Texts     map[string]string
	// Null is how many further keys have no text: these count as left out.
	Null int
}

// ValidateManifests lists everything that is wrong with manifests and can be known without a cluster: what no API server takes, and what is
// nobody's to place.
func ValidateManifests(all ...Given) []placement.Problem {
	v := validator{first: map[manifest.Key]placement.Path{}}
	for i, given := range all {
	keys:
		for _, key := range slices.Sorted(maps.Keys(given.Texts)) {
			at := placement.At(given.Attribute).Key(key)
			for _, other := range all[:i] {
				if _, taken := other.Texts[key]; taken {
					v.add(at, "the same key is in %s: give one of them another", other.Attribute)
					continue keys
				}
			}
			objects, err := manifest.Parse("", given.Texts[key])
			switch {
			case err != nil:
				v.parseErrors(at, err)
			case len(objects) == 0:
				v.add(at, "it holds no object: it is empty, or has comments only. Leave the key out, or set it to null")
			}
			for _, object := range objects {
				v.object(at, object)
			}
		}
	}
	return v.problems
}

type validator struct {
	problems []placement.Problem
	// first is where an object was met.
	first map[manifest.Key]placement.Path
}

func (v *validator) add(path placement.Path, format string, args ...any) {
	v.problems = append(v.problems, placement.Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

func (v *validator) parseErrors(at placement.Path, err error) {
	for text := range strings.Lines(err.Error()) {
		v.add(at, "%s", strings.TrimPrefix(strings.TrimSpace(text), ": "))
	}
}

func (v *validator) object(at placement.Path, o manifest.Object) {
	if first, found := v.first[o.Key()]; found {
		where := "it is also in " + first.String()
		if first.String() == at.String() {
			where = "it is there twice"
		}
		v.add(at, "%s: %s. Leave one of them out", o, where)
		return
	}
	v.first[o.Key()] = at
	if complaint := complainOfName(o.Identifier); complaint != "" {
		v.add(at, "%s: metadata.name: %s", describe(o), complaint)
	}
	if problem := problemOfKind(o.GroupVersionKind().GroupKind()); problem != "" {
		v.add(at, "%s: kind: %s", describe(o), problem)
	}
	switch namespaced, known := BuiltInScope(o.GroupVersionKind().GroupKind()); {
	case known && namespaced && o.Namespace == "":
		v.add(at, "%s: a %s is in a namespace: set metadata.namespace", o, o.Kind)
	case known && !namespaced && o.Namespace != "":
		v.add(at, "%s: a %s is in no namespace: remove metadata.namespace", o, o.Kind)
	}
	v.reserved(at, o)
	if size := sizeOf(o); size > maxObjectSize {
		v.add(at, "%s has %d bytes, and an API server stores %d at most: split it", o, size, maxObjectSize)
	}
}

// reserved refuses what the cluster or the fleet lives by.
func (v *validator) reserved(at placement.Path, o manifest.Object) {
	switch {
	case o.GroupVersionKind() == namespaceKind && ReservedNamespace(o.Name):
		v.add(at, "%s: the namespace is reserved: it belongs to the cluster or the fleet, and is never placed", o)
	case ReservedContent(o.Namespace):
		v.add(at, "%s: the namespace %s is reserved: what is in it belongs to the cluster or the fleet, and is never placed", o, o.Namespace)
	}
}

// maxObjectSize is how many bytes etcd takes as it is set up by default, which is a little more than an API server takes of a ConfigMap.
const maxObjectSize = 1 << 20

func sizeOf(o manifest.Object) int {
	text, err := json.Marshal(o.Content.Object)
	if err != nil {
		return 0 // a parsed object is JSON
	}
	return len(text)
}

// complainOfName applies the rule that holds for the names of Kubernetes' own kinds, those apart that may have others, and of custom
// resources. Aggregated APIs have rules of their own; their groups cannot be told from those of custom resources, whose rule they mostly have.
func complainOfName(id manifest.Identifier) string {
	if otherNames[id.Group] {
		return ""
	}
	return naming.Subdomain(id.Name)
}

// otherNames are the groups of kinds whose names may be others than DNS names: of roles, signing requests, addresses; and OpenShift's users
// and images.
var otherNames = map[string]bool{
	"rbac.authorization.k8s.io": true, "certificates.k8s.io": true, "networking.k8s.io": true,
	"user.openshift.io": true, "image.openshift.io": true, "authorization.openshift.io": true, "oauth.openshift.io": true,
}

// describe names an object, cut where its name is too long to be read.
func describe(o manifest.Object) string {
	const enough = 80
	text := []rune(o.String())
	if len(text) > enough {
		return string(text[:enough]) + "..."
	}
	return string(text)
}
