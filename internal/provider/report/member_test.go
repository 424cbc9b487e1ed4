package report

import (
	"errors"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// TestForgottenMember compares the warnings about members. A warning about a member that is removed from the state does not advise to connect the member.
func TestForgottenMember(t *testing.T) {
	missing := &engine.NotConfiguredError{Member: "member-3", Configured: []string{"member-1", "member-2"}}
	silent := &engine.MemberUnreachableError{Member: "member-3", Err: errors.New(`cluster "member-3": cannot identify it: connection refused`)}
	limitation := engine.Limitation{Path: placement.At("name"), Message: missing.Error() + ". Add a connection to this member there."}
	for name, report := range map[string]func(*diag.Diagnostics){
		"member-removed":           func(diags *diag.Diagnostics) { MemberRemovedFromState(diags, "member-3", missing) },
		"member-removed-unreached": func(diags *diag.Diagnostics) { MemberRemovedFromState(diags, "member-3", silent) },
		"member-released":          func(diags *diag.Diagnostics) { ReleasedMember(diags, "member-3") },
		"member-reached-otherwise": func(diags *diag.Diagnostics) {
			ReachedOtherwise(diags, "member-3", "The host calls the member \"member-3\" at https://a:6443, and the provider's connection has the address https://b:6443. "+
				"Nothing of that was written")
		},
		"member-to-adopt":             func(diags *diag.Diagnostics) { NothingToAdopt(diags, "member-3") },
		"member-unconnected-removing": func(diags *diag.Diagnostics) { UnconnectedMember(diags, "member-3", limitation, true) },
		"member-unreachable":          func(diags *diag.Diagnostics) { UnreachableMember(diags, "member-3", silent, true, false, always) },
		"member-unreachable-error":    func(diags *diag.Diagnostics) { UnreachableMember(diags, "member-3", silent, false, true, always) },
		"member-unreachable-again": func(diags *diag.Diagnostics) {
			UnreachableMember(diags, "member-3", silent, false, false, func(string) bool { return false })
		},
		"member-unconnected": func(diags *diag.Diagnostics) { UnconnectedMember(diags, "member-3", limitation, false) },
	} {
		var diags diag.Diagnostics
		report(&diags)
		if len(diags) != 1 {
			t.Fatalf("%s: %d diagnostics", name, len(diags))
		}
		golden(t, name, diags[0].Severity().String()+": "+diags[0].Summary()+"\n\n"+diags[0].Detail()+"\n")
	}
}
