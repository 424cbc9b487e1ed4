package placement

import (
	"bufio"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"pgregory.net/rapid"
)

// TestValidateAgreesWithTheHub compares Validate and ValidateChange with the verdicts of a real hub with its webhooks on the same specs.
func TestValidateAgreesWithTheHub(t *testing.T) {
	// These verdicts depend on the hub or on the name of the placement.
	elsewhere := []string{"name-64", "sel-wrong-version", "sel-namespaced-deploy", "sel-pod", "sel-crp"}
	file, err := os.Open("testdata/admission.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	// The API also accepts JSON numbers for numbers of clusters.
	number := regexp.MustCompile(`("max(?:Unavailable|Surge)": )(-?[0-9]+)`)
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var verdict struct {
			ID       string
			Old      *Spec
			Spec     Spec
			Accepted bool
			Message  string
		}
		if err := json.Unmarshal(number.ReplaceAll(lines.Bytes(), []byte(`$1"$2"`)), &verdict); err != nil {
			t.Fatal(err)
		}
		if slices.Contains(elsewhere, verdict.ID) {
			continue
		}
		t.Run(verdict.ID, func(t *testing.T) {
			problems := Validate(verdict.Spec)
			if verdict.Old != nil {
				problems = append(problems, ValidateChange(*verdict.Old, verdict.Spec)...)
			}
			if verdict.Accepted != (len(problems) == 0) {
				t.Errorf("accepted is %t (%s); got %v", verdict.Accepted, verdict.Message, problems)
			}
		})
	}
}

// validSpec returns a valid spec for tests to modify.
func validSpec() Spec {
	return Spec{ResourceSelectors: []ResourceSelector{{Version: "v1", Kind: "Namespace", Name: "app"}}}
}

func withPolicy(p Policy) Spec { s := validSpec(); s.Policy = &p; return s }

func withStrategy(st Strategy) Spec { s := validSpec(); s.Strategy = &st; return s }

func withSelectors(selectors ...ResourceSelector) Spec { return Spec{ResourceSelectors: selectors} }

// required returns a policy with one required term.
func required(term ClusterSelectorTerm) Spec {
	return withPolicy(Policy{Affinity: &Affinity{ClusterAffinity: &ClusterAffinity{
		Required: &ClusterSelector{ClusterSelectorTerms: []ClusterSelectorTerm{term}},
	}}})
}

// preferring returns a PickN policy with one preference.
func preferring(p PreferredClusterSelector) Spec {
	return withPolicy(Policy{
		PlacementType: PickN, NumberOfClusters: new(int32(1)),
		Affinity: &Affinity{ClusterAffinity: &ClusterAffinity{Preferred: []PreferredClusterSelector{p}}},
	})
}

const (
	requiredTerm  = "policy.affinity.cluster_affinity.required_during_scheduling_ignored_during_execution.cluster_selector_terms[0]"
	preferredTerm = "policy.affinity.cluster_affinity.preferred_during_scheduling_ignored_during_execution[0]"
)

