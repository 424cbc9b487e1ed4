package placement

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Private is the framework's private state of a resource: JSON by key, which Terraform keeps and never shows.
type Private interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// Keys of the private state.
const (
	privateID        = "id"
	privateStatus    = "status"
	privateWriteOnly = "manifests_wo"
)

// Memory is what is known of a placement from the last time and is nothing for people to read: it is kept in the private state, because
// Terraform prints all of an attribute that changes.
type Memory struct {
	// ID is the identity of the resource; empty while it is not known, as after an import or with a state of before there were any.
	ID string
	// Status is the whole status; nil for a placement that is new or of which only the record tells.
	Status *domain.Status
	// WriteOnlyHash is a salted hash of the write-only manifests.
	WriteOnlyHash string
}

// Recall reads what is kept in a private state.
func Recall(ctx context.Context, private Private, diags *diag.Diagnostics) Memory {
	var out Memory
	recall(ctx, private, privateID, &out.ID, diags)
	recall(ctx, private, privateStatus, &out.Status, diags)
	recall(ctx, private, privateWriteOnly, &out.WriteOnlyHash, diags)
	return out
}

func recall(ctx context.Context, private Private, key string, into any, diags *diag.Diagnostics) {
	value, d := private.GetKey(ctx, key)
	diags.Append(d...)
	if len(value) == 0 {
		return
	}
	if err := json.Unmarshal(value, into); err != nil {
		diags.AddError("The private state cannot be read", "What the state keeps of the placement under \""+key+"\" is damaged: "+err.Error()+
			". Remove the placement from the state (terraform state rm) and import it.")
	}
}

// keep writes the memory into a private state.
func (m Memory) keep(ctx context.Context, private Private, diags *diag.Diagnostics) {
	for key, value := range map[string]any{privateID: m.ID, privateStatus: m.Status, privateWriteOnly: m.WriteOnlyHash} {
		text, err := json.Marshal(value)
		if err != nil {
			diags.AddError("The private state cannot be written", err.Error())
			return
		}
		diags.Append(private.SetKey(ctx, key, text)...)
	}
}

// newMemory is that of a placement which is being created.
func newMemory() Memory { return Memory{ID: string(uuid.NewUUID())} }

// placement is what an engine is told of a placement that is remembered so.
func (m Model) placement(ctx context.Context, known Memory, diags *diag.Diagnostics) engine.Placement {
	out := engine.Placement{Reference: engine.Reference{Name: m.Name.ValueString()}, ID: known.ID, Prior: known.Status}
	out.Spec, out.Manifests = m.Expand(ctx, diags)
	return out
}
