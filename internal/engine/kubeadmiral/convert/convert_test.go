package convert

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/crds"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

func labelled(key, value string) placement.ClusterSelectorTerm {
	return placement.ClusterSelectorTerm{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}}
}

func affinity(required []placement.ClusterSelectorTerm, preferred ...placement.PreferredClusterSelector) *placement.Affinity {
	out := &placement.ClusterAffinity{Preferred: preferred}
	if required != nil {
		out.Required = &placement.ClusterSelector{ClusterSelectorTerms: required}
	}
	return &placement.Affinity{ClusterAffinity: out}
}

const always = `reschedulePolicy: {disableRescheduling: false, rescheduleWhen: {policyContentChanged: true, clusterJoined: true, clusterLabelsChanged: true, clusterAPIResourcesChanged: true}}`

var policies = map[string]struct {
	policy *placement.Policy
	want   string
}{
	"none":     {nil, `{schedulingMode: Duplicate, disableFollowerScheduling: true, ` + always + `}`},
	"pick all": {&placement.Policy{PlacementType: placement.PickAll}, `{schedulingMode: Duplicate, disableFollowerScheduling: true, ` + always + `}`},
	"fixed": {
		&placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"b", "a"}},
		`{schedulingMode: Duplicate, disableFollowerScheduling: true, placement: [{cluster: b}, {cluster: a}], tolerations: [{operator: Exists}], ` + always + `}`,
	},
	"two": {
		&placement.Policy{PlacementType: placement.PickN, NumberOfClusters: new(int32(2))},
		`{schedulingMode: Duplicate, disableFollowerScheduling: true, maxClusters: 2, reschedulePolicy: {disableRescheduling: true, ` +
			strings.TrimPrefix(always, "reschedulePolicy: {disableRescheduling: false, ") + `}`,
	},
	"by labels": {
		&placement.Policy{Affinity: affinity([]placement.ClusterSelectorTerm{
			labelled("env", "prod"),
			{LabelSelector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "gpu", Operator: metav1.LabelSelectorOpExists}}}},
		})},
		`{schedulingMode: Duplicate, disableFollowerScheduling: true, clusterAffinity: [{matchExpressions: [{key: env, operator: In, values: [prod]}]}, ` +
			`{matchExpressions: [{key: gpu, operator: Exists, values: []}]}], ` + always + `}`,
	},
	"a term that matches all": {
		&placement.Policy{Affinity: affinity([]placement.ClusterSelectorTerm{labelled("env", "prod"), {}})},
		`{schedulingMode: Duplicate, disableFollowerScheduling: true, ` + always + `}`,
	},
	"tolerations": {
		&placement.Policy{Tolerations: []placement.Toleration{{Key: "gpu", Value: "a", Effect: placement.NoSchedule}}},
		`{schedulingMode: Duplicate, disableFollowerScheduling: true, tolerations: [{key: gpu, operator: Equal, value: a, effect: NoSchedule}], ` + always + `}`,
	},
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	for name, c := range policies {
		var want any
		if err := yaml.Unmarshal([]byte(c.want), &want); err != nil {
			t.Fatal(name, err)
		}
		text, _ := json.Marshal(want)
		got, _ := json.Marshal(Policy(c.policy))
		var plain any
		_ = json.Unmarshal(got, &plain)
		if again, _ := json.Marshal(plain); string(again) != string(text) {
			t.Errorf("%s:\n%s, want\n%s", name, again, text)
		}
		if back := ToPolicy(Policy(c.policy)); !SamePolicy(Policy(&back), Policy(c.policy)) {
			t.Errorf("%s: read back as %+v", name, back)
		}
		if as := PolicyAsWritten(Policy(c.policy), c.policy, nil); as != c.policy {
			t.Errorf("%s: what was written is read as %+v", name, as)
		}
	}
}

