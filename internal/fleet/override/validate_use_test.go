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
		"another variable":             {value(`"${MEMBER-CLUSTR-NAME}"`), "policy.override_rules[0].json_patch_overrides[0].value: the variable ${MEMBER-CLUSTR-NAME}", false},
		"one that does not end":        {value(`"${MEMBER"`), "policy.override_rules[0].json_patch_overrides[0].value: the variable ${MEMBER", false},
		"add without a value":          {patched(Patch{Operation: Add, Path: "/spec/a"}), "policy.override_rules[0].json_patch_overrides[0].value: add needs a value", false},
		"remove without a value":       {patched(Patch{Operation: Remove, Path: "/spec/a"}), "", false},
		"add null":                     {value(`null`), "", false},
		"no selector":                  {ClusterSpec{Policy: &Policy{OverrideRules: []Rule{{OverrideType: Delete}}}}, "policy.override_rules[0]: without a cluster_selector", true},
		"a namespaced kind": {
			ClusterSpec{ClusterResourceSelectors: []placement.ResourceSelector{{Group: "apps", Version: "v1", Kind: "Deployment", Name: "a"}}},
			"cluster_resource_selectors[0].kind: a Deployment is namespaced", false,
		},
		"a kind in lower case": {
			ClusterSpec{ClusterResourceSelectors: []placement.ResourceSelector{{Version: "v1", Kind: "namespace", Name: "a"}}},
			`cluster_resource_selectors[0].kind: "namespace" is not a kind: did you mean Namespace?`, false,
		},
		"the group core": {
			ClusterSpec{ClusterResourceSelectors: []placement.ResourceSelector{{Group: "core", Version: "v1", Kind: "Namespace", Name: "a"}}},
			`cluster_resource_selectors[0].group: there is no group "core"`, false,
		},
		"an escape":            {patched(Patch{Operation: Remove, Path: "/data/a~2"}), "policy.override_rules[0].json_patch_overrides[0].path: in a JSON pointer, ~ must be followed by 0 or 1", false},
		"an escape at the end": {patched(Patch{Operation: Remove, Path: "/data/~0~1~"}), "policy.override_rules[0].json_patch_overrides[0].path: in a JSON pointer, ~ must be followed by 0 or 1", false},
		"escapes":              {patched(Patch{Operation: Remove, Path: "/data/~0~1a~01"}), "", false},
		"a label":              {patched(Patch{Operation: Add, Path: "/metadata/labels/a", Value: []byte(`"b"`)}), "", false},
		"a label by variables": {patched(Patch{Operation: Add, Path: "/metadata/labels/a", Value: []byte(`"${MEMBER-CLUSTER-NAME}"`)}), "", false},
		"a number as a label":  {patched(Patch{Operation: Add, Path: "/metadata/labels/a", Value: []byte(`5`)}), "policy.override_rules[0].json_patch_overrides[0].value: label values are strings", false},
		"null as a label":      {patched(Patch{Operation: Replace, Path: "/metadata/labels/a", Value: []byte(` null`)}), "policy.override_rules[0].json_patch_overrides[0].value: label values are strings", false},
		"an illegal label":     {patched(Patch{Operation: Add, Path: "/metadata/labels/a", Value: []byte(`"planted secret"`)}), "policy.override_rules[0].json_patch_overrides[0].value: this is not the value of a label: use A-Z", false},
		"all labels":           {patched(Patch{Operation: Add, Path: "/metadata/labels", Value: []byte(`{"a": true}`)}), `policy.override_rules[0].json_patch_overrides[0].value: key "a": label values are strings`, false},
		"sensitive labels":     {patched(Patch{Operation: Add, Path: "/metadata/labels", Value: []byte(`{"planted": true}`), Sensitive: true}), "policy.override_rules[0].json_patch_overrides[0].value_sensitive: the value of one of its keys: label values are strings", false},
		"no labels":            {patched(Patch{Operation: Add, Path: "/metadata/labels", Value: []byte(`[]`)}), "policy.override_rules[0].json_patch_overrides[0].value: labels are an object of strings", false},
		"an annotation":        {patched(Patch{Operation: Add, Path: "/metadata/annotations/a", Value: []byte(`"b c"`)}), "", false},
		"a number there":       {patched(Patch{Operation: Add, Path: "/metadata/annotations/a", Value: []byte(`5`)}), "policy.override_rules[0].json_patch_overrides[0].value: annotation values are strings", false},
		"a Namespace":          {ClusterSpec{ClusterResourceSelectors: []placement.ResourceSelector{{Version: "v1", Kind: "Namespace", Name: "a"}}}, "", false},
	} {
		problems := ValidateClusterUse(c.spec)
		switch {
		case c.want == "" && len(problems) > 0, c.want != "" && len(problems) != 1:
			t.Errorf("%s: %v", name, problems)
		case c.want != "" && (!strings.HasPrefix(problems[0].String(), c.want) || problems[0].Warning != c.warning):
			t.Errorf("%s: %v", name, problems[0])
		case c.want != "" && strings.Contains(problems[0].String(), "planted"):
			t.Errorf("%s repeats the value: %v", name, problems[0])
		}
	}
	if problems := ValidateUse(Spec{Policy: value(`"${MEMBER-X}"`).Policy}); len(problems) != 1 {
		t.Errorf("of a namespace: %v", problems)
	}
	for kind, want := range map[string]string{"deployment": "did you mean Deployment?", "Namespace": "use a fleet_cluster_resource_override"} {
		if problems := ValidateUse(Spec{ResourceSelectors: []Selector{{Version: "v1", Kind: kind, Name: "a"}}}); len(problems) != 1 || !strings.HasSuffix(problems[0].String(), want) {
			t.Errorf("%s: %v", kind, problems)
		}
	}
}
