package memberpreview

import (
	"errors"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// foretell tells without a dry run what the API server would refuse a write of an object for: fields of other managers, and fields that
// nobody may change. It knows less than the API server, and nothing of admission rules.
func (m *Member) foretell(o *Object, preview engine.ObjectPreview) engine.ObjectPreview {
	if o.Live == nil {
		return preview
	}
	if err := m.conflict(o); err != nil {
		return rejected(preview, err)
	}
	fixed := diff.Immutable(o.Desired, o.Live, diff.Partial(m.Schema, o.Desired, o.Live).Differences)
	if len(fixed) == 0 {
		return preview
	}
	fields := make([]string, len(fixed))
	for i, d := range fixed {
		fields[i] = d.Field
	}
	return rejected(preview, errors.New("fields of it cannot be changed once it is there: "+strings.Join(fields, ", ")))
}

// conflict is what a server-side apply without force would be refused for, nil for nothing.
func (m *Member) conflict(o *Object) error {
	if m.Strategy.Type != placement.ServerSideApply || m.Strategy.ServerSideApplyConfig == nil || *m.Strategy.ServerSideApplyConfig.Force {
		return nil
	}
	conflicts := diff.Conflicts(m.Schema, o.Desired, o.Live, m.Cluster.FieldManager(m.FieldManager))
	if len(conflicts) == 0 {
		return nil
	}
	out := &kube.ConflictError{Cluster: m.Cluster.Name(), Ref: kube.RefOf(o.Live)}
	for _, c := range conflicts {
		out.Conflicts = append(out.Conflicts, kube.Conflict{Manager: c.Manager.Name, Subresource: c.Manager.Subresource, Field: "." + c.Field})
	}
	return out
}