// TestDefinitions checks that the published CustomResourceDefinitions and the bundled ones accept every object that the provider writes.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	ours, err := crds.KubeAdmiral()
	if err != nil {
		t.Fatal(err)
	}
	holds := func(t *testing.T, definitions []*unstructured.Unstructured) {
		t.Helper()
		for name, c := range policies {
			for kind, object := range map[string]any{
				v1alpha1.PropagationPolicyKind:        v1alpha1.PropagationPolicy{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "web"}, Spec: Policy(c.policy)},
				v1alpha1.ClusterPropagationPolicyKind: v1alpha1.ClusterPropagationPolicy{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: Policy(c.policy)},
			} {
				u, err := codec.Encode(object, v1alpha1.GroupVersion.WithKind(kind))
				if err != nil {
					t.Fatal(err)
				}
				if problems := crds.Validate(definitions, u); len(problems) > 0 {
					t.Errorf("%s %s: %q", kind, name, problems)
				}
			}
		}
		u, err := codec.Encode(FromMember(member.Spec{
			Name: "a", Labels: map[string]string{"env": "prod"}, Taints: []member.Taint{{Key: "gpu", Value: "x", Effect: placement.NoSchedule}},
		}, new(NewReach("a", "https://a:6443", true))), v1alpha1.GroupVersion.WithKind(v1alpha1.FederatedClusterKind))
		if err != nil {
			t.Fatal(err)
		}
		if problems := crds.Validate(definitions, u); len(problems) > 0 {
			t.Errorf("member: %q", problems)
		}
	}
	t.Run("ours", func(t *testing.T) { holds(t, ours) })
	t.Run("published", func(t *testing.T) {
		published, err := crds.Read(os.DirFS(crds.Reference(t, "crds", "kubeadmiral")))
		if err != nil {
			t.Fatal(err)
		}
		holds(t, published)
	})
}

func TestKeys(t *testing.T) {
	t.Parallel()
	abandon := placement.Spec{Strategy: &placement.Strategy{DeleteStrategy: &placement.DeleteStrategy{PropagationPolicy: placement.AbandonObjects}}}
	near := placement.Spec{Policy: &placement.Policy{Affinity: affinity([]placement.ClusterSelectorTerm{labelled("env", "prod")},
		placement.PreferredClusterSelector{Weight: 5, Preference: labelled("region", "west")})}}
	for name, c := range map[string]struct {
		namespace string
		spec      placement.Spec
		adoption  Adoption
		want      string
	}{
		"everywhere": {"", placement.Spec{}, Adoption{Everywhere: true}, `{"Labels":{"kubeadmiral.io/cluster-propagation-policy-name":"web"},` +
			`"Annotations":{"kubeadmiral.io/clusters-to-adopt":"{\"regexp\":\".*\"}","kubeadmiral.io/conflict-resolution":"adopt","kubeadmiral.io/orphan":"adopted"}}`},
		"on some": {"a", placement.Spec{}, Adoption{Clusters: []string{"b", "a"}}, `{"Labels":{"kubeadmiral.io/propagation-policy-name":"web"},` +
			`"Annotations":{"kubeadmiral.io/clusters-to-adopt":"{\"clusters\":[\"a\",\"b\"]}","kubeadmiral.io/conflict-resolution":"adopt","kubeadmiral.io/orphan":"adopted"}}`},
		"nowhere": {"", abandon, Adoption{}, `{"Labels":{"kubeadmiral.io/cluster-propagation-policy-name":"web"},"Annotations":{"kubeadmiral.io/orphan":"all"}}`},
		"preferred": {"", near, Adoption{}, `{"Labels":{"kubeadmiral.io/cluster-propagation-policy-name":"web"},"Annotations":{"kubeadmiral.io/affinity":` +
			`"{\"clusterAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{\"clusterSelectorTerms\":[{\"matchExpressions\":[{\"key\":\"env\",` +
			`\"operator\":\"In\",\"values\":[\"prod\"]}]}]},\"preferredDuringSchedulingIgnoredDuringExecution\":[{\"weight\":5,\"preference\":` +
			`{\"matchExpressions\":[{\"key\":\"region\",\"operator\":\"In\",\"values\":[\"west\"]}]}}]}}","kubeadmiral.io/orphan":"adopted"}}`},
	} {
		keys, err := KeysOf(c.namespace, "web", c.spec, c.adoption)
		got, _ := json.Marshal(keys)
		if err != nil || string(got) != c.want {
			t.Errorf("%s:\n%s, want\n%s; %v", name, got, c.want, err)
		}
	}
}

// TestFederatedName checks upstream's naming rules with names observed on a real host.
func TestFederatedName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"my-nginx": "my-nginx-deployments.apps", "Ka:Role": "ka.role-deployments.apps-631975521"} {
		if got := FederatedName(name, "deployments.apps"); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if got := FederatedName(strings.Repeat("a", 240), "deployments.apps"); len(got) != maxName || !strings.HasPrefix(got, strings.Repeat("a", 240)+"-") {
		t.Errorf("a long name is %s", got)
	}
}

