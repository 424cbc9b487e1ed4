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

// These are the keys of the private state, besides [private.ID].
const (
	privateStatus    = "status"
	privateWriteOnly = "manifests_wo"
	privateKey       = "key"
	privateAwaited   = "awaited"
)

// Memory is the part of the last known state of a placement that users do not need to see. It is stored in the private state, because Terraform prints
// the whole value of an attribute that changes.
type Memory struct {
	// ID is the identity of the resource. It is empty until an import has read the record, and in a state from before placements had an ID.
	ID string
	// Status is the last status; the private state stores a bounded part of it. It is nil for a new placement, and for one that is known only from
	// its record.
	Status *domain.Status
	// WriteOnlyHash is a salted hash of the write-only manifests.
	WriteOnlyHash string
	// Awaited names placements whose objects block the removal of this placement. An earlier removal stopped waiting for the removal of these placements, and no
	// plan knew whether the run would remove them.
	Awaited []string
	// Key signs the records. After an import, and in a state of an earlier version, it is nil until an apply creates it.
	Key engine.Key
}

// Recall reads the memory from a private state.
func Recall(ctx context.Context, state Private, diags *diag.Diagnostics) Memory {
	var out Memory
	private.Recall(ctx, state, private.ID, &out.ID, diags)
	private.Recall(ctx, state, privateStatus, &out.Status, diags)
	private.Recall(ctx, state, privateWriteOnly, &out.WriteOnlyHash, diags)
	private.Recall(ctx, state, privateKey, (*[]byte)(&out.Key), diags)
	private.Recall(ctx, state, privateAwaited, &out.Awaited, diags)
	return out
}

func (m Memory) store(ctx context.Context, state Private, diags *diag.Diagnostics) {
	private.Set(ctx, state, private.ID, m.ID, diags)
	var status *domain.Status
	if m.Status != nil {
		status = new(m.Status.Remembered())
	}
	private.Set(ctx, state, privateStatus, status, diags)
	private.Set(ctx, state, privateWriteOnly, m.WriteOnlyHash, diags)
	private.Set(ctx, state, privateKey, []byte(m.Key), diags)
	private.Set(ctx, state, privateAwaited, m.Awaited, diags)
}

func newMemory() Memory { return Memory{ID: engine.NewID(), Key: engine.NewKey()} }

func (m Model) expandPlacement(ctx context.Context, known Memory, diags *diag.Diagnostics) engine.Placement {
	out := engine.Placement{Reference: m.Reference(), ID: known.ID, Prior: known.Status, Key: known.Key}
	out.Spec, out.Manifests = m.Expand(ctx, diags)
	out.IgnoreFields = m.arguments().IgnoreRules(ctx, diags)
	return out
}
