package convert

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
)

// TestMemberWithoutTaints checks that MemberAsWritten returns null or empty taints as the configuration has them, so that the next plan is empty. A host stores
// both in the same way.
func TestMemberWithoutTaints(t *testing.T) {
	t.Parallel()
	for name, written := range map[string][]member.Taint{"null": nil, "empty": {}} {
		spec := member.Spec{Name: "a", Taints: written}
		got := MemberAsWritten(FromMember(spec, nil), &spec).Taints
		if len(got) > 0 || (got == nil) != (written == nil) {
			t.Errorf("%s: %#v", name, got)
		}
	}
}
