package memberpreview

import (
	"errors"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// predictWrite predicts without a dry run what a write changes and removes in an existing object, and whether the API server rejects it because of fields of
// other managers or immutable fields. It ignores admission rules. It returns the preview of a new object unchanged.
func (m *Member) predictWrite(o *Object, preview engine.ObjectPreview) engine.ObjectPreview {
	if o.Live == nil {
		return preview
	}
	preview.Differences = m.Writer.Changes(m.Schema, o, preview.Action, diff.Partial(m.Schema, o.Desired, o.Live).All())
	if err := m.conflict(o, preview.Action); err != nil {
		return rejected(preview, err)
	}
	immutable := diff.Immutable(o.Desired, o.Live, preview.Differences)
	if len(immutable) == 0 {
		return preview
	}
	fields := make([]string, len(immutable))
	for i, d := range immutable {
		fields[i] = d.Field
	}
	return rejected(preview, errors.New("immutable fields would change: "+strings.Join(fields, ", ")))
}

// conflict returns the error of a write that conflicts with other managers, or nil.
func (m *Member) conflict(o *Object, action takeover.Action) error {
	conflicts := m.Writer.Conflicts(m.Schema, o, action)
	if len(conflicts) == 0 {
		return nil
	}
	out := &kube.ConflictError{Cluster: m.Cluster.Name(), Ref: kube.RefOf(o.Live)}
	for _, c := range conflicts {
		out.Conflicts = append(out.Conflicts, kube.Conflict{Manager: c.Manager.Name, Subresource: c.Manager.Subresource, Field: "." + c.Field})
	}
	return out
}

// ServerSideChanges implements [Writer.Changes] for a server-side apply.
func ServerSideChanges(cluster *kube.Cluster, schema diff.Schema, o *Object, set []diff.Difference, options kube.ApplyOptions) []diff.Difference {
	return join(set, diff.Leaving(schema, o.Desired, o.Live, cluster.FieldManager(options.FieldManager), !options.KeepUpdates))
}

// ServerSideConflicts implements [Writer.Conflicts] for a server-side apply.
func ServerSideConflicts(cluster *kube.Cluster, schema diff.Schema, o *Object, options kube.ApplyOptions) []diff.Conflict {
	if options.Force {
		return nil
	}
	return diff.Conflicts(schema, o.Desired, o.Live, cluster.FieldManager(options.FieldManager), options.KeepUpdates)
}

// ServerSideRemovals implements [Writer.Removals] for a server-side apply. isWhole is false if the field manager of the write already owns fields of the
// object, because only a dry run finds all fields of this manager that the apply removes.
func ServerSideRemovals(cluster *kube.Cluster, schema diff.Schema, o *Object, options kube.ApplyOptions) (removals []diff.Difference, isWhole bool) {
	manager := cluster.FieldManager(options.FieldManager)
	return diff.Leaving(schema, o.Desired, o.Live, manager, !options.KeepUpdates), !kube.IsManager(o.Live, manager)
}

// ClientSideRemovals implements [Writer.Removals] for a client-side apply. A strategic merge also removes fields that neither the last applied nor the
// desired configuration contains: the other fields of a union such as a Deployment's strategy, and fields in lists that are replaced as a whole. If
// [kube.MergeClientSide] returns nil, the removals are those of a server-side apply.
func ClientSideRemovals(cluster *kube.Cluster, schema diff.Schema, o *Object, options kube.ApplyOptions) (removals []diff.Difference, isWhole bool) {
	options.FieldManager = cluster.FieldManager(options.FieldManager)
	merged := kube.MergeClientSide(o.Desired, o.Live, options)
	if merged == nil {
		return ServerSideRemovals(cluster, schema, o, options)
	}
	return slices.DeleteFunc(diff.Written(schema, merged, o.Live).All(), func(d diff.Difference) bool { return d.HasHub }), true
}

// ClientSideChanges implements [Writer.Changes] for a client-side apply. The apply removes the fields of the last apply that are no longer desired, and
// removes no other fields from maps. Without a record of the last apply, and with options.Own, it removes the fields that its field manager owns and that are
// no longer desired. If [kube.MergeClientSide] returns nil, the changes are those of a server-side apply.
func ClientSideChanges(cluster *kube.Cluster, schema diff.Schema, o *Object, set []diff.Difference, options kube.ApplyOptions) []diff.Difference {
	options.FieldManager = cluster.FieldManager(options.FieldManager)
	merged := kube.MergeClientSide(o.Desired, o.Live, options)
	if merged == nil {
		return ServerSideChanges(cluster, schema, o, set, options)
	}
	var dropped []diff.Difference
	applied := kube.LastApplied(o.Live, options)
	if applied != nil {
		dropped = diff.Written(schema, o.Desired, applied).All()
	}
	// In a list that it replaces, the patch also removes defaults. The API server sets them again, so they do not count.
	removed := slices.DeleteFunc(diff.Written(schema, merged, o.Live).All(), func(d diff.Difference) bool {
		return d.HasHub || !hasDifference(set, d) && !hasDifference(dropped, d)
	})
	if applied == nil && options.Own {
		removed = join(removed, diff.Leaving(schema, o.Desired, o.Live, options.FieldManager, true))
	}
	set = slices.DeleteFunc(slices.Clone(set), func(d diff.Difference) bool { return !d.HasHub && !hasDifference(removed, d) })
	return join(set, removed)
}

// join appends the differences in more whose fields are not in differences.
func join(differences, more []diff.Difference) []diff.Difference {
	out := slices.Clone(differences)
	for _, d := range more {
		if !hasDifference(differences, d) {
			out = append(out, d)
		}
	}
	return out
}

func hasDifference(differences []diff.Difference, wanted diff.Difference) bool {
	return slices.ContainsFunc(differences, func(d diff.Difference) bool { return d.Field == wanted.Field && d.HasHub == wanted.HasHub })
}
