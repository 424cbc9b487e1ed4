package override

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

const someOverrides = `
Cluster:
- {Name: z-namespace, Spec: {clusterResourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}], policy: {overrideRules: [ALL]}}}
- {Name: a-namespace, Spec: {clusterResourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}], policy: {overrideRules: [ALL]}}}
- {Name: of-p, Spec: {placement: {name: p}, clusterResourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}], policy: {overrideRules: [ALL]}}}
- {Name: of-q, Spec: {placement: {name: q, scope: Cluster}, clusterResourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}], policy: {overrideRules: [ALL]}}}
- {Name: role, Spec: {clusterResourceSelectors: [{group: rbac.authorization.k8s.io, version: v1, kind: ClusterRole, name: reader}], policy: {overrideRules: [ALL]}}}
- {Name: useless, Spec: {clusterResourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}], policy: {overrideRules: [ALL]}}}
- {Name: nowhere, Spec: {clusterResourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}], policy: {overrideRules: [{overrideType: Delete}]}}}
- {Name: without, Spec: {clusterResourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}]}}
- {Name: east, Spec: {clusterResourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}], policy: {overrideRules: [{overrideType: Delete}, EAST]}}}
Namespaced:
- {Namespace: web, Name: z, Spec: {resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}], policy: {overrideRules: [ALL]}}}
- {Namespace: web, Name: b, Spec: {resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}], policy: {overrideRules: [ALL]}}}
- {Namespace: other, Name: c, Spec: {resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}], policy: {overrideRules: [ALL]}}}
- {Namespace: web, Name: beta, Spec: {resourceSelectors: [{group: apps, version: v1beta1, kind: Deployment, name: web}], policy: {overrideRules: [ALL]}}}
- {Namespace: web, Name: of-rp, Spec: {placement: {name: p, scope: Namespaced}, resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}], policy: {overrideRules: [ALL]}}}
- {Namespace: web, Name: of-crp, Spec: {placement: {name: p}, resourceSelectors: [{group: apps, version: v1, kind: Deployment, name: web}], policy: {overrideRules: [ALL]}}}
- {Namespace: web, Name: no-namespace, Spec: {resourceSelectors: [{group: rbac.authorization.k8s.io, version: v1, kind: ClusterRole, name: reader}], policy: {overrideRules: [ALL]}}}
`

func overrides(t testing.TB) Overrides {
	var all Overrides
	text := strings.NewReplacer("ALL", "{"+everywhere+", overrideType: Delete}",
		"EAST", "{clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {region: east}}}]}}").Replace(someOverrides)
	if err := yaml.UnmarshalStrict([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestApplicable(t *testing.T) {
	deployment := manifest.Identifier{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "web", Name: "web"}
	tests := map[string]struct {
		object    manifest.Identifier
		cluster   Cluster
		placement string
		want      string
	}{
		"namespaced":    {deployment, Cluster{Name: "m"}, "o", "a-namespace z-namespace web/b web/z"},
		"on a cluster":  {deployment, Cluster{Name: "m", Labels: map[string]string{"region": "east"}}, "o", "a-namespace east z-namespace web/b web/z"},
		"placement p":   {deployment, Cluster{Name: "m"}, "p", "a-namespace of-p z-namespace web/b web/of-crp web/z"},
		"placement q":   {deployment, Cluster{Name: "m"}, "q", "a-namespace of-q z-namespace web/b web/z"},
		"in namespaces": {deployment, Cluster{Name: "m"}, "web/p", "a-namespace z-namespace web/b web/of-rp web/z"},
		"the namespace": {manifest.Identifier{Version: "v1", Kind: "Namespace", Name: "web"}, Cluster{Name: "m"}, "o", "a-namespace z-namespace"},
		"in another":    {manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "other", Name: "web"}, Cluster{Name: "m"}, "o", ""},
		"cluster role":  {manifest.Identifier{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole", Name: "reader"}, Cluster{Name: "m"}, "o", "role"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			found, err := Applicable(overrides(t), tt.object, tt.cluster, tt.placement)
			if err != nil {
				t.Fatal(err)
			}
			if got := names(found); got != tt.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

func names(found []Override) string {
	var names []string
	for _, o := range found {
		_, name, _ := strings.Cut(o.String(), " ")
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// TestApplicableIgnoresOrder checks that the order of the given overrides is irrelevant.
func TestApplicableIgnoresOrder(t *testing.T) {
	all := overrides(t)
	object := manifest.Identifier{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "web", Name: "web"}
	want, err := Applicable(all, object, member1, "p")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		shuffled := Overrides{rapid.Permutation(all.Cluster).Draw(t, "cluster"), rapid.Permutation(all.Namespaced).Draw(t, "namespaced")}
		got, err := Applicable(shuffled, object, member1, "p")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Fatal(err, diff)
		}
	})
}

func TestApplicableFails(t *testing.T) {
	all := Overrides{Cluster: []ClusterResourceOverride{{Name: "o"}}}
	if err := yaml.Unmarshal([]byte(`{clusterResourceSelectors: [{version: v1, kind: Namespace, name: web}], policy: {overrideRules: [`+
		`{clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {"?": b}}}]}}]}}`), &all.Cluster[0].Spec); err != nil {
		t.Fatal(err)
	}
	_, err := Applicable(all, manifest.Identifier{Version: "v1", Kind: "Namespace", Name: "web"}, member1, "p")
	if err == nil || !strings.HasPrefix(err.Error(), "ClusterResourceOverride o failed to apply on Namespace web for cluster \"member-1\": policy.override_rules[0]: ") {
		t.Errorf("got %v", err)
	}
}

// TestSpecJSON checks that fields that the API requires are encoded, and that null is not.
func TestSpecJSON(t *testing.T) {
	text, err := json.Marshal(ClusterSpec{Policy: &Policy{OverrideRules: []Rule{{ClusterSelector: &ClusterSelector{}, OverrideType: Delete}}}})
	if want := `{"policy":{"overrideRules":[{"clusterSelector":{"clusterSelectorTerms":[]},"overrideType":"Delete"}]}}`; err != nil || string(text) != want {
		t.Errorf("got %s, %v", text, err)
	}
	const full = `{"placement":{"name":"p","scope":"Cluster"},"resourceSelectors":[{"group":"","version":"v1","kind":"ConfigMap","name":"a"}],` +
		`"policy":{"overrideRules":[{"clusterSelector":{"clusterSelectorTerms":[{"labelSelector":{"matchLabels":{"a":"b"}}}]},` +
		`"overrideType":"JSONPatch","jsonPatchOverrides":[{"op":"add","path":"/data/a","value":{"b":[1,null]}},{"op":"remove","path":"/data/c"}]}]}}`
	var spec Spec
	if err := json.Unmarshal([]byte(full), &spec); err != nil {
		t.Fatal(err)
	}
	if text, err := json.Marshal(spec); err != nil || string(text) != full {
		t.Errorf("got %s, %v", text, err)
	}
}
