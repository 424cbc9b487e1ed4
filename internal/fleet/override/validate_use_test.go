package override

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

func TestValidateUse(t *testing.T) {
	everywhere := &ClusterSelector{}
	patched := func(p Patch) ClusterSpec {
		return ClusterSpec{Policy: &Policy{OverrideRules: []Rule{{ClusterSelector: everywhere, JSONPatchOverrides: []Patch{p}}}}}
	}
	value := func(text string) ClusterSpec {
		return patched(Patch{Operation: Add, Path: "/spec/a", Value: json.RawMessage(text)})
	}
	for name, c := range map[string]struct {
		spec    ClusterSpec
		want    string
		warning bool
	}{
		"the variables that there are": {value(`"${MEMBER-CLUSTER-NAME} ${MEMBER-CLUSTER-LABEL-KEY-region}"`), "", false},
		"another variable":             {value(`"${MEMBER-CLUSTR-NAME}"`), "policy.override_rules[0].json_patch_overrides[0].value: there is no variable ${MEMBER-CLUSTR-NAME}", false},
		"one that does not end":        {value(`"${MEMBER"`), "policy.override_rules[0].json_patch_overrides[0].value: there is no variable ${MEMBER", false},
		"add without a value":          {patched(Patch{Operation: Add, Path: "/spec/a"}), "policy.override_rules[0].json_patch_overrides[0].value: add wants a value", false},
		"remove without a value":       {patched(Patch{Operation: Remove, Path: "/spec/a"}), "", false},
		"add null":                     {value(`null`), "", false},
		"no selector":                  {ClusterSpec{Policy: &Policy{OverrideRules: []Rule{{OverrideType: Delete}}}}, "policy.override_rules[0]: without a cluster_selector", true},
		"a namespaced kind": {
			ClusterSpec{ClusterResourceSelectors: []placement.ResourceSelector{{Group: "apps", Version: "v1", Kind: "Deployment", Name: "a"}}},
			"cluster_resource_selectors[0].kind: a Deployment is in a namespace", false,
		},
		"a Namespace": {ClusterSpec{ClusterResourceSelectors: []placement.ResourceSelector{{Version: "v1", Kind: "Namespace", Name: "a"}}}, "", false},
	} {
		problems := ValidateClusterUse(c.spec)
		switch {
		case c.want == "" && len(problems) > 0, c.want != "" && len(problems) != 1:
			t.Errorf("%s: %v", name, problems)
		case c.want != "" && (!strings.HasPrefix(problems[0].String(), c.want) || problems[0].Warning != c.warning):
			t.Errorf("%s: %v", name, problems[0])
		}
	}
	if problems := ValidateUse(Spec{Policy: value(`"${MEMBER-X}"`).Policy}); len(problems) != 1 {
		t.Errorf("of a namespace: %v", problems)
	}
}
