package override

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// The limits of the CustomResourceDefinitions.
const (
	maxSelectors = 20
	maxRules     = 20
	maxPatches   = 20
	maxTerms     = 10
)

// ValidateCluster lists every rule of KubeFleet's API that the spec of a ClusterResourceOverride breaks and that can be checked without the
// other overrides: the schema and the CEL rules of the CustomResourceDefinition, and the rules of the validating webhook.
func ValidateCluster(spec ClusterSpec) []placement.Problem {
	var v validator
	v.checkReference(placement.At("placement"), spec.Placement)
	if spec.Placement != nil && spec.Placement.Scope == NamespacedScope {
		v.add(placement.At("placement").Attribute("scope"), "a ClusterResourceOverride cannot be for a placement in a namespace: set it to Cluster")
	}
	path := placement.At("cluster_resource_selectors")
	v.checkCount(path, len(spec.ClusterResourceSelectors), 1, maxSelectors)
	seen := map[placement.ResourceSelector]int{}
	for i, s := range spec.ClusterResourceSelectors {
		v.checkClusterSelectorEntry(path.Index(i), s)
		if s.LabelSelector == nil && s.Name != "" {
			checkDuplicate(&v, path.Index(i), seen, withScope(s), i)
		}
	}
	v.checkPolicy(placement.At("policy"), spec.Policy)
	return v.problems
}

// Validate lists every rule of KubeFleet's API that the spec of a ResourceOverride breaks and that can be checked without the other overrides:
// the schema of the CustomResourceDefinition and the rules of the validating webhook.
func Validate(spec Spec) []placement.Problem {
	var v validator
	v.checkReference(placement.At("placement"), spec.Placement)
	path := placement.At("resource_selectors")
	v.checkCount(path, len(spec.ResourceSelectors), 1, maxSelectors)
	seen := map[Selector]int{}
	for i, s := range spec.ResourceSelectors {
		v.checkNames(path.Index(i), s.Version, s.Kind, s.Name)
		checkDuplicate(&v, path.Index(i), seen, s, i)
	}
	v.checkPolicy(placement.At("policy"), spec.Policy)
	return v.problems
}

// ValidateChange lists the problems of a change of the placement reference: the reference cannot be changed, added or removed.
func ValidateChange(before, after *PlacementReference) []placement.Problem {
	if before == nil && after == nil || before != nil && after != nil && before.withDefault() == after.withDefault() {
		return nil
	}
	return []placement.Problem{{
		Path: placement.At("placement"), Message: "the placement of an override cannot be changed: create another override",
	}}
}

func (p PlacementReference) withDefault() PlacementReference {
	if p.Scope == "" {
		p.Scope = ClusterScope
	}
	return p
}

// withScope returns a selector with the default scope if it has no scope. KubeFleet compares selectors in this form.
func withScope(s placement.ResourceSelector) placement.ResourceSelector {
	if s.SelectionScope == "" {
		s.SelectionScope = placement.NamespaceWithResources
	}
	return s
}

type validator struct{ problems []placement.Problem }

func (v *validator) add(path placement.Path, format string, args ...any) {
	v.problems = append(v.problems, placement.Problem{Path: path, Message: fmt.Sprintf(format, args...)})
}

func (v *validator) checkCount(path placement.Path, count, least, most int) {
	if count < least || count > most {
		v.add(path, "there are %d, and between %d and %d are allowed", count, least, most)
	}
}

func checkEnum[T placement.Enumeration](v *validator, path placement.Path, value T) (valid bool) {
	if value == "" {
		return true
	}
	problem := placement.ProblemOfValue(value)
	if problem != "" {
		v.add(path, "%s", problem)
	}
	return problem == ""
}

func checkDuplicate[S comparable](v *validator, path placement.Path, seen map[S]int, s S, i int) {
	if first, found := seen[s]; found {
		v.add(path, "selector %d is the same: remove one", first)
		return
	}
	seen[s] = i
}

