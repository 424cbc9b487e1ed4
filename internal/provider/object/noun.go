// Package object contains what resources for a single object share: how they are validated, planned, written, read, removed and imported. A noun adds the
// name of its type, its schema, its plan and the engine's operations.
package object

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/identity"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/private"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/session"
)

// Noun is the type of object that a resource manages. M is the Terraform representation of the resource. A noun on which placements depend also implements
// [Dependency].
type Noun[M any] interface {
	// TypeName returns the name of the resource type without the provider's prefix. Title names the object for people, as in `The budget "web"`.
	TypeName() string
	Title(m M) string
	Schema(ctx context.Context) schema.Schema
	// Upgraders returns the upgraders for states of earlier versions of the schema.
	Upgraders(ctx context.Context) map[int64]resource.StateUpgrader
	Identity() identity.Format
	// Validate validates an object without a cluster. All attributes are known.
	Validate(ctx context.Context, m M, diags *diag.Diagnostics)
	Plan(ctx context.Context, p *Plan[M])
	// Apply writes the object, stores the result in m, and returns the object's UID. It returns false if nothing was written. prior is nil for a create.
	Apply(ctx context.Context, c Call, m, prior *M, diags *diag.Diagnostics) (uid string, written bool)
	// Read stores the live object in m and returns its UID. It returns [engine.ErrNotFound] if there is no object.
	Read(ctx context.Context, c Call, m *M, diags *diag.Diagnostics) (uid string, err error)
	// Delete deletes the object. If it adds an error to diags, it returns nil.
	Delete(ctx context.Context, c Call, m M, diags *diag.Diagnostics) error
}

// Call is the input of an operation on an object.
type Call struct {
	Session *session.Session
	Engine  engine.Engine
	Private private.State
	// UID is the UID that the object had when it was last read or written, or "" if it is unknown. If an object with another UID has the name, the engine
	// returns an [engine.ReplacedError].
	UID string
}

// NewCall returns the input of an operation on the object whose UID is in the private state.
func NewCall(ctx context.Context, shared *session.Session, memory private.State, diags *diag.Diagnostics) Call {
	out := Call{Session: shared, Private: memory}
	if shared != nil {
		out.Engine = shared.Engine
	}
	private.Recall(ctx, memory, private.UID, &out.UID, diags)
	return out
}

// Source is a configuration, a plan or a state.
type Source interface {
	Get(ctx context.Context, target any) diag.Diagnostics
}

// Target is a state.
type Target interface {
	Set(ctx context.Context, value any) diag.Diagnostics
}

// Converter has the additional methods of a [Noun] that converts between M and the model of its schema, because several resource types share M.
type Converter[M any] interface {
	Get(ctx context.Context, from Source, diags *diag.Diagnostics) M
	Set(ctx context.Context, to Target, m M) diag.Diagnostics
}

func get[M any](ctx context.Context, noun Noun[M], from Source, diags *diag.Diagnostics) (m M) {
	if converter, ok := noun.(Converter[M]); ok {
		return converter.Get(ctx, from, diags)
	}
	diags.Append(from.Get(ctx, &m)...)
	return m
}

func set[M any](ctx context.Context, noun Noun[M], to Target, m M) diag.Diagnostics {
	if converter, ok := noun.(Converter[M]); ok {
		return converter.Set(ctx, to, m)
	}
	return to.Set(ctx, m)
}
