package override

import (
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Position identifies a patch in a policy.
type Position struct {
	Rule  int `json:"rule"`
	Patch int `json:"patch"`
}

// Sensitive lists the patches with a sensitive value.
func (p *Policy) Sensitive() []Position {
	var out []Position
	p.forEachPatch(func(at Position, patch *Patch) {
		if patch.Sensitive && len(patch.Value) > 0 {
			out = append(out, at)
		}
	})
	return out
}

// MarkSensitive marks the values at the positions as sensitive.
func (p *Policy) MarkSensitive(positions []Position) {
	p.forEachPatch(func(at Position, patch *Patch) { patch.Sensitive = patch.Sensitive || slices.Contains(positions, at) })
}

// MarkLike marks each value as sensitive that has the same path as a sensitive value in another policy. It restores the marks, because an override is
// stored without them.
func (p *Policy) MarkLike(other *Policy) {
	sensitive := map[string]bool{}
	other.forEachPatch(func(_ Position, patch *Patch) { sensitive[patch.Path] = sensitive[patch.Path] || patch.Sensitive })
	p.forEachPatch(func(_ Position, patch *Patch) {
		patch.Sensitive = patch.Sensitive || sensitive[patch.Path] && len(patch.Value) > 0
	})
}

func (p *Policy) forEachPatch(do func(Position, *Patch)) {
	if p == nil {
		return
	}
	for i := range p.OverrideRules {
		for j := range p.OverrideRules[i].JSONPatchOverrides {
			do(Position{Rule: i, Patch: j}, &p.OverrideRules[i].JSONPatchOverrides[j])
		}
	}
}

// IsOfData reports whether the path of a patch is data or stringData, the fields with the values of a Secret, or inside one of them.
func (p Patch) IsOfData() bool {
	part, _, _ := strings.Cut(strings.TrimPrefix(p.Path, "/"), "/")
	return part == "data" || part == "stringData"
}

// MarkSecrets marks the values as sensitive that an override may write to the data of Secrets in a Namespace. It does not mark values at the
// paths in besides, whose marks are known; besides may be nil.
func (s ClusterSpec) MarkSecrets(besides *Policy) {
	if s.selectsNamespace() {
		s.Policy.markData(besides)
	}
}

// MarkSecrets marks the values as sensitive that an override writes to the data of Secrets.
func (s Spec) MarkSecrets() {
	if s.selectsSecret() {
		s.Policy.markData(nil)
	}
}

func (p *Policy) markData(besides *Policy) {
	known := map[string]bool{}
	besides.forEachPatch(func(_ Position, patch *Patch) { known[patch.Path] = true })
	p.forEachPatch(func(_ Position, patch *Patch) {
		patch.Sensitive = patch.Sensitive || patch.IsOfData() && len(patch.Value) > 0 && !known[patch.Path]
	})
}

func (s ClusterSpec) selectsNamespace() bool {
	return slices.ContainsFunc(s.ClusterResourceSelectors, func(r placement.ResourceSelector) bool { return r.Group == "" && r.Kind == "Namespace" })
}

func (s Spec) selectsSecret() bool {
	return slices.ContainsFunc(s.ResourceSelectors, func(r Selector) bool { return r.Group == "" && r.Kind == "Secret" })
}

// SensitiveValue is a sensitive value and its path in the object.
type SensitiveValue struct {
	Path  string
	Value any
}

// SensitiveValues returns the sensitive values that the overrides can write to an object, with their variables replaced for a cluster. It includes
// the values of rules that do not match the cluster. A value whose variables cannot be replaced is nil. The placement is named as in [Applicable].
func (o Overrides) SensitiveValues(object manifest.Identifier, cluster Cluster, placementName string) []SensitiveValue {
	var out []SensitiveValue
	add := func(p *Policy) {
		p.forEachPatch(func(_ Position, patch *Patch) {
			if !patch.Sensitive {
				return
			}
			value, err := decode(patch.Value, cluster)
			if err != nil {
				value = nil // the path remains hidden
			}
			out = append(out, SensitiveValue{Path: patch.Path, Value: value})
		})
	}
	for _, one := range o.Cluster {
		if one.isForObject(object, placementName) {
			add(one.Spec.Policy)
		}
	}
	for _, one := range o.Namespaced {
		if one.isForObject(object, placementName) {
			add(one.Spec.Policy)
		}
	}
	return out
}

// HaveSensitive reports whether an override has a sensitive value.
func (o Overrides) HaveSensitive() bool {
	return slices.ContainsFunc(o.Cluster, func(one ClusterResourceOverride) bool { return len(one.Spec.Policy.Sensitive()) > 0 }) ||
		slices.ContainsFunc(o.Namespaced, func(one ResourceOverride) bool { return len(one.Spec.Policy.Sensitive()) > 0 })
}

func (p Patch) valueAttribute() string {
	if p.Sensitive {
		return "value_sensitive"
	}
	return "value"
}

func (p *Policy) visibleData() []placement.Path {
	var out []placement.Path
	p.forEachPatch(func(at Position, patch *Patch) {
		if patch.IsOfData() && len(patch.Value) > 0 && !patch.Sensitive {
			out = append(out, placement.At("policy").Attribute("override_rules").Index(at.Rule).Attribute("json_patch_overrides").Index(at.Patch).Attribute("value"))
		}
	})
	return out
}

// ValidateSensitive warns about values that would disclose a Secret in the Namespace.
func (s ClusterSpec) ValidateSensitive() []placement.Problem {
	if !s.selectsNamespace() {
		return nil
	}
	var v validator
	for _, at := range s.Policy.visibleData() {
		v.problems = append(v.problems, placement.Problem{
			Path: at, Warning: true, Message: "plans show it, and it becomes part of the Secrets in the Namespace, if there are any: set value_sensitive instead",
		})
	}
	return v.problems
}

// ValidateSensitive lists the values that would disclose a Secret.
func (s Spec) ValidateSensitive() []placement.Problem {
	if !s.selectsSecret() {
		return nil
	}
	var v validator
	for _, at := range s.Policy.visibleData() {
		v.add(at, "plans show it, and it is a value of a Secret: set value_sensitive instead")
	}
	return v.problems
}
