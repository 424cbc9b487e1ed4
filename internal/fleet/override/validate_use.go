package override

import (
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
)

// ValidateClusterUse lists settings of a ClusterResourceOverride that the API accepts although they cannot work or are probably not intended.
func ValidateClusterUse(spec ClusterSpec) []placement.Problem {
	var v validator
	for i, s := range spec.ClusterResourceSelectors {
		v.checkKind(placement.At("cluster_resource_selectors").Index(i), schema.GroupVersionKind{Group: s.Group, Version: s.Version, Kind: s.Kind})
		if namespaced, known := selection.BuiltInScope(schema.GroupKind{Group: s.Group, Kind: s.Kind}); known && namespaced {
			v.add(placement.At("cluster_resource_selectors").Index(i).Attribute("kind"), "a %s is namespaced: use a fleet_resource_override in its "+
				"namespace, or select the Namespace here, which includes everything in it", s.Kind)
		}
	}
	v.checkUse(spec.Policy)
	return append(v.problems, spec.ValidateSensitive()...)
}

// ValidateUse lists settings of a ResourceOverride that the API accepts although they cannot work or are probably not intended.
func ValidateUse(spec Spec) []placement.Problem {
	var v validator
	for i, s := range spec.ResourceSelectors {
		at, kind := placement.At("resource_selectors").Index(i), schema.GroupVersionKind{Group: s.Group, Version: s.Version, Kind: s.Kind}
		v.checkKind(at, kind)
		if namespaced, known := selection.BuiltInScope(kind.GroupKind()); known && !namespaced {
			v.add(at.Attribute("kind"), "a %s is cluster-scoped: use a fleet_cluster_resource_override", s.Kind)
		}
	}
	v.checkUse(spec.Policy)
	return append(v.problems, spec.ValidateSensitive()...)
}

// checkKind adds the problems of a kind. It skips a kind without a version or name, which [ValidateCluster] or [Validate] reports.
func (v *validator) checkKind(at placement.Path, kind schema.GroupVersionKind) {
	if kind.Version != "" && kind.Kind != "" {
		v.problems = append(v.problems, selection.ValidateKind(at, kind)...)
	}
}

func (v *validator) checkUse(p *Policy) {
	if p == nil {
		return
	}
	for i, rule := range p.OverrideRules {
		at := placement.At("policy").Attribute("override_rules").Index(i)
		if rule.ClusterSelector == nil {
			v.problems = append(v.problems, placement.Problem{
				Path: at, Warning: true, Message: "without a cluster_selector, the rule applies to no cluster: for all clusters, set one without " +
					"terms",
			})
		}
		for j, patch := range rule.JSONPatchOverrides {
			here := at.Attribute("json_patch_overrides").Index(j)
			value := here.Attribute(patch.valueAttribute())
			if problem := problemOfEscapes(patch.Path); problem != "" {
				v.add(here.Attribute("path"), "%s", problem)
			}
			if problem := problemOfLabels(patch); problem != "" {
				v.add(value, "%s", problem)
			}
			if patch.Operation == Add && len(patch.Value) == 0 {
				v.add(value, "add needs a value: set value or value_sensitive, with jsonencode(null) to add null")
			}
			if unknown := unknownVariables(patch.Value); len(unknown) > 0 {
				v.add(value, "the variable %s does not exist: use ${MEMBER-CLUSTER-NAME} and ${MEMBER-CLUSTER-LABEL-KEY-<label key>}", strings.Join(unknown, ", "))
			}
		}
	}
}

var variable = regexp.MustCompile(`\$\{MEMBER[^}"]*\}?`)

// unknownVariables lists the texts that look like variables but are not variables. They would be placed unchanged.
func unknownVariables(value []byte) []string {
	var out []string
	for _, found := range variable.FindAllString(string(value), -1) {
		if found != nameVariable && !strings.HasPrefix(found, labelVariable) {
			out = append(out, found)
		}
	}
	return out
}
