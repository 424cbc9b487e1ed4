package placement

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/private"
)

// Private is the private state of a resource.
type Private = private.State

// Keys of the private state, besides that of the identity.
const (
	privateStatus    = "status"
	privateWriteOnly = "manifests_wo"
	privateKey       = "key"
	privateAwaited   = "awaited"
)

// Memory is what is known of a placement from the last time and is nothing for people to read: it is kept in the private state, because
// Terraform prints all of an attribute that changes.
type Memory struct {
	// ID is the identity of the resource; empty while it is not known, as after an import or with a state of before there were any.
	ID string
	// Status is the status, of which what is kept is bounded; nil for a placement that is new or of which only the record tells.
	Status *domain.Status
	// WriteOnlyHash is a salted hash of the write-only manifests.
	WriteOnlyHash string
	// Awaited are the placements that a removal has waited for in vain, and whose removal its plan did not know of.
	Awaited []string
	// Key signs the records; nil until an apply has created it, as after an import or with a state of an earlier version.
	Key engine.Key
}

// Recall reads what is kept in a private state.
func Recall(ctx context.Context, state Private, diags *diag.Diagnostics) Memory {
	var out Memory
	private.Recall(ctx, state, private.ID, &out.ID, diags)
	private.Recall(ctx, state, privateStatus, &out.Status, diags)
	private.Recall(ctx, state, privateWriteOnly, &out.WriteOnlyHash, diags)
	private.Recall(ctx, state, privateKey, (*[]byte)(&out.Key), diags)
	private.Recall(ctx, state, privateAwaited, &out.Awaited, diags)
	return out
}

// keep writes the memory into a private state.
func (m Memory) keep(ctx context.Context, state Private, diags *diag.Diagnostics) {
	private.Keep(ctx, state, private.ID, m.ID, diags)
	var status *domain.Status
	if m.Status != nil {
		status = new(m.Status.Remembered())
	}
	private.Keep(ctx, state, privateStatus, status, diags)
	private.Keep(ctx, state, privateWriteOnly, m.WriteOnlyHash, diags)
	private.Keep(ctx, state, privateKey, []byte(m.Key), diags)
	private.Keep(ctx, state, privateAwaited, m.Awaited, diags)
}

// newMemory is that of a placement which is being created.
func newMemory() Memory { return Memory{ID: engine.NewID(), Key: engine.NewKey()} }

// placement is what an engine is told of a placement that is remembered so.
func (m Model) placement(ctx context.Context, known Memory, diags *diag.Diagnostics) engine.Placement {
	out := engine.Placement{Reference: m.Reference(), ID: known.ID, Prior: known.Status, Key: known.Key}
	out.Spec, out.Manifests = m.Expand(ctx, diags)
	out.IgnoreFields = m.arguments().IgnoreRules(ctx, diags)
	return out
}
