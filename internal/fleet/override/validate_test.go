package override

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

func spec[S any](t testing.TB, text string) S {
	t.Helper()
	var s S
	if err := yaml.UnmarshalStrict([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func texts(problems []placement.Problem) []string {
	var texts []string
	for _, p := range problems {
		texts = append(texts, p.String())
	}
	return texts
}

const (
	someRole = `clusterResourceSelectors: [{group: rbac.authorization.k8s.io, version: v1, kind: ClusterRole, name: x}]`
	somePath = `{op: add, path: /metadata/labels/a, value: b}`
)

// TestValidateClusterAgreesWithTheHub uses requests to a real hub with its webhooks; refused reports whether the hub rejected the request.
func TestValidateClusterAgreesWithTheHub(t *testing.T) {
	rule := func(text string) string {
		return "{" + someRole + ", policy: {overrideRules: [{clusterSelector: {clusterSelectorTerms: []}, " + text + "}]}}"
	}
	for name, tt := range map[string]struct {
		spec    string
		refused bool
	}{
		"cro-kind":              {rule(`jsonPatchOverrides: [{op: add, path: /kind, value: b}]`), true},
		"cro-metaname":          {rule(`jsonPatchOverrides: [{op: add, path: /metadata/name, value: b}]`), true},
		"cro-emptyseg":          {rule(`jsonPatchOverrides: [{op: add, path: /spec//x, value: b}]`), true},
		"cro-delete-with-patch": {rule(`overrideType: Delete, jsonPatchOverrides: [` + somePath + `]`), true},
		"cro-delete":            {rule(`overrideType: Delete`), false},
		"cro-dup":               {strings.Replace(rule(`overrideType: Delete`), "name: x}", "name: x}, {group: rbac.authorization.k8s.io, version: v1, kind: ClusterRole, name: x}", 1), true},
		"cro-namespaced-scope":  {strings.Replace(rule(`overrideType: Delete`), "{", "{placement: {name: x, scope: Namespaced}, ", 1), true},
	} {
		if problems := ValidateCluster(spec[ClusterSpec](t, tt.spec)); tt.refused != (len(problems) > 0) {
			t.Errorf("%s: got %v", name, problems)
		}
	}
}

func TestValidateCluster(t *testing.T) {
	policy := `policy: {overrideRules: [{overrideType: Delete}]}`
	for name, tt := range map[string]struct {
		spec string
		want []string
	}{
		"valid":   {someRole + "\nplacement: {name: p, scope: Cluster}\n" + policy, nil},
		"nothing": {"{}", []string{"cluster_resource_selectors: there are 0, and between 1 and 20 are allowed", "policy: the policy is required: it has the rules of the override"}},
		"too many selectors": {
			"clusterResourceSelectors: [" + strings.Join(numbered(`{group: "", version: v1, kind: Namespace, name: n%d}`, 21), ",") + "]\n" + policy,
			[]string{"cluster_resource_selectors: there are 21, and between 1 and 20 are allowed"},
		},
		"selectors": {
			`clusterResourceSelectors: [{group: "", version: "", kind: ""}, {group: "", version: v1, kind: Namespace, labelSelector: {}}, ` +
				`{group: "", version: v1, kind: Namespace, name: a}, {group: "", version: v1, kind: Namespace, name: a, selectionScope: NamespaceWithResources}, ` +
				`{group: "", version: v1, kind: Namespace, name: a, selectionScope: NamespaceOnly}, {group: "", version: v1, kind: Namespace, name: b, selectionScope: All}]` + "\n" + policy,
			[]string{
				`cluster_resource_selectors[0].version: the version is required, for instance "v1"`,
				`cluster_resource_selectors[0].kind: the kind is required, for instance "Deployment"`,
				"cluster_resource_selectors[0].name: the name is required: an override selects objects by name only",
				"cluster_resource_selectors[1].name: the name is required: an override selects objects by name only",
				"cluster_resource_selectors[1].label_selector: an override selects objects by name only: remove it, and set name",
				"cluster_resource_selectors[3]: selector 2 is the same: remove one",
				`cluster_resource_selectors[5].selection_scope: "All" is not one of NamespaceWithResources, NamespaceOnly, NamespaceWithResourceSelectors`,
			},
		},
		"placement": {someRole + "\nplacement: {name: '', scope: Namespaced}\n" + policy, []string{
			"placement.name: the name of the placement is required; without placement, the override is for all placements",
			"placement.scope: a ClusterResourceOverride cannot be for a placement in a namespace: set it to Cluster",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, texts(ValidateCluster(spec[ClusterSpec](t, tt.spec)))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func numbered(format string, count int) []string {
	var all []string
	for i := range count {
		all = append(all, strings.ReplaceAll(format, "%d", fmt.Sprint(i)))
	}
	return all
}

func TestValidatePolicy(t *testing.T) {
	const at = "policy.override_rules[0]"
	patches := at + ".json_patch_overrides"
	terms := at + ".cluster_selector.cluster_selector_terms"
	for name, tt := range map[string]struct {
		rules string
		want  []string
	}{
		"valid":            {"[{clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {a: b}}}]}, jsonPatchOverrides: [" + somePath + "]}]", nil},
		"without clusters": {"[{overrideType: JSONPatch, jsonPatchOverrides: [" + somePath + "]}]", nil},
		"no rules":         {"[]", []string{"policy.override_rules: there are 0, and between 1 and 20 are allowed"}},
		"too many rules":   {"[" + strings.Join(numbered("{overrideType: Delete}", 21), ",") + "]", []string{"policy.override_rules: there are 21, and between 1 and 20 are allowed"}},
		"no patches":       {"[{}]", []string{patches + ": there are 0, and between 1 and 20 are allowed"}},
		"too many patches": {"[{jsonPatchOverrides: [" + strings.Join(numbered(somePath, 21), ",") + "]}]", []string{patches + ": there are 21, and between 1 and 20 are allowed"}},
		"another type":     {"[{overrideType: Merge, jsonPatchOverrides: [" + somePath + "]}]", []string{at + `.override_type: "Merge" is not one of JSONPatch, Delete`}},
		"delete":           {"[{overrideType: Delete, jsonPatchOverrides: [" + somePath + "]}]", []string{patches + ": a rule of type Delete has no patches: remove them, or set override_type to JSONPatch"}},
		"too many terms":   {"[{overrideType: Delete, clusterSelector: {clusterSelectorTerms: [" + strings.Join(numbered("{labelSelector: {}}", 11), ",") + "]}}]", []string{terms + ": there are 11, and between 0 and 10 are allowed"}},
		"terms": {
			`[{overrideType: Delete, clusterSelector: {clusterSelectorTerms: [{}, {labelSelector: {matchLabels: {"a b": c}}}, {labelSelector: {matchExpressions: [{key: a, operator: In}]}}, ` +
				`{labelSelector: {}, propertySelector: {matchExpressions: []}, propertySorter: {name: a, sortOrder: Ascending}}]}}]`,
			[]string{
				terms + "[0].label_selector: the label selector is required; an empty one matches every cluster",
				terms + `[1].label_selector.match_labels["a b"]: "a b" is not a label key: use A-Z, a-z, 0-9, -, _ and dots`,
				terms + "[2].label_selector.match_expressions[0].values: operator In requires at least one value",
				terms + "[3].property_selector: overrides select clusters by labels only: remove it",
				terms + "[3].property_sorter: overrides select clusters by labels only: remove it",
			},
		},
		"operations": {`[{jsonPatchOverrides: [{op: move, path: /a}, {op: remove, path: /a, value: 1}, {op: remove, path: /a, value: null}, {op: add, path: /a}]}]`, []string{
			patches + `[0].op: "move" is not one of add, remove, replace`,
			patches + "[1].value: remove takes no value: omit it",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := spec[Spec](t, `{resourceSelectors: [{group: "", version: v1, kind: ConfigMap, name: a}], policy: {overrideRules: `+tt.rules+"}}")
			if diff := cmp.Diff(tt.want, texts(Validate(s))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestValidatePaths(t *testing.T) {
	for path, want := range map[string]string{
		"/spec": "", "/data/a": "", "/metadata/labels": "", "/metadata/annotations/a~1b": "", "/kinds": "", "/spec/kind": "", "/spec/status": "", "/a/-": "", "/metadatas/a": "",
		"":                            "the path cannot be empty",
		"spec":                        "the path must start with /",
		"/":                           "the path cannot have an empty part",
		"/spec/":                      "the path cannot have an empty part",
		"/spec/ /a":                   "the path cannot have an empty part",
		"/kind":                       "kind and apiVersion cannot be overridden",
		"/kind/a":                     "kind and apiVersion cannot be overridden",
		"/apiVersion":                 "kind and apiVersion cannot be overridden",
		"/status/a":                   "the status cannot be overridden",
		"/metadata":                   "metadata cannot be overridden as a whole: only its annotations and labels can",
		"/metadata/":                  "of metadata only annotations and labels can be overridden",
		"/metadata/labels/":           "the path cannot have an empty part",
		"/metadata/namespace":         "of metadata only annotations and labels can be overridden",
		"/metadata/ownerReferences/-": "of metadata only annotations and labels can be overridden",
	} {
		err := checkPath(path)
		if got := fmt.Sprint(err); got != want && (err != nil || want != "") {
			t.Errorf("%q: got %v", path, err)
		}
	}
}

func TestValidate(t *testing.T) {
	got := texts(Validate(spec[Spec](t, `{placement: {name: p, scope: All}, resourceSelectors: [{group: "", version: v1, kind: ConfigMap, name: a}, `+
		`{group: "", version: v1, kind: ConfigMap, name: a}, {group: "", version: v1, kind: ConfigMap, name: ""}], policy: {overrideRules: [{overrideType: Delete}]}}`)))
	want := []string{
		`placement.scope: "All" is not one of Cluster, Namespaced`,
		"resource_selectors[1]: selector 0 is the same: remove one",
		"resource_selectors[2].name: the name is required: an override selects objects by name only",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	broken := Spec{ResourceSelectors: []Selector{{"", "v1", "ConfigMap", "a"}}, Policy: &Policy{[]Rule{{JSONPatchOverrides: []Patch{{Operation: Add, Path: "/data/a", Value: []byte("{secret")}}}}}}
	if got := texts(Validate(broken)); len(got) != 1 || got[0] != "policy.override_rules[0].json_patch_overrides[0].value: the value is not JSON: write it with jsonencode(...)" {
		t.Errorf("got %v", got)
	}
}

func TestValidateChange(t *testing.T) {
	p, q := &PlacementReference{Name: "p"}, &PlacementReference{Name: "q"}
	for i, tt := range []struct {
		before, after *PlacementReference
		want          bool
	}{
		{nil, nil, true}, {p, p, true}, {p, &PlacementReference{"p", ClusterScope}, true}, {p, &PlacementReference{"p", NamespacedScope}, false},
		{p, q, false}, {nil, p, false}, {p, nil, false},
	} {
		if problems := ValidateChange(tt.before, tt.after); tt.want != (len(problems) == 0) {
			t.Errorf("%d: got %v", i, problems)
		}
	}
}

func TestConflicts(t *testing.T) {
	role := spec[ClusterSpec](t, someRole)
	others := []ClusterResourceOverride{{"a", role}, {"b", ClusterSpec{}}}
	if got := ConflictsCluster(ClusterResourceOverride{"a", role}, others); got != nil {
		t.Errorf("got %v", got)
	}
	if got := texts(ConflictsCluster(ClusterResourceOverride{"c", role}, others)); len(got) != 1 ||
		got[0] != "cluster_resource_selectors[0]: the object is already selected by ClusterResourceOverride a, and only one can select it" {
		t.Errorf("got %v", got)
	}
	config := Spec{ResourceSelectors: []Selector{{"", "v1", "ConfigMap", "a"}}}
	namespaced := []ResourceOverride{{"x", "a", config}, {"y", "b", Spec{}}}
	if got := Conflicts(ResourceOverride{"y", "c", config}, namespaced); got != nil {
		t.Errorf("got %v", got)
	}
	if got := texts(Conflicts(ResourceOverride{"x", "c", config}, namespaced)); len(got) != 1 ||
		got[0] != "resource_selectors[0]: the object is already selected by ResourceOverride x/a, and only one can select it" {
		t.Errorf("got %v", got)
	}
	for i := range 99 {
		others = append(others, ClusterResourceOverride{Name: fmt.Sprint(i)})
		namespaced = append(namespaced, ResourceOverride{Namespace: "x", Name: fmt.Sprint(i)})
	}
	if got := texts(ConflictsCluster(ClusterResourceOverride{Name: "c"}, others)); len(got) != 1 {
		t.Errorf("got %v", got)
	}
	if got := ConflictsCluster(ClusterResourceOverride{Name: "b"}, others); got != nil {
		t.Errorf("got %v", got)
	}
	if got := Conflicts(ResourceOverride{Namespace: "x", Name: "c"}, namespaced); len(got) != 1 {
		t.Errorf("got %v", got)
	}
	if got := Conflicts(ResourceOverride{Namespace: "y", Name: "c"}, namespaced); got != nil {
		t.Errorf("got %v", got)
	}
}
