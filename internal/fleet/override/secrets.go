package override

import "slices"

// GivesSecrets reports whether a value of the override is sensitive or may become part of a Secret. An override of a Namespace also applies to
// its Secrets, whose values are in data and stringData.
func (s ClusterSpec) GivesSecrets() bool {
	return len(s.Policy.Sensitive()) > 0 || s.selectsNamespace() && s.Policy.hasValue(Patch.IsOfData)
}

// GivesSecrets reports whether a value of the override is sensitive or becomes part of a Secret.
func (s Spec) GivesSecrets() bool {
	return len(s.Policy.Sensitive()) > 0 || s.selectsSecret() && s.Policy.hasValue(func(Patch) bool { return true })
}

func (p *Policy) hasValue(isRelevant func(Patch) bool) bool {
	return p != nil && slices.ContainsFunc(p.OverrideRules, func(rule Rule) bool {
		return slices.ContainsFunc(rule.JSONPatchOverrides, func(patch Patch) bool { return len(patch.Value) > 0 && isRelevant(patch) })
	})
}

// WithoutValues returns the policy without the values of its patches.
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
