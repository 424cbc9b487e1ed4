package override

import (
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// GivesSecrets tells whether a value of the override may become part of a Secret. A Namespace stands for the Secrets in it, too, of which
// the values are in data and stringData.
func (s ClusterSpec) GivesSecrets() bool {
	namespace := slices.ContainsFunc(s.ClusterResourceSelectors, func(one placement.ResourceSelector) bool {
		return one.Group == "" && one.Kind == "Namespace"
	})
	return namespace && s.Policy.gives(func(p Patch) bool {
		part, _, _ := strings.Cut(strings.TrimPrefix(p.Path, "/"), "/")
		return part == "data" || part == "stringData"
	})
}

// GivesSecrets tells whether a value of the override becomes part of a Secret.
func (s Spec) GivesSecrets() bool {
	secret := slices.ContainsFunc(s.ResourceSelectors, func(one Selector) bool { return one.Group == "" && one.Kind == "Secret" })
	return secret && s.Policy.gives(func(Patch) bool { return true })
}

// gives tells whether there is a value that is meant.
func (p *Policy) gives(meant func(Patch) bool) bool {
	return p != nil && slices.ContainsFunc(p.OverrideRules, func(rule Rule) bool {
		return slices.ContainsFunc(rule.JSONPatchOverrides, func(patch Patch) bool { return len(patch.Value) > 0 && meant(patch) })
	})
}

// WithoutValues is the policy with patches that have no values.
func (p *Policy) WithoutValues() *Policy {
	if p == nil {
		return nil
	}
	rules := slices.Clone(p.OverrideRules)
	for i, rule := range rules {
		rules[i].JSONPatchOverrides = slices.Clone(rule.JSONPatchOverrides)
		for j := range rules[i].JSONPatchOverrides {
			rules[i].JSONPatchOverrides[j].Value = nil
		}
	}
	return &Policy{OverrideRules: rules}
}
