package override

import (
	"encoding/json"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// ClusterSpec is the spec of a ClusterResourceOverride. JSON names are those of the CRD.
type ClusterSpec struct {
	// Placement is the only placement that the override is for; nil stands for all.
	Placement *PlacementReference `json:"placement,omitempty"`
	// ClusterResourceSelectors pick cluster-scoped objects by name. One that picks a Namespace picks all that is in it, too.
	ClusterResourceSelectors []placement.ResourceSelector `json:"clusterResourceSelectors,omitzero"`
	Policy                   *Policy                      `json:"policy,omitempty"`
}

// Spec is the spec of a ResourceOverride. JSON names are those of the CRD.
type Spec struct {
	// Placement is the only placement that the override is for; nil stands for all.
	Placement *PlacementReference `json:"placement,omitempty"`
	// ResourceSelectors pick objects in the override's own namespace.
	ResourceSelectors []Selector `json:"resourceSelectors,omitzero"`
	Policy            *Policy    `json:"policy,omitempty"`
}

// PlacementReference names a placement.
type PlacementReference struct {
	Name string `json:"name"`
	// Scope is Cluster, the default, for a ClusterResourcePlacement, and Namespaced for a ResourcePlacement in the override's namespace.
	Scope Scope `json:"scope,omitempty"`
}

// Selector picks one object.
type Selector struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
	Name    string `json:"name"`
}

// Policy says what is different where. All rules that match a cluster are applied, the first one first.
type Policy struct {
	OverrideRules []Rule `json:"overrideRules,omitzero"`
}

// Rule says what is different on some clusters.
type Rule struct {
	// ClusterSelector says on which. Nil picks no cluster at all, one without terms picks every cluster.
	ClusterSelector    *ClusterSelector `json:"clusterSelector,omitempty"`
	OverrideType       Type             `json:"overrideType,omitempty"`
	JSONPatchOverrides []Patch          `json:"jsonPatchOverrides,omitzero"`
}

// ClusterSelector is a list of terms; a cluster that matches one of them matches. Only label selectors are allowed in them.
type ClusterSelector struct {
	ClusterSelectorTerms []placement.ClusterSelectorTerm `json:"clusterSelectorTerms"`
}

// MarshalJSON writes an empty list for no terms, because the API refuses a selector in which the list is missing.
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
	// Path is a JSON pointer. Where nothing is at the path, replace and remove fail; where nothing is above it, add does.
	Path string `json:"path"`
	// Value is any JSON; nothing means null. Texts and keys in it may hold variables.
	Value json.RawMessage `json:"value,omitempty"`
	// Sensitive reports that nothing may show the value. It is not in the CRD.
	Sensitive bool `json:"-"`
}

// The enumerations of the CRD, in its spelling. Each has a Values function, which validators and documentation share.
type (
	// Scope says what kind of placement is meant.
	Scope string
	// Type says what a rule does.
	Type string
	// Operation says what a patch does.
	Operation string
)

// The values of the enumerations.
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
