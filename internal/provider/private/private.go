// Package private stores data in the private state of a resource, which Terraform never shows.
package private

import (
	"context"
	"encoding/json"

	"github.com/hashicorp/terraform-plugin-framework/diag"
)

// Reader reads a private state: JSON by key.
type Reader interface {
	GetKey(ctx context.Context, key string) ([]byte, diag.Diagnostics)
}

// State is the framework's private state of a resource. It can be written.
type State interface {
	Reader
	SetKey(ctx context.Context, key string, value []byte) diag.Diagnostics
}

// ID is the key of the identity of a resource: a UUID that never changes and that the records of the resource contain.
const ID = "id"

// UID is the key of the UID that an object on a hub had when it was last read or written.
const UID = "uid"

// Recall reads the value of a key. If there is none, Recall leaves into unchanged.
func Recall(ctx context.Context, state Reader, key string, into any, diags *diag.Diagnostics) {
	value, d := state.GetKey(ctx, key)
	diags.Append(d...)
	if len(value) == 0 {
		return
	}
	if err := json.Unmarshal(value, into); err != nil {
		diags.AddError("The private state cannot be read", "The private state of the resource under \""+key+"\" is damaged: "+err.Error()+
			". Remove the resource from the state (terraform state rm) and import it.")
	}
}

// Set writes the value of a key.
func Set(ctx context.Context, state State, key string, value any, diags *diag.Diagnostics) {
	text, err := json.Marshal(value)
	if err != nil {
		diags.AddError("The private state cannot be written", err.Error())
		return
	}
	diags.Append(state.SetKey(ctx, key, text)...)
}
