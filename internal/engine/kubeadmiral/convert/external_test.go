package convert

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

func specOf(t *testing.T, text string) v1alpha1.PropagationPolicySpec {
	t.Helper()
	var out v1alpha1.PropagationPolicySpec
	if err := yaml.UnmarshalStrict([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestPolicyOn checks that a configuration with the same effect does not change an external policy, and that any other configuration keeps the fields that no
// placement can express.
func TestPolicyOn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text   string
		fields []string
	}{
		"defaults":  {"{schedulingMode: Duplicate, reschedulePolicy: {rescheduleWhen: {policyContentChanged: true}}}", []string{"disableFollowerScheduling", "reschedulePolicy"}},
		"named":     {"{schedulingMode: Duplicate, placement: [{cluster: a}], disableFollowerScheduling: true}", []string{"reschedulePolicy", "tolerations"}},
		"selector":  {"{schedulingMode: Duplicate, clusterSelector: {a: b}}", []string{"disableFollowerScheduling", "reschedulePolicy"}},
		"divided":   {"{schedulingMode: Divide, maxClusters: 2}", []string{"disableFollowerScheduling", "reschedulePolicy", "schedulingMode"}},
		"a profile": {"{schedulingMode: Duplicate, schedulingProfile: mine}", []string{"disableFollowerScheduling", "reschedulePolicy", "schedulingProfile"}},
		"a field": {
			"{schedulingMode: Duplicate, disableFollowerScheduling: true, clusterAffinity: [{matchFields: [{key: metadata.name, operator: In, values: [a]}]}]}",
			[]string{"clusterAffinity", "reschedulePolicy"},
		},
		"named, with a selector": {
			"{schedulingMode: Duplicate, disableFollowerScheduling: true, placement: [{cluster: a}], clusterSelector: {a: b}}",
			[]string{"clusterSelector", "reschedulePolicy", "tolerations"},
		},
		"suspended": {"{schedulingMode: Duplicate, schedulingProfile: suspended-by-terraform.mine}", []string{"disableFollowerScheduling", "reschedulePolicy", "schedulingProfile"}},
	} {
		external := specOf(t, c.text)
		read := ToPolicy(external)
		if got := PolicyOn(&read, &external); !EqualPolicy(got, Resume(external)) {
			t.Errorf("%s: %+v", name, got)
		}
		if got := UnexpressedFields(external, nil); !slices.Equal(got, c.fields) {
			t.Errorf("%s: %q are not expressed", name, got)
		}
		changed := PolicyOn(&placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"z"}}, &external)
		if changed.DisableFollowerScheduling != external.DisableFollowerScheduling || changed.SchedulingMode != external.SchedulingMode ||
			changed.SchedulingProfile != Resume(external).SchedulingProfile || len(changed.Placements) != 1 || changed.Placements[0].Cluster != "z" {
			t.Errorf("%s: a change makes it %+v", name, changed)
		}
	}
}

// TestUnexpressedFields checks fields that v1alpha1 does not have. The host stores the default of replicasStrategy in every policy.
func TestUnexpressedFields(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"{replicasStrategy: Spread, placement: [{cluster: a}, {cluster: b, preferences: {}}]}":               {"reschedulePolicy"},
		"{replicasStrategy: Binpack, autoMigration: {when: {podUnschedulableFor: 1m}}}":                      {"autoMigration", "replicasStrategy", "reschedulePolicy"},
		"{replicasStrategy: Spread, placement: [{cluster: a}, {cluster: b, preferences: {minReplicas: 1}}]}": {"placement.preferences", "reschedulePolicy"},
	} {
		var live map[string]any
		if err := yaml.Unmarshal([]byte(text), &live); err != nil {
			t.Fatal(err)
		}
		if got := UnexpressedFields(specOf(t, "{schedulingMode: Duplicate, disableFollowerScheduling: true}"), live); !slices.Equal(got, want) {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// TestInexpressibleTerms checks terms that a label selector cannot express: the configuration has only its operators, and an import can tell.
func TestInexpressibleTerms(t *testing.T) {
	t.Parallel()
	const labels = "{matchExpressions: [{key: a, operator: In, values: [b]}]}"
	for text, whole := range map[string]bool{
		labels: true,
		"{matchExpressions: [{key: a, operator: Exists, values: []}]}":                                        true,
		"{matchExpressions: [{key: a, operator: In, values: [b]}, {key: size, operator: Gt, values: ['3']}]}": false,
		"{matchExpressions: [{key: size, operator: Lt, values: ['3']}]}":                                      false,
		"{matchFields: [{key: metadata.name, operator: In, values: [a]}]}":                                    false,
		"{matchFields: [{key: metadata.name, operator: In, values: [a]}], " + labels[1:]:                      false,
		"{}": false,
	} {
		spec := specOf(t, "{schedulingMode: Duplicate, clusterAffinity: ["+labels+", "+text+"]}")
		if got := ExpressesAffinity(spec); got != whole {
			t.Errorf("%s: %v", text, got)
		}
		policy := ToPolicy(spec)
		for _, term := range requiredTerms(policy) {
			for _, e := range term.LabelSelector.MatchExpressions {
				if _, err := metav1.LabelSelectorAsSelector(&metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{e}}); err != nil {
					t.Errorf("%s: %v", text, err)
				}
			}
		}
		if kept := PolicyOn(&policy, &spec); !EqualPolicy(kept, spec) {
			t.Errorf("%s: an unchanged configuration writes %+v", text, kept)
		}
	}
}

// A policy that is suspended and resumed is the same as before.
func TestSuspend(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"{schedulingMode: Duplicate}", "{schedulingMode: Duplicate, schedulingProfile: mine}"} {
		spec := specOf(t, text)
		suspended := Suspend(spec)
		if !IsSuspended(suspended) || IsSuspended(spec) || SamePolicy(spec, suspended) || !EqualPolicy(Suspend(suspended), suspended) || !EqualPolicy(Resume(suspended), spec) {
			t.Errorf("%+v, suspended %+v", spec, suspended)
		}
	}
}
