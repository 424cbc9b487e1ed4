package direct

import (
	"context"
	"errors"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
)

// ListMembers reads every configured member. One that does not answer, or is not registered, is listed as such.
func (e *Engine) ListMembers(ctx context.Context) ([]engine.ListedMember, error) {
	names := e.memberNames()
	out := make([]engine.ListedMember, len(names))
	err := e.onEach(ctx, names, func(ctx context.Context, name string) error {
		i := slices.Index(names, name)
		out[i] = engine.ListedMember{Spec: member.Spec{Name: name}}
		spec, status, err := e.ReadMember(ctx, name)
		switch {
		case errors.Is(err, engine.ErrNotFound):
		case err != nil:
			out[i].Err = err
		default:
			out[i] = engine.ListedMember{Spec: spec, Status: status, Joined: true}
		}
		return nil
	})
	return out, err
}