func (v *validator) checkReference(path placement.Path, p *PlacementReference) {
	if p == nil {
		return
	}
	if p.Name == "" {
		v.add(path.Attribute("name"), "the name of the placement is required; without placement, the override is for all placements")
	}
	checkEnum(v, path.Attribute("scope"), p.Scope)
}

func (v *validator) checkNames(path placement.Path, version, kind, name string) {
	if version == "" {
		v.add(path.Attribute("version"), `the version is required, for instance "v1"`)
	}
	if kind == "" {
		v.add(path.Attribute("kind"), `the kind is required, for instance "Deployment"`)
	}
	if name == "" {
		v.add(path.Attribute("name"), "the name is required: an override selects objects by name only")
	}
}

func (v *validator) checkClusterSelectorEntry(path placement.Path, s placement.ResourceSelector) {
	v.checkNames(path, s.Version, s.Kind, s.Name)
	if s.LabelSelector != nil {
		v.add(path.Attribute("label_selector"), "an override selects objects by name only: remove it, and set name")
	}
	checkEnum(v, path.Attribute("selection_scope"), s.SelectionScope)
}

func (v *validator) checkPolicy(path placement.Path, p *Policy) {
	if p == nil {
		v.add(path, "the policy is required: it has the rules of the override")
		return
	}
	rules := path.Attribute("override_rules")
	v.checkCount(rules, len(p.OverrideRules), 1, maxRules)
	for i, rule := range p.OverrideRules {
		v.checkRule(rules.Index(i), rule)
	}
}

func (v *validator) checkRule(path placement.Path, r Rule) {
	if r.ClusterSelector != nil {
		v.checkTerms(path.Attribute("cluster_selector").Attribute("cluster_selector_terms"), r.ClusterSelector.ClusterSelectorTerms)
	}
	if !checkEnum(v, path.Attribute("override_type"), r.OverrideType) {
		return
	}
	patches := path.Attribute("json_patch_overrides")
	if r.OverrideType == Delete {
		if len(r.JSONPatchOverrides) > 0 {
			v.add(patches, "a rule of type Delete has no patches: remove them, or set override_type to JSONPatch")
		}
		return
	}
	v.checkCount(patches, len(r.JSONPatchOverrides), 1, maxPatches)
	for i, p := range r.JSONPatchOverrides {
		v.checkPatch(patches.Index(i), p)
	}
}

func (v *validator) checkTerms(path placement.Path, terms []placement.ClusterSelectorTerm) {
	v.checkCount(path, len(terms), 0, maxTerms)
	for i, term := range terms {
		at := path.Index(i)
		if term.PropertySelector != nil {
			v.add(at.Attribute("property_selector"), "overrides select clusters by labels only: remove it")
		}
		if term.PropertySorter != nil {
			v.add(at.Attribute("property_sorter"), "overrides select clusters by labels only: remove it")
		}
		if term.LabelSelector == nil {
			v.add(at.Attribute("label_selector"), "the label selector is required; an empty one matches every cluster")
			continue
		}
		v.problems = append(v.problems, placement.ValidateLabelSelector(at.Attribute("label_selector"), term.LabelSelector)...)
	}
}

func (v *validator) checkPatch(path placement.Path, p Patch) {
	if err := checkOperation(p.Operation); err != nil {
		v.add(path.Attribute("op"), "%s", err)
	}
	if err := checkPath(p.Path); err != nil {
		v.add(path.Attribute("path"), "%s", err)
	}
	value := path.Attribute(p.valueAttribute())
	switch {
	case len(p.Value) == 0:
	case !json.Valid(p.Value):
		v.add(value, "the value is not JSON: write it with jsonencode(...)")
	case p.Operation == Remove && string(bytes.TrimSpace(p.Value)) != "null":
		v.add(value, "remove takes no value: omit it")
	}
}

func checkOperation(operation Operation) error {
	if problem := placement.ProblemOfValue(operation); problem != "" {
		return errors.New(problem)
	}
	return nil
}
