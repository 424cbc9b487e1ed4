package plan

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

var _ memberpreview.Ownership = (*ownership)(nil)

// ownership identifies a placement's objects on one member by the placement's inventory and its label (the label of its ApplySet). A copy of an object also has
// the label, so the label alone does not prove ownership; see [ownership.Owns].
type ownership struct {
	setID string
	// manager is the field manager of the placement's writes.
	manager   string
	inventory *record.Inventory
	// lost is MemberState.RecordLost, until an inventory is written.
	lost bool
	// copies are pre-existing objects that already had the label when they were taken over. Their label does not prove that the placement owns them.
	copies  map[types.UID]bool
	others  *OtherPlacements
	purpose Purpose
	// replaced is the ApplySet ID of the placement that is removed first, or "". Its label does not count as an owner.
	replaced string
	// former are the ApplySet IDs of the placement's former names. Their labels count as the placement's own: an apply replaces them before it writes objects.
	former map[string]bool
}

// Owns reports whether the placement owns the object: the object has the UID in the inventory, and was applied or has the label. If the inventory is lost, or has
// no UID because the apply recorded the object before it created the object, the label decides. The label of a copy does not count. The placement owns a
// released object until another owner has taken it over.
func (w *ownership) Owns(o *memberpreview.Object) bool {
	entry, known := w.inventory.Entry(o.Key())
	same := known && entry.UID == string(o.Live.GetUID())
	switch {
	case same && entry.Released:
		return !w.isTaken(o.Live)
	case same && entry.Hash != "":
		return true
	case !w.Marked(o) || w.copies[o.Live.GetUID()]:
		return false
	default:
		return w.lost || same || known && entry.UID == ""
	}
}

// isTaken reports whether a released object has a new owner. A manual edit is no takeover.
func (w *ownership) isTaken(live *unstructured.Unstructured) bool {
	theirs := live.DeepCopy()
	theirs.SetManagedFields(slices.DeleteFunc(theirs.GetManagedFields(), func(f metav1.ManagedFieldsEntry) bool { return f.Manager == w.manager }))
	switch w.Owner(theirs).Kind {
	case takeover.OwnerNone, takeover.OwnerUnrecorded, takeover.OwnerReleased, takeover.OwnerKubectl, takeover.OwnerKubernetes:
		return false
	case takeover.OwnerKubeFleet, takeover.OwnerKubeAdmiral, takeover.OwnerPlacement, takeover.OwnerApplySet, takeover.OwnerHelm,
		takeover.OwnerArgoCD, takeover.OwnerFlux, takeover.OwnerTerraform, takeover.OwnerTool, takeover.OwnerController:
	}
	return true
}

// useInventory makes next the inventory that identifies the placement's objects. next has been written to the cluster, the objects have not.
func (w *ownership) useInventory(items []*Item, next *record.Inventory) {
	w.copies = map[types.UID]bool{}
	for _, i := range items {
		if i.Action == takeover.ActionTakeOver && w.Marked(&i.Object) {
			w.copies[i.Live.GetUID()] = true
		}
	}
	w.inventory, w.lost = next, false
}

// Owner returns the owner of an object. It distinguishes the provider's other placements from other ApplySets.
func (w *ownership) Owner(live *unstructured.Unstructured) takeover.Owner {
	if set := applyset.PartOf(live); set != "" && set == w.replaced || w.former[set] {
		live = live.DeepCopy()
		labels := live.GetLabels()
		delete(labels, applyset.PartOfLabel)
		live.SetLabels(labels)
	}
	owner := takeover.OwnerOf(live, takeover.Ours{ApplySet: w.setID})
	if owner.Kind == takeover.OwnerApplySet {
		if name := w.others.owner(applyset.PartOf(live)); name != "" {
			return takeover.Owner{Kind: takeover.OwnerPlacement, Name: name, Exclusive: true}
		}
	}
	return owner
}

// References returns all owner references: a placement sets none, because it marks its objects with a label.
func (*ownership) References(live *unstructured.Unstructured) []metav1.OwnerReference {
	return takeover.OwnerReferences(live, takeover.Ours{})
}

// Marked reports whether the object has the label of the placement.
func (w *ownership) Marked(o *memberpreview.Object) bool { return w.isOwn(applyset.PartOf(o.Live)) }

// isOwn reports whether an ApplySet ID is the placement's, under its current name or a former one.
func (w *ownership) isOwn(set string) bool { return set == w.setID || w.former[set] }

// Applied reports whether the inventory has the object with its UID and the content to place.
func (w *ownership) Applied(o *memberpreview.Object) bool {
	entry, known := w.inventory.Entry(o.Key())
	return known && manifest.SameHash(entry.Hash, o.Hash) && entry.UID == string(o.Live.GetUID())
}

