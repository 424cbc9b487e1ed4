package override

import (
	"encoding/json"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// ClusterSpec is the spec of a ClusterResourceOverride. JSON names are those of the CRD.
type ClusterSpec struct {
	// Placement is the only placement that the override is for; nil means all.
	Placement *PlacementReference `json:"placement,omitempty"`
	// ClusterResourceSelectors select cluster-scoped objects by name. A selector of a Namespace also selects all objects in it.
	ClusterResourceSelectors []placement.ResourceSelector `json:"clusterResourceSelectors,omitzero"`
	Policy                   *Policy                      `json:"policy,omitempty"`
}

// Spec is the spec of a ResourceOverride. JSON names are those of the CRD.
type Spec struct {
	// Placement is the only placement that the override is for; nil means all.
	Placement *PlacementReference `json:"placement,omitempty"`
	// ResourceSelectors select objects in the override's own namespace.
	ResourceSelectors []Selector `json:"resourceSelectors,omitzero"`
	Policy            *Policy    `json:"policy,omitempty"`
}

// PlacementReference identifies a placement.
type PlacementReference struct {
	Name string `json:"name"`
	// Scope is Cluster, the default, for a ClusterResourcePlacement, or Namespaced for a ResourcePlacement in the override's namespace.
	Scope Scope `json:"scope,omitempty"`
}

// Selector selects one object.
type Selector struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
	Name    string `json:"name"`
}

// Policy lists the rules. All rules that match a cluster are applied in order.
type Policy struct {
	OverrideRules []Rule `json:"overrideRules,omitzero"`
}

// Rule is a change on some clusters.
type Rule struct {
	// ClusterSelector selects the clusters. If it is nil, it selects none. A selector without terms selects all.
	ClusterSelector    *ClusterSelector `json:"clusterSelector,omitempty"`
	OverrideType       Type             `json:"overrideType,omitempty"`
	JSONPatchOverrides []Patch          `json:"jsonPatchOverrides,omitzero"`
}

// ClusterSelector is a list of terms; a cluster matches if it matches one of them. Only label selectors are allowed.
type ClusterSelector struct {
	ClusterSelectorTerms []placement.ClusterSelectorTerm `json:"clusterSelectorTerms"`
}

// MarshalJSON encodes no terms as an empty list, because the API rejects a selector without the list.
func (s ClusterSelector) MarshalJSON() ([]byte, error) {
	type plain ClusterSelector
	if s.ClusterSelectorTerms == nil {
		s.ClusterSelectorTerms = []placement.ClusterSelectorTerm{}
	}
	return json.Marshal(plain(s))
}

// Patch is one operation of a JSON patch (RFC 6902).
type Patch struct {
	Operation Operation `json:"op"`
	// Path is a JSON pointer. Replace and remove fail if the path does not exist, add fails if its parent does not exist.
	Path string `json:"path"`
	// Value is any JSON; empty means null. Strings and keys in it may contain variables.
	Value json.RawMessage `json:"value,omitempty"`
	// Sensitive reports that the value must not be shown. It is not in the CRD.
	Sensitive bool `json:"-"`
}

// The enumerations of the CRD, in its spelling. Each has a Values method for validators and documentation.
type (
	// Scope is the scope of a placement.
	Scope string
	// Type is the type of a rule.
	Type string
	// Operation is the operation of a patch.
	Operation string
)

const (
	ClusterScope    Scope = "Cluster"
	NamespacedScope Scope = "Namespaced"

	JSONPatch Type = "JSONPatch"
	Delete    Type = "Delete"

	Add     Operation = "add"
	Remove  Operation = "remove"
	Replace Operation = "replace"
)

// Values lists the values in the order in which they are documented.
func (Scope) Values() []string { return []string{"Cluster", "Namespaced"} }

// Values lists the values in the order in which they are documented.
func (Type) Values() []string { return []string{"JSONPatch", "Delete"} }

// Values lists the values in the order in which they are documented.
func (Operation) Values() []string { return []string{"add", "remove", "replace"} }
