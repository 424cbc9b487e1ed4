package convert

import (
	"slices"
	"testing"

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
		"suspended": {"{schedulingMode: Duplicate, schedulingProfile: suspended-by-terraform.mine}", []string{"disableFollowerScheduling", "reschedulePolicy", "schedulingProfile"}},
	} {
		external := specOf(t, c.text)
		read := ToPolicy(external)
		if got := PolicyOn(&read, &external); !EqualPolicy(got, Resume(external)) {
			t.Errorf("%s: %+v", name, got)
		}
		if got := UnexpressedFields(external); !slices.Equal(got, c.fields) {
			t.Errorf("%s: %q are not expressed", name, got)
		}
		changed := PolicyOn(&placement.Policy{PlacementType: placement.PickFixed, ClusterNames: []string{"z"}}, &external)
		if changed.DisableFollowerScheduling != external.DisableFollowerScheduling || changed.SchedulingMode != external.SchedulingMode ||
			changed.SchedulingProfile != Resume(external).SchedulingProfile || len(changed.Placements) != 1 || changed.Placements[0].Cluster != "z" {
			t.Errorf("%s: a change makes it %+v", name, changed)
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
