package override

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/kubefleetapi"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// ClusterResourceOverride is an override of cluster-scoped objects, and of all objects in a namespace.
type ClusterResourceOverride struct {
	Name string
	Spec ClusterSpec
}

// ResourceOverride is an override of objects in its namespace.
type ResourceOverride struct {
	Namespace, Name string
	Spec            Spec
}

// Overrides is a set of overrides of both kinds.
type Overrides struct {
	Cluster    []ClusterResourceOverride
	Namespaced []ResourceOverride
}

// Specs returns the specs of the overrides, each a [ClusterSpec] or a [Spec].
func (o Overrides) Specs() map[Reference]any {
	out := map[Reference]any{}
	for _, one := range o.Cluster {
		out[Reference{Name: one.Name}] = one.Spec
	}
	for _, one := range o.Namespaced {
		out[Reference{Namespace: one.Namespace, Name: one.Name}] = one.Spec
	}
	return out
}

// Same reports whether two specs, each a [ClusterSpec] or a [Spec], are equal. The sensitivity of values is ignored.
func Same(a, b any) bool {
	textA, errA := json.Marshal(a)
	textB, errB := json.Marshal(b)
	return errA == nil && errB == nil && bytes.Equal(textA, textB)
}

// Reference identifies an override.
type Reference struct {
	// Namespace is empty for a ClusterResourceOverride.
	Namespace string
	Name      string
}

// String returns the text for users: "ClusterResourceOverride a", "ResourceOverride web/a".
func (r Reference) String() string {
	if r.Namespace == "" {
		return "ClusterResourceOverride " + r.Name
	}
	return "ResourceOverride " + r.Namespace + "/" + r.Name
}

// Compare orders references by namespace and name, with ClusterResourceOverrides first.
func (r Reference) Compare(other Reference) int {
	return cmp.Or(strings.Compare(r.Namespace, other.Namespace), strings.Compare(r.Name, other.Name))
}

// Override is an override of an object, without its selectors.
type Override struct {
	Reference
	// Named reports whether the override names the placement and is not for all placements.
	Named bool
	Rules []Rule
}

// Cluster holds the data of a cluster that overrides use.
type Cluster struct {
	Name   string
	Labels map[string]string
}

// MemberNameLabel is the label with the cluster's name that KubeFleet sets on every cluster.
const MemberNameLabel = kubefleetapi.Prefix + "member-name"

// label returns a label of the cluster. The label [MemberNameLabel] always exists: if it is not in Labels, its value is the name of the cluster.
func (c Cluster) label(key string) (value string, found bool) {
	if value, found = c.Labels[key]; !found && key == MemberNameLabel {
		return c.Name, true
	}
	return value, found
}

// Applicable lists the overrides of an object on a cluster in the order in which they are applied: those that select the object, are for the
// placement (a ClusterResourcePlacement by its name, a ResourcePlacement as "namespace/name"), and have a rule that matches the cluster.
// KubeFleet's binding of the cluster lists these overrides for all objects together. The error is an *[Error] for an invalid label selector.
func Applicable(all Overrides, object manifest.Identifier, cluster Cluster, placementName string) ([]Override, error) {
	var found []Override
	for _, o := range all.Cluster {
		if o.isForObject(object, placementName) {
			found = append(found, newOverride(Reference{Name: o.Name}, o.Spec.Placement, o.Spec.Policy))
		}
	}
	for _, o := range all.Namespaced {
		if o.isForObject(object, placementName) {
			found = append(found, newOverride(Reference{Namespace: o.Namespace, Name: o.Name}, o.Spec.Placement, o.Spec.Policy))
		}
	}
	var applicable []Override
	for _, o := range found {
		matches, err := o.matches(object, cluster)
		if err != nil {
			return nil, err
		}
		if matches {
			applicable = append(applicable, o)
		}
	}
	// ClusterResourceOverrides have an empty namespace and are therefore first.
	slices.SortFunc(applicable, func(a, b Override) int { return a.Compare(b.Reference) })
	return applicable, nil
}

// With returns the overrides in o and in others.
func (o Overrides) With(others Overrides) Overrides {
	return Overrides{Cluster: slices.Concat(o.Cluster, others.Cluster), Namespaced: slices.Concat(o.Namespaced, others.Namespaced)}
}

