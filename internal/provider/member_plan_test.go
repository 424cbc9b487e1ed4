package provider

import (
	"context"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/membercluster"
)

// shared is an engine whose members another system has made, with values of its own for each label and annotation.
type shared struct{ idle }

func (shared) ReadMember(_ context.Context, name string, _ *engine.Member) (engine.Member, error) {
	values := map[string]string{word: "theirs"}
	return engine.Member{Spec: member.Spec{Name: name, AdoptExisting: new(true), Labels: values, Annotations: values}}, nil
}

func (shared) Agent(spec member.Spec) *engine.Agent {
	if spec.Adopts() {
		return nil
	}
	return new(filled[engine.Agent]())
}

// A plan warns about the values of another system that an adopted member loses, unless the state has the key: then the plan shows the values. Who the
// agent is, that system decides.
func TestPlanOfAdoptedMember(t *testing.T) {
	var described resource.SchemaResponse
	membercluster.New().Schema(t.Context(), resource.SchemaRequest{}, &described)
	state := completeRaw(t, described.Schema)
	for _, at := range []string{".identity", ".heartbeat_period_seconds", ".delete_options", ".agent"} {
		state = edited(t, state, at, nil)
	}
	null := tftypes.NewValue(state.Type(), nil)
	for name, c := range map[string]struct {
		prior tftypes.Value
		lost  []string
	}{
		"adopted":             {null, []string{`labels["word"]: "theirs" -> "word"`, `annotations["word"]: "theirs" -> "word"`}},
		"adopted, with a key": {edited(t, state, ".labels."+word, "other"), nil},
		"adopted, with a label alone": {
			edited(t, edited(t, state, ".labels."+word, "other"), ".annotations", nil), []string{`annotations["word"]: "theirs" -> "word"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			config := edited(t, state, ".status", nil)
			proposed := edited(t, edited(t, state, ".status", tftypes.UnknownValue), ".agent", tftypes.UnknownValue)
			response, err := configured(t, shared{}).PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
				TypeName: "fleet_member_cluster", PriorState: dynamic(t, c.prior), ProposedNewState: dynamic(t, proposed), Config: dynamic(t, config),
			})
			succeeded(t, err, response.Diagnostics)
			reported := texts(response.Diagnostics)
			for _, line := range []string{`labels["word"]: "theirs" -> "word"`, `annotations["word"]: "theirs" -> "word"`} {
				if wanted := strings.Contains(strings.Join(c.lost, "\n"), line); strings.Contains(reported, line) != wanted {
					t.Errorf("the plan reports %q: %v\n%s", line, !wanted, reported)
				}
			}
			planned, err := response.PlannedState.Unmarshal(state.Type())
			if err != nil || !attributeOf(t, planned, "agent").IsNull() {
				t.Errorf("the planned agent is %s, %v", attributeOf(t, planned, "agent"), err)
			}
		})
	}
}

// A change of a registration leaves the status as it is, but for the conditions of a cluster that did not answer.
func TestMemberStatusIsKept(t *testing.T) {
	var described resource.SchemaResponse
	membercluster.New().Schema(t.Context(), resource.SchemaRequest{}, &described)
	for name, c := range map[string]struct {
		at, value, health     string
		uid                   string
		uidKnown, healthKnown bool
	}{
		"a label":                        {".labels." + word, "other", "True", word, true, true},
		"a label of one that is off":     {".labels." + word, "other", "False: Unreachable", word, true, false},
		"a label on a hub":               {".labels." + word, "other", "True", "", true, true},
		"a label of one that never came": {".labels." + word, "other", "False: Unreachable", "", false, false},
		"the name":                       {".name", "other", "True", word, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			conditions := map[string]tftypes.Value{
				"Joined": tftypes.NewValue(tftypes.String, "True"), "Healthy": tftypes.NewValue(tftypes.String, c.health),
			}
			prior := edited(t, completeRaw(t, described.Schema), ".status.conditions", conditions)
			prior = edited(t, prior, ".status.cluster_uid", c.uid)
			config := edited(t, edited(t, prior, ".status", nil), c.at, c.value)
			planned := plan(t, "fleet_member_cluster", prior, edited(t, prior, c.at, c.value), config)
			status := attributeOf(t, planned, "status")
			uid := status.IsKnown() && attributeOf(t, status, "cluster_uid").IsKnown()
			health := status.IsFullyKnown()
			if uid != c.uidKnown || health != c.healthKnown {
				t.Errorf("the planned status is %s", status)
			}
		})
	}
}