func TestValidatePaths(t *testing.T) {
	namespaceOf := func(name string, scope SelectionScope) ResourceSelector {
		return ResourceSelector{Version: "v1", Kind: "Namespace", Name: name, SelectionScope: scope}
	}
	labels := &metav1.LabelSelector{
		MatchLabels: map[string]string{"bad key": "x", "good": "bad value"},
		MatchExpressions: []metav1.LabelSelectorRequirement{
			{Key: "a", Operator: "In"}, {Key: "a", Operator: "Exists", Values: []string{"x"}}, {Key: "a b", Operator: "NotIn", Values: []string{"x y"}},
			{Key: "a", Operator: "Near"},
		},
	}
	scoped := validSpec()
	scoped.StatusReportingScope = "NamespaceAccessible"
	scoped.ResourceSelectors = append(scoped.ResourceSelectors, namespaceOf("two", ""))
	history := validSpec()
	history.RevisionHistoryLimit = new(int32(0))
	tests := map[string]struct {
		spec Spec
		want []string
	}{
		"nothing":  {Spec{}, []string{"resource_selectors"}},
		"accepted": {validSpec(), nil},
		"selector without version and kind": {
			withSelectors(ResourceSelector{}), []string{"resource_selectors[0].version", "resource_selectors[0].kind"},
		},
		"selector by empty labels": {
			withSelectors(ResourceSelector{Version: "v1", Kind: "Namespace", LabelSelector: &metav1.LabelSelector{}}), nil,
		},
		"selector by name and label": {
			withSelectors(ResourceSelector{Version: "v1", Kind: "Namespace", Name: "a", LabelSelector: &metav1.LabelSelector{}}), []string{"resource_selectors[0]"},
		},
		"labels": {
			withSelectors(ResourceSelector{Version: "v1", Kind: "Namespace", LabelSelector: labels}),
			[]string{
				`resource_selectors[0].label_selector.match_labels["bad key"]`, `resource_selectors[0].label_selector.match_labels["good"]`,
				"resource_selectors[0].label_selector.match_expressions[0].values", "resource_selectors[0].label_selector.match_expressions[1].values",
				"resource_selectors[0].label_selector.match_expressions[2].key", "resource_selectors[0].label_selector.match_expressions[2].values[0]",
				"resource_selectors[0].label_selector.match_expressions[3].operator",
			},
		},
		"opened namespace without a name": {
			withSelectors(namespaceOf("", NamespaceWithResourceSelectors)), []string{"resource_selectors[0]"},
		},
		"two opened namespaces": {
			withSelectors(namespaceOf("a", NamespaceWithResourceSelectors), namespaceOf("b", NamespaceWithResourceSelectors)), []string{"resource_selectors[1]"},
		},
		"opened namespace and another": {
			withSelectors(namespaceOf("a", NamespaceOnly), namespaceOf("b", NamespaceWithResourceSelectors), ResourceSelector{Group: "apps", Version: "v1", Kind: "Deployment"}),
			[]string{"resource_selectors[0]"},
		},
		"scope of another kind is ignored": {
			withSelectors(ResourceSelector{Version: "v1", Kind: "Node", SelectionScope: NamespaceWithResourceSelectors}), nil,
		},
		"status in two namespaces": {scoped, []string{"status_reporting_scope"}},
		"history":                  {history, []string{"revision_history_limit"}},
		"PickFixed": {
			withPolicy(Policy{
				PlacementType: PickFixed, ClusterNames: []string{"a", "B", "a"}, NumberOfClusters: new(int32(-1)), Affinity: &Affinity{},
				TopologySpreadConstraints: []TopologySpreadConstraint{}, Tolerations: []Toleration{},
			}),
			[]string{
				"policy.affinity", "policy.number_of_clusters", "policy.topology_spread_constraints", "policy.tolerations",
				"policy.cluster_names[1]", "policy.cluster_names[2]", "policy.number_of_clusters",
			},
		},
		"PickFixed, long name": {
			withPolicy(Policy{PlacementType: PickFixed, ClusterNames: []string{string(slices.Repeat([]byte("a"), 64))}}),
			[]string{"policy.cluster_names[0]"},
		},
		"PickAll by default": {
			withPolicy(Policy{ClusterNames: []string{}, NumberOfClusters: new(int32(1))}), []string{"policy.cluster_names", "policy.number_of_clusters"},
		},
		"PickAll with preferences": {
			withPolicy(Policy{Affinity: &Affinity{ClusterAffinity: &ClusterAffinity{Preferred: []PreferredClusterSelector{{}}}}}),
			[]string{"policy.affinity.cluster_affinity.preferred_during_scheduling_ignored_during_execution"},
		},
		"PickAll with empty affinity": {withPolicy(Policy{Affinity: &Affinity{ClusterAffinity: &ClusterAffinity{}}}), nil},
		"PickN":                       {withPolicy(Policy{PlacementType: PickN, ClusterNames: []string{"a"}}), []string{"policy.cluster_names", "policy.number_of_clusters"}},
		"required without terms": {
			withPolicy(Policy{Affinity: &Affinity{ClusterAffinity: &ClusterAffinity{Required: &ClusterSelector{}}}}), []string{requiredTerm[:len(requiredTerm)-3]},
		},
		"required term that sorts":     {required(ClusterSelectorTerm{PropertySorter: &PropertySorter{}}), []string{requiredTerm + ".property_sorter"}},
		"required term, empty":         {required(ClusterSelectorTerm{}), nil},
		"preference that filters":      {preferring(PreferredClusterSelector{Preference: ClusterSelectorTerm{PropertySelector: &PropertySelector{}}}), []string{preferredTerm + ".preference.property_selector"}},
		"preference that is too heavy": {preferring(PreferredClusterSelector{Weight: 101}), []string{preferredTerm + ".weight"}},
		"preference in no order": {
			preferring(PreferredClusterSelector{Weight: -100, Preference: ClusterSelectorTerm{PropertySorter: &PropertySorter{Name: "a b"}}}),
			[]string{preferredTerm + ".preference.property_sorter.name", preferredTerm + ".preference.property_sorter.sort_order"},
		},
		"spread": {
			withPolicy(Policy{PlacementType: PickN, NumberOfClusters: new(int32(0)), TopologySpreadConstraints: []TopologySpreadConstraint{{MaxSkew: new(int32(0)), WhenUnsatisfiable: "Never"}}}),
			[]string{"policy.topology_spread_constraints[0].max_skew", "policy.topology_spread_constraints[0].topology_key", "policy.topology_spread_constraints[0].when_unsatisfiable"},
		},
		"tolerations": {
			withPolicy(Policy{Tolerations: []Toleration{
				{Operator: "Exists"}, {Key: "a", Operator: "Exists", Value: "b"}, {}, {Key: "a b", Effect: "NoExecute"}, {Key: "a", Operator: "Near"},
				{Key: "a", Value: "b"}, {Key: "a", Operator: "Equal", Value: "b"},
			}}),
			[]string{
				"policy.tolerations[1].value", "policy.tolerations[2].key", "policy.tolerations[3].effect", "policy.tolerations[3].key",
				"policy.tolerations[4].operator", "policy.tolerations[6]",
			},
		},
		"rolling update": {
			withStrategy(Strategy{RollingUpdate: &RollingUpdate{MaxUnavailable: "101%", MaxSurge: "99999999999", UnavailablePeriodSeconds: new(int64(-1))}}),
			[]string{"strategy.rolling_update.max_unavailable", "strategy.rolling_update.max_surge", "strategy.rolling_update.unavailable_period_seconds"},
		},
		"external with rolling update": {
			withStrategy(Strategy{Type: ExternalStrategy, RollingUpdate: &RollingUpdate{}}), []string{"strategy.rolling_update"},
		},
		"apply strategy": {
			withStrategy(Strategy{ApplyStrategy: &ApplyStrategy{Type: ReportDiff, ServerSideApplyConfig: &ServerSideApplyConfig{}, WhenToApply: "Never"}}),
			[]string{"strategy.apply_strategy.when_to_apply", "strategy.apply_strategy.server_side_apply_config"},
		},
		"deletion": {
			withStrategy(Strategy{DeleteStrategy: &DeleteStrategy{PropagationPolicy: "Keep"}}), []string{"strategy.delete_strategy.propagation_policy"},
		},
		"report back": {
			withStrategy(Strategy{ReportBackStrategy: &ReportBackStrategy{Type: "Mirror"}}), []string{"strategy.report_back_strategy.destination"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, p := range Validate(tt.spec) {
				got = append(got, p.Path.String())
				if p.Message == "" {
					t.Errorf("%s: no message", p.Path)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestLabelSelectorAgreesWithTheAPIMachinery checks that validation and the library accept the same selectors.
func TestLabelSelectorAgreesWithTheAPIMachinery(t *testing.T) {
	text := rapid.SampledFrom([]string{"", "a", "A.b_c", "a b", "-a", "example.org/a", "Example.org/a", "a/b/c", "/a"})
	rapid.Check(t, func(t *rapid.T) {
		selector := &metav1.LabelSelector{MatchLabels: rapid.MapOfN(text, text, 0, 2).Draw(t, "labels")}
		for range rapid.IntRange(0, 2).Draw(t, "expressions") {
			selector.MatchExpressions = append(selector.MatchExpressions, metav1.LabelSelectorRequirement{
				Key:      text.Draw(t, "key"),
				Operator: rapid.SampledFrom([]metav1.LabelSelectorOperator{"In", "NotIn", "Exists", "DoesNotExist", "Near", ""}).Draw(t, "operator"),
				Values:   rapid.SliceOfN(text, 0, 2).Draw(t, "values"),
			})
		}
		var v validator
		v.checkLabelSelector(At("x"), selector)
		// The library accepts requirements that contradict each other: validation only warns of them.
		problems := slices.DeleteFunc(v.problems, func(p Problem) bool { return p.Warning })
		_, err := metav1.LabelSelectorAsSelector(selector)
		if (err == nil) != (len(problems) == 0) {
			t.Fatalf("the library returns %v, validation %v", err, problems)
		}
		strict := metav1validation.ValidateLabelSelector(selector, metav1validation.LabelSelectorValidationOptions{}, field.NewPath("x"))
		if len(problems) > 0 && len(strict) == 0 {
			t.Fatalf("the API server accepts it, validation returns %v", problems)
		}
	})
}

func TestParseComparisonOption(t *testing.T) {
	for text, want := range map[string]ComparisonOption{
		"PartialComparison": PartialComparison, "partialComparison": PartialComparison, "fullComparison": FullComparison,
		"FullComparison": FullComparison, "": "", "FULLCOMPARISON": "", "partialcomparison": "", "x": "", "ß": "",
	} {
		got, ok := ParseComparisonOption(text)
		if got != want || ok != (want != "") {
			t.Errorf("%q: got %q, %t", text, got, ok)
		}
	}
}

func TestPathString(t *testing.T) {
	base := At("a").Attribute("b")
	first, second := base.Index(1), base.Key(`x"y`)
	if got := first.String() + " " + second.String() + " " + base.String(); got != `a.b[1] a.b["x\"y"] a.b` {
		t.Errorf("got %s", got)
	}
	if got := (Problem{Path: first, Message: "bad"}).String(); got != "a.b[1]: bad" {
		t.Errorf("got %s", got)
	}
}