// For returns the overrides for a placement, which is named as in [Applicable].
func (o Overrides) For(placementName string) Overrides {
	return Overrides{
		Cluster: slices.DeleteFunc(slices.Clone(o.Cluster), func(o ClusterResourceOverride) bool { return !o.Spec.Placement.isFor("", placementName) }),
		Namespaced: slices.DeleteFunc(slices.Clone(o.Namespaced), func(o ResourceOverride) bool {
			return !o.Spec.Placement.isFor(o.Namespace, placementName)
		}),
	}
}

// OnlyFor returns the overrides that name a placement, which is named as in [Applicable]. It does not return those for all placements.
func (o Overrides) OnlyFor(placementName string) []Reference {
	var out []Reference
	for _, one := range o.Cluster {
		if only := one.Spec.Placement; only != nil && only.isFor("", placementName) {
			out = append(out, Reference{Name: one.Name})
		}
	}
	for _, one := range o.Namespaced {
		if only := one.Spec.Placement; only != nil && only.isFor(one.Namespace, placementName) {
			out = append(out, Reference{Namespace: one.Namespace, Name: one.Name})
		}
	}
	return out
}

// Select reports whether any of the overrides selects the object and is for the placement, on any cluster. The placement is named as in [Applicable].
func (o Overrides) Select(object manifest.Identifier, placementName string) bool {
	return slices.ContainsFunc(o.Cluster, func(o ClusterResourceOverride) bool { return o.isForObject(object, placementName) }) ||
		slices.ContainsFunc(o.Namespaced, func(o ResourceOverride) bool { return o.isForObject(object, placementName) })
}

func newOverride(reference Reference, only *PlacementReference, policy *Policy) Override {
	o := Override{Reference: reference, Named: only != nil}
	if policy != nil {
		o.Rules = policy.OverrideRules
	}
	return o
}

// isFor reports whether an override with this reference is for a placement, which is named as in [Applicable]. namespace is the namespace of the override,
// empty for a ClusterResourceOverride. An override without a reference is for all placements.
func (p *PlacementReference) isFor(namespace, placementName string) bool {
	switch {
	case p == nil:
		return true
	case p.Scope == NamespacedScope && namespace != "":
		return namespace+"/"+p.Name == placementName
	}
	return p.Name == placementName
}

func (o ClusterResourceOverride) isForObject(object manifest.Identifier, placementName string) bool {
	return o.Spec.Placement.isFor("", placementName) && o.Spec.selects(object)
}

func (o ResourceOverride) isForObject(object manifest.Identifier, placementName string) bool {
	return o.Spec.Placement.isFor(o.Namespace, placementName) && o.selects(object)
}

// selects reports whether the spec selects an object. As in KubeFleet, a namespaced object is selected only through its Namespace.
func (s ClusterSpec) selects(object manifest.Identifier) bool {
	want := selectorOf(object)
	if object.Namespace != "" {
		want = Selector{Version: "v1", Kind: "Namespace", Name: object.Namespace}
	}
	return slices.ContainsFunc(s.ClusterResourceSelectors, func(r placement.ResourceSelector) bool {
		return Selector{Group: r.Group, Version: r.Version, Kind: r.Kind, Name: r.Name} == want
	})
}

func (o ResourceOverride) selects(object manifest.Identifier) bool {
	return object.Namespace != "" && object.Namespace == o.Namespace && slices.Contains(o.Spec.ResourceSelectors, selectorOf(object))
}

// selectorOf returns the selector that selects an object. As in KubeFleet, a selector includes the version.
func selectorOf(object manifest.Identifier) Selector {
	return Selector{Group: object.Group, Version: object.Version, Kind: object.Kind, Name: object.Name}
}

func (o Override) matches(object manifest.Identifier, cluster Cluster) (bool, error) {
	for i, rule := range o.Rules {
		matches, err := rule.matches(cluster)
		if err != nil {
			return false, &Error{Override: o.Reference, Object: object, Cluster: cluster.Name, Rule: i, Patch: -1, Err: err}
		}
		if matches {
			return true, nil
		}
	}
	return false, nil
}