// Every rejected, ignored or lossy argument is reported at its own path.
func TestMappings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		placed Placed
		want   []string
	}{
		"plain": {Placed{Spec: placement.Spec{ResourceSelectors: []placement.ResourceSelector{{Name: "a"}}}}, nil},
		"wide": {
			Placed{Spec: placement.Spec{ResourceSelectors: []placement.ResourceSelector{{Name: "a"}, {}}}},
			[]string{"lossy resource_selectors[1]"},
		},
		"long name": {Placed{Name: strings.Repeat("a", 64)}, []string{"impossible name"}},
		"nowhere": {
			Placed{Spec: placement.Spec{Policy: &placement.Policy{PlacementType: placement.PickFixed}}}, []string{"impossible policy.cluster_names"},
		},
		"affinities": {
			Placed{Spec: placement.Spec{Policy: &placement.Policy{
				PlacementType: placement.PickN, TopologySpreadConstraints: []placement.TopologySpreadConstraint{{}},
				Affinity: affinity([]placement.ClusterSelectorTerm{{PropertySelector: &placement.PropertySelector{}}},
					placement.PreferredClusterSelector{Weight: -1, Preference: placement.ClusterSelectorTerm{PropertySorter: &placement.PropertySorter{}}}),
			}}},
			[]string{
				"impossible policy.affinity.cluster_affinity.preferred_during_scheduling_ignored_during_execution[0].preference.property_sorter",
				"impossible policy.affinity.cluster_affinity.preferred_during_scheduling_ignored_during_execution[0].weight",
				"impossible policy.affinity.cluster_affinity.required_during_scheduling_ignored_during_execution.cluster_selector_terms[0].property_selector",
				"impossible policy.topology_spread_constraints",
				"lossy policy.affinity.cluster_affinity.preferred_during_scheduling_ignored_during_execution",
				"lossy policy.placement_type",
			},
		},
		"strategies": {
			Placed{Spec: placement.Spec{
				RevisionHistoryLimit: new(int32(1)), StatusReportingScope: placement.NamespaceAccessible,
				Strategy: &placement.Strategy{
					Type: placement.ExternalStrategy, RollingUpdate: &placement.RollingUpdate{},
					ApplyStrategy:      &placement.ApplyStrategy{Type: placement.ServerSideApply, WhenToApply: placement.ApplyIfNotDrifted, AllowCoOwnership: new(true)},
					DeleteStrategy:     &placement.DeleteStrategy{Contents: placement.KeepContents},
					ReportBackStrategy: &placement.ReportBackStrategy{Type: placement.ReportBackMirror},
				},
			}},
			[]string{
				"ignored revision_history_limit", "ignored strategy.apply_strategy.type", "ignored strategy.rolling_update", "impossible status_reporting_scope",
				"impossible strategy.apply_strategy.when_to_apply", "impossible strategy.delete_strategy.contents",
				"impossible strategy.report_back_strategy.type", "impossible strategy.type", "lossy strategy.apply_strategy.allow_co_ownership",
			},
		},
		"only to report": {
			Placed{Spec: placement.Spec{Strategy: &placement.Strategy{ApplyStrategy: &placement.ApplyStrategy{Type: placement.ReportDiff}}}},
			[]string{"impossible strategy.apply_strategy.type"},
		},
	} {
		var got []string
		for _, found := range OfPlacement(c.placed) {
			got = append(got, string(found.Fidelity)+" "+found.Path.String())
		}
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%s:\n%s, want\n%s", name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
	titles := map[string]bool{}
	for _, m := range Mappings() {
		at := m.Resource + " " + m.Argument + " " + m.Value
		if m.Fidelity == Exact != (m.Note == "") {
			t.Errorf("%s is %s, and its note is %q", at, m.Fidelity, m.Note)
		}
		if (m.Title != "") != (m.Fidelity == Lossy && (m.placed != nil || m.registered != nil)) || m.Title != "" && titles[m.Title] {
			t.Errorf("%s is %s, and its title is %q", at, m.Fidelity, m.Title)
		}
		titles[m.Title] = true
	}
}
