package enginetest

import (
	"context"
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// selected is the value of a race's label on the members that its placement selects.
const selected = "selected"

// selectingMembers returns a policy that picks the members with a race's label.
func selectingMembers(label string) *placement.Policy {
	return &placement.Policy{PlacementType: placement.PickAll, Affinity: &placement.Affinity{ClusterAffinity: &placement.ClusterAffinity{
		Required: &placement.ClusterSelector{ClusterSelectorTerms: []placement.ClusterSelectorTerm{
			{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{label: selected}}},
		}},
	}}}
}

// joinWithLabels gives some members the label of the race. It removes labels and taints when the test ends.
func (r *race) joinWithLabels() {
	r.Helper()
	r.label = "race.example.com/" + r.Name
	for _, name := range r.Members {
		if r.random.IntN(2) == 0 {
			r.must(r.changeMember(r.Context(), name, r.selects))
		}
		r.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
			defer cancel()
			r.must(r.changeMember(ctx, name, func(spec *member.Spec) {
				delete(spec.Labels, r.label)
				spec.Taints = r.otherTaints(spec.Taints)
			}))
		})
	}
}

func (r *race) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *race) selects(spec *member.Spec) { spec.Labels[r.label] = selected }

func (r *race) otherTaints(all []member.Taint) []member.Taint {
	return slices.DeleteFunc(slices.Clone(all), func(t member.Taint) bool { return t.Key == r.label })
}

// disturbMember changes the race's label or taint of a member.
func (r *race) disturbMember() {
	name := r.Members[r.random.IntN(len(r.Members))]
	how, change := "select", r.selects
	switch r.random.IntN(4) {
	case 0:
		how, change = "deselect", func(spec *member.Spec) { delete(spec.Labels, r.label) }
	case 1:
		how, change = "taint", func(spec *member.Spec) {
			spec.Taints = append(r.otherTaints(spec.Taints), member.Taint{Key: r.label, Effect: placement.NoSchedule})
		}
	case 2:
		how, change = "remove the taint of", func(spec *member.Spec) { spec.Taints = r.otherTaints(spec.Taints) }
	}
	r.log = append(r.log, fmt.Sprintf("%s %s: %v", how, name, r.changeMember(r.Context(), name, change)))
}

// changeMember changes the registration of a member without the recorder.
func (r *race) changeMember(ctx context.Context, name string, change func(*member.Spec)) error {
	e := r.Past()
	known, err := e.ReadMember(ctx, name, nil)
	if err != nil {
		return err
	}
	want := engine.Member{ID: known.ID, Spec: known.Spec}
	if want.Spec.Labels = maps.Clone(known.Spec.Labels); want.Spec.Labels == nil {
		want.Spec.Labels = map[string]string{}
	}
	change(&want.Spec)
	_, err = e.ApplyMember(ctx, want, &known)
	return err
}
