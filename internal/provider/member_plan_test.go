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

// sharedEngine is an engine whose members belong to another system, with its own values of each label and annotation.
type sharedEngine struct{ idleEngine }

func (sharedEngine) ReadMember(_ context.Context, name string, _ *engine.Member) (engine.Member, error) {
	values := map[string]string{word: "theirs"}
	return engine.Member{Spec: member.Spec{Name: name, AdoptExisting: new(true), Labels: values, Annotations: values}}, nil
}

func (sharedEngine) Agent(spec member.Spec) *engine.Agent {
	if spec.Adopts() {
		return nil
	}
	return new(newFilled[engine.Agent]())
}

// TestPlanOfAdoptedMember checks that a plan warns if an adopted member loses values of another system. If the state already has the key, the plan shows the
// values instead. The plan contains no agent: the other system chooses the identity of the agent.
func TestPlanOfAdoptedMember(t *testing.T) {
	var described resource.SchemaResponse
	membercluster.New().Schema(t.Context(), resource.SchemaRequest{}, &described)
	state := completeRaw(t, described.Schema)
	for _, at := range []string{".identity", ".heartbeat_period_seconds", ".delete_options", ".agent"} {
		state = withValue(t, state, at, nil)
	}
	null := tftypes.NewValue(state.Type(), nil)
	for name, c := range map[string]struct {
		prior tftypes.Value
		lost  []string
	}{
		"adopted":             {null, []string{`labels["word"]: "theirs" -> "word"`, `annotations["word"]: "theirs" -> "word"`}},
		"adopted, with a key": {withValue(t, state, ".labels."+word, "other"), nil},
		"adopted, with a label alone": {
			withValue(t, withValue(t, state, ".labels."+word, "other"), ".annotations", nil), []string{`annotations["word"]: "theirs" -> "word"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			config := withValue(t, state, ".status", nil)
			proposed := withValue(t, withValue(t, state, ".status", tftypes.UnknownValue), ".agent", tftypes.UnknownValue)
			response, err := newServer(t, sharedEngine{}).PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
				TypeName: "fleet_member_cluster", PriorState: encode(t, c.prior), ProposedNewState: encode(t, proposed), Config: encode(t, config),
			})
			requireSuccess(t, err, response.Diagnostics)
			reported := formatDiagnostics(response.Diagnostics)
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

// TestMemberStatusIsKept checks which parts of the status remain known if a registration changes.
func TestMemberStatusIsKept(t *testing.T) {
	var described resource.SchemaResponse
	membercluster.New().Schema(t.Context(), resource.SchemaRequest{}, &described)
	for name, c := range map[string]struct {
		at, value, health     string
		uid                   string
		uidKnown, healthKnown bool
	}{
		"a label":                               {".labels." + word, "other", "True", word, true, true},
		"a label of an unreachable member":      {".labels." + word, "other", "False: Unreachable", word, true, false},
		"a label on a hub":                      {".labels." + word, "other", "True", "", true, true},
		"a label of a member that never joined": {".labels." + word, "other", "False: Unreachable", "", false, false},
		"the name":                              {".name", "other", "True", word, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			conditions := map[string]tftypes.Value{
				"Joined": tftypes.NewValue(tftypes.String, "True"), "Healthy": tftypes.NewValue(tftypes.String, c.health),
			}
			prior := withValue(t, completeRaw(t, described.Schema), ".status.conditions", conditions)
			prior = withValue(t, prior, ".status.cluster_uid", c.uid)
			config := withValue(t, withValue(t, prior, ".status", nil), c.at, c.value)
			planned := planResource(t, "fleet_member_cluster", prior, withValue(t, prior, c.at, c.value), config)
			status := attributeOf(t, planned, "status")
			uid := status.IsKnown() && attributeOf(t, status, "cluster_uid").IsKnown()
			health := status.IsFullyKnown()
			if uid != c.uidKnown || health != c.healthKnown {
				t.Errorf("the planned status is %s", status)
			}
		})
	}
}
