package override

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// newPolicy returns a policy with one rule for all clusters.
func newPolicy(patches ...Patch) *Policy {
	return &Policy{OverrideRules: []Rule{{ClusterSelector: &ClusterSelector{}, JSONPatchOverrides: patches}}}
}

func newAddPatch(path, value string) Patch {
	return Patch{Operation: Add, Path: path, Value: []byte(value)}
}

func TestSensitive(t *testing.T) {
	t.Parallel()
	p := newPolicy(newAddPatch("/data/a", `"x"`), newAddPatch("/data/b", `"y"`), Patch{Operation: Remove, Path: "/data/c"})
	p.MarkSensitive([]Position{{Patch: 1}, {Patch: 2}, {Rule: 7, Patch: -1}})
	if diff := cmp.Diff([]Position{{Patch: 1}}, p.Sensitive()); diff != "" {
		t.Error(diff) // an operation without a value has none that is sensitive
	}
	moved := newPolicy(newAddPatch("/data/z", `"z"`), newAddPatch("/data/b", `"new"`))
	moved.MarkLike(p)
	if diff := cmp.Diff([]Position{{Patch: 1}}, moved.Sensitive()); diff != "" {
		t.Error(diff)
	}
	var none *Policy
	none.MarkSensitive([]Position{{}})
	none.MarkLike(p)
	p.MarkLike(none)
	if found := none.Sensitive(); found != nil {
		t.Error(found)
	}
	plain := newPolicy(newAddPatch("/data/a", `"x"`), newAddPatch("/data/b", ` "y"`), Patch{Operation: Remove, Path: "/data/c"})
	if !Same(Spec{Policy: p}, Spec{Policy: plain}) || Same(Spec{Policy: p}, Spec{Policy: moved}) {
		t.Error("only the marks may differ")
	}
}

// dataOf returns the specs of a ClusterResourceOverride and of a ResourceOverride for the object "a" of a kind. Each sets a value in data and a label.
func dataOf(kind string) (ClusterSpec, Spec) {
	patches := func() *Policy {
		return newPolicy(newAddPatch("/data/a", `"x"`), newAddPatch("/metadata/labels/a", `"x"`))
	}
	return ClusterSpec{ClusterResourceSelectors: []placement.ResourceSelector{{Version: "v1", Kind: kind, Name: "a"}}, Policy: patches()},
		Spec{ResourceSelectors: []Selector{{Version: "v1", Kind: kind, Name: "a"}}, Policy: patches()}
}

// TestSecretValues checks that values of Secrets must be sensitive, and that a value that may become one is marked and causes a warning.
func TestSecretValues(t *testing.T) {
	t.Parallel()
	namespace, _ := dataOf("Namespace")
	_, secret := dataOf("Secret")
	_, config := dataOf("ConfigMap")
	const at = "policy.override_rules[0].json_patch_overrides[0].value: plans show it, and it "
	for name, c := range map[string]struct {
		find    func() []placement.Problem
		mark    func()
		policy  *Policy
		want    []string
		warning bool
	}{
		"a Namespace": {
			namespace.ValidateSensitive, func() { namespace.MarkSecrets(nil) }, namespace.Policy,
			[]string{at + "becomes part of the Secrets in the Namespace, if there are any: set value_sensitive instead"}, true,
		},
		"a Secret":    {secret.ValidateSensitive, secret.MarkSecrets, secret.Policy, []string{at + "is a value of a Secret: set value_sensitive instead"}, false},
		"a ConfigMap": {config.ValidateSensitive, config.MarkSecrets, config.Policy, nil, false},
	} {
		problems := c.find()
		if diff := cmp.Diff(c.want, texts(problems)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if len(problems) > 0 && problems[0].Warning != c.warning {
			t.Errorf("%s: a warning: %v", name, problems[0].Warning)
		}
		c.mark()
		if got := c.policy.Sensitive(); len(got) != len(c.want) || len(got) == 1 && got[0] != (Position{}) {
			t.Errorf("%s: %v are marked", name, got)
		}
		if problems := c.find(); len(problems) > 0 {
			t.Errorf("%s, sensitive: %v", name, problems)
		}
	}
}

func TestSensitiveValues(t *testing.T) {
	t.Parallel()
	secret := newAddPatch("/spec/a", `{"on": "${MEMBER-CLUSTER-NAME}"}`)
	secret.Sensitive = true
	other := newAddPatch("/spec/b", `"shown"`)
	all := Overrides{
		Cluster: []ClusterResourceOverride{{Name: "a", Spec: ClusterSpec{
			ClusterResourceSelectors: []placement.ResourceSelector{{Version: "v1", Kind: "Namespace", Name: "app"}}, Policy: newPolicy(secret, other),
		}}},
		Namespaced: []ResourceOverride{{Namespace: "app", Name: "b", Spec: Spec{
			Placement: &PlacementReference{Name: "web"}, ResourceSelectors: []Selector{{Version: "v1", Kind: "ConfigMap", Name: "a"}}, Policy: newPolicy(secret),
		}}},
	}
	object := manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "app", Name: "a"}
	value := SensitiveValue{Path: "/spec/a", Value: map[string]any{"on": "member-1"}}
	for placement, want := range map[string][]SensitiveValue{"web": {value, value}, "shop": {value}} {
		if diff := cmp.Diff(want, all.SensitiveValues(object, Cluster{Name: "member-1"}, placement)); diff != "" {
			t.Errorf("%s: %s", placement, diff)
		}
	}
	object.Namespace = "elsewhere"
	if got := all.SensitiveValues(object, Cluster{Name: "member-1"}, "web"); got != nil {
		t.Error(got)
	}
}

// TestMarkSecretsBesides checks that a value in data counts as one of a Secret if the other policy has no value at its path.
func TestMarkSecretsBesides(t *testing.T) {
	t.Parallel()
	namespace, _ := dataOf("Namespace")
	namespace.Policy = newPolicy(newAddPatch("/data/a", `"x"`), newAddPatch("/data/new", `"x"`), newAddPatch("/metadata/labels/new", `"x"`))
	namespace.MarkSecrets(newPolicy(newAddPatch("/data/a", `"x"`)))
	if diff := cmp.Diff([]Position{{Patch: 1}}, namespace.Policy.Sensitive()); diff != "" {
		t.Error(diff)
	}
}
