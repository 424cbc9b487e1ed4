package memberpreview

import (
	"errors"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// foretell tells without a dry run which fields a write of an object of the placement's own removes, and what the API server would refuse it for:
// fields of other managers, and fields that nobody may change. It knows less than the API server, and nothing of admission rules.
func (m *Member) foretell(o *Object, preview engine.ObjectPreview) engine.ObjectPreview {
	if o.Live == nil {
		return preview
	}
	if preview.Action == takeover.ActionUpdate {
		preview.Differences = append(preview.Differences, m.leaving(o, preview.Differences)...)
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

// leaving are the fields that are not placed any more, besides those that are known to differ, as far as the object tells what was applied.
func (m *Member) leaving(o *Object, known []diff.Difference) []diff.Difference {
	var found []diff.Difference
	if m.Strategy.Type == placement.ServerSideApply {
		found = diff.Leaving(m.Schema, o.Desired, o.Live, m.Cluster.FieldManager(m.FieldManager))
	} else if applied := kube.LastApplied(o.Live); applied != nil {
		before := diff.Full(m.Schema, o.Desired, applied).Differences
		found = slices.DeleteFunc(diff.Full(m.Schema, o.Desired, o.Live).Differences, func(d diff.Difference) bool {
			return d.HasHub || !slices.ContainsFunc(before, func(was diff.Difference) bool { return !was.HasHub && was.Field == d.Field })
		})
	}
	return slices.DeleteFunc(found, func(d diff.Difference) bool {
		return slices.ContainsFunc(known, func(other diff.Difference) bool { return other.Field == d.Field })
	})
}