// UpToDate reports whether the object is applied, has the label, and is unchanged since the last apply.
func (w *ownership) UpToDate(o *memberpreview.Object) bool {
	entry, _ := w.inventory.Entry(o.Key())
	return w.Applied(o) && w.Marked(o) && manifest.SameHash(entry.LiveHash, diff.Hash(o.Live))
}

// LastSeen returns the version that the object had after the last apply. It returns a zero value if the version is not recorded, if the content to place has
// changed, or if the caller needs the content of the object: an apply needs all contents, and a refresh the contents that determine availability.
func (w *ownership) LastSeen(o *memberpreview.Object) kube.Seen {
	entry, _ := w.inventory.Entry(o.Key())
	if entry.ResourceVersion == "" || !manifest.SameHash(entry.Hash, o.Hash) {
		return kube.Seen{}
	}
	if w.purpose == Previewing || w.purpose == Reading && !rollout.DependsOnContent(o.Mapping.GVR) {
		return kube.Seen{UID: entry.UID, ResourceVersion: entry.ResourceVersion}
	}
	return kube.Seen{}
}

var _ memberpreview.Writer = (*Writer)(nil)

// Writer writes one placement's objects on one member.
type Writer struct {
	cluster  *kube.Cluster
	strategy placement.ApplyStrategy
}

// Write creates or applies one object. It creates a missing object with POST: if the object has appeared in the meantime, the server returns a conflict and
// nothing is overwritten. It changes an existing object only in the version that was read, because the decision to write it depends on that version, and a
// rolling update can write to a cluster long after the plan has read the objects there.
func (w *Writer) Write(ctx context.Context, o *memberpreview.Object, action takeover.Action, dryRun bool) (*unstructured.Unstructured, error) {
	options := w.options(action)
	options.DryRun = dryRun
	if !dryRun || len(o.Ignored) > 0 && w.strategy.Type == placement.ServerSideApply {
		options.OptimisticLock = true // for a dry run, because the values sent for ignored fields are the values that were read
	}
	if w.strategy.Type != placement.ServerSideApply {
		result, _, err := w.cluster.ApplyClientSide(ctx, o.Desired, o.Live, options)
		return result, err
	}
	if o.Live == nil {
		return w.cluster.Create(ctx, o.Desired, kube.WriteOptions{DryRun: dryRun, Strict: true})
	}
	result, _, err := w.cluster.ApplyServerSide(ctx, o.Desired, o.Live, options)
	return result, err
}

// options returns the options of an apply and its dry run. The result of a takeover depends on the object as read, above all on its owner: if the object has
// changed since then, the server also rejects the dry run.
func (w *Writer) options(action takeover.Action) kube.ApplyOptions {
	given := action == takeover.ActionTakeOverFrom // written like one of the placement's own objects
	out := kube.ApplyOptions{
		Strict: true, OptimisticLock: given || action == takeover.ActionTakeOver, Own: given || action == takeover.ActionUpdate, KeepFinalizers: true,
	}
	if w.strategy.Type == placement.ServerSideApply {
		out.Force = *w.strategy.ServerSideApplyConfig.Force
	}
	return out
}

// Changes computes the changes of a write locally.
func (w *Writer) Changes(schema diff.Schema, o *memberpreview.Object, action takeover.Action, set []diff.Difference) []diff.Difference {
	if w.strategy.Type == placement.ServerSideApply {
		return memberpreview.ServerSideChanges(w.cluster, schema, o, set, w.options(action))
	}
	return memberpreview.ClientSideChanges(w.cluster, schema, o, set, w.options(action))
}

// LastApplied returns the configuration that the last client-side apply stored.
func (*Writer) LastApplied(live *unstructured.Unstructured) *unstructured.Unstructured {
	return kube.LastApplied(live, kube.ApplyOptions{})
}

// Removals computes the removals of a write locally.
func (w *Writer) Removals(schema diff.Schema, o *memberpreview.Object, action takeover.Action) (removals []diff.Difference, isWhole bool) {
	if w.strategy.Type == placement.ServerSideApply {
		return memberpreview.ServerSideRemovals(w.cluster, schema, o, w.options(action))
	}
	return memberpreview.ClientSideRemovals(w.cluster, schema, o, w.options(action))
}

// Conflicts computes the conflicts of a server-side apply locally.
func (w *Writer) Conflicts(schema diff.Schema, o *memberpreview.Object, action takeover.Action) []diff.Conflict {
	if w.strategy.Type != placement.ServerSideApply {
		return nil
	}
	return memberpreview.ServerSideConflicts(w.cluster, schema, o, w.options(action))
}
