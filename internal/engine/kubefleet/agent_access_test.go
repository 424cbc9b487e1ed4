package kubefleet_test

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
)

// The agent of a member that another system creates is unknown. For any other member it follows from the name and the identity of the member.
func TestAgent(t *testing.T) {
	t.Parallel()
	e, azure := new(kubefleet.Engine), member.Identity{Kind: member.User, Name: "azure"}
	for name, test := range map[string]struct {
		spec member.Spec
		want *engine.Agent
	}{
		"adopted":                    {member.Spec{Name: "a", AdoptExisting: new(true)}, nil},
		"adopted, with an identity":  {member.Spec{Name: "a", AdoptExisting: new(true), Identity: &azure}, nil},
		"own, without an identity":   {member.Spec{Name: "a"}, &engine.Agent{Identity: kubefleet.DefaultIdentity("a"), MemberNamespace: "fleet-member-a", Role: "fleet-role-a"}},
		"not adopted, in full words": {member.Spec{Name: "a", AdoptExisting: new(false), Identity: &azure}, &engine.Agent{Identity: azure, MemberNamespace: "fleet-member-a", Role: "fleet-role-a"}},
	} {
		if got := e.Agent(test.spec); (got == nil) != (test.want == nil) || got != nil && *got != *test.want {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}
