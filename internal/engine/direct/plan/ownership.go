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

// ownership tells a placement's objects on one member by its inventory, and by its mark, which is the label of its ApplySet. The mark alone
// says nothing: copies of an object have it too.
type ownership struct {
	setID string
	// manager is the name under which the placement's own writes own fields.
	manager   string
	inventory *record.Inventory
	// lost says that the inventory is gone, or came from another cluster; see [MemberState].
	lost bool
	// copies are objects that had the mark when they were taken over, and do not become the placement's own by it.
	copies  map[types.UID]bool
	others  *OtherPlacements
	purpose Purpose
	// replaced is the set of the placement that goes first, whose mark does not count; empty for none.
	replaced string
	// former are the sets of the placement's other names. Their marks count as its own: an apply replaces them before it writes objects.
	former map[string]bool
}

// Owns: it is the very object that the inventory has, and was applied, or has the mark. Of an object whose creation was announced only, and
// of all objects where the inventory is lost, the mark is all there is to go by. What was released is the placement's own as long as nobody else
// looks after it.
func (w *ownership) Owns(o *memberpreview.Object) bool {
	entry, known := w.inventory.Entry(o.Key())
	same := known && entry.UID == string(o.Live.GetUID())
	switch {
	case same && entry.Released:
		return !w.taken(o.Live)
	case same && entry.Hash != "":
		return true
	case !w.Marked(o) || w.copies[o.Live.GetUID()]:
		return false
	default:
		return w.lost || same || known && entry.UID == ""
	}
}

// taken tells whether somebody looks after an object since it was released. An edit by hand takes nothing.
func (w *ownership) taken(live *unstructured.Unstructured) bool {
	theirs := live.DeepCopy()
	theirs.SetManagedFields(slices.DeleteFunc(theirs.GetManagedFields(), func(f metav1.ManagedFieldsEntry) bool { return f.Manager == w.manager }))
	switch w.Owner(theirs).Kind {
	case takeover.OwnerNone, takeover.OwnerUnrecorded, takeover.OwnerKubectl:
		return false
	case takeover.OwnerKubeFleet, takeover.OwnerKubeAdmiral, takeover.OwnerPlacement, takeover.OwnerApplySet, takeover.OwnerHelm,
		takeover.OwnerArgoCD, takeover.OwnerFlux, takeover.OwnerTerraform, takeover.OwnerController:
	}
	return true
}

// announced takes over what is recorded before the first object is written.
func (w *ownership) announced(items []*Item, next *record.Inventory) {
	w.copies = map[types.UID]bool{}
	for _, i := range items {
		if i.Action == takeover.ActionTakeOver && w.Marked(&i.Object) {
			w.copies[i.Live.GetUID()] = true
		}
	}
	w.inventory, w.lost = next, false
}

// Owner tells the provider's other placements from other ApplySets.
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

// References are all there are: the placement owns by a label.
func (*ownership) References(live *unstructured.Unstructured) []metav1.OwnerReference {
	return takeover.OwnerReferences(live, takeover.Ours{})
}

// Marked looks for the label.
func (w *ownership) Marked(o *memberpreview.Object) bool { return w.isOwn(applyset.PartOf(o.Live)) }

// isOwn reports whether a set is the placement's, under its current name or a former one.
func (w *ownership) isOwn(set string) bool { return set == w.setID || w.former[set] }

// Applied looks into the inventory.
func (w *ownership) Applied(o *memberpreview.Object) bool {
	entry, known := w.inventory.Entry(o.Key())
	return known && manifest.SameHash(entry.Hash, o.Hash) && entry.UID == string(o.Live.GetUID())
}

// UpToDate compares what is stored with what was.
func (w *ownership) UpToDate(o *memberpreview.Object) bool {
	entry, _ := w.inventory.Entry(o.Key())
	return w.Applied(o) && w.Marked(o) && manifest.SameHash(entry.LiveHash, diff.Hash(o.Live))
}

// LastSeen is the object as the last apply left it, for who does not need its content: an apply has all objects as they are, and a refresh
// those whose availability depends on it.
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

// Write sends one object. An object that is to be created is created: if one has appeared meanwhile, the server says so and nothing is
// overwritten.
func (w *Writer) Write(ctx context.Context, o *memberpreview.Object, action takeover.Action, dryRun bool) (*unstructured.Unstructured, error) {
	options := w.options(action)
	options.DryRun = dryRun
	if len(o.Ignored) > 0 && w.strategy.Type == placement.ServerSideApply {
		options.OptimisticLock = true // what is sent of the ignored fields holds only for the object as it was read
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

// options are those of an apply. A takeover is decided about the object as it was read, its owner above all: if it has changed since, the server
// refuses the write.
func (w *Writer) options(action takeover.Action) kube.ApplyOptions {
	given := action == takeover.ActionTakeOverFrom // it is written as one of the placement's own
	out := kube.ApplyOptions{Strict: true, OptimisticLock: given || action == takeover.ActionTakeOver, Own: given || action == takeover.ActionUpdate}
	if w.strategy.Type == placement.ServerSideApply {
		out.Force = *w.strategy.ServerSideApplyConfig.Force
	}
	return out
}

// Changes compares locally.
func (w *Writer) Changes(schema diff.Schema, o *memberpreview.Object, action takeover.Action, set []diff.Difference) []diff.Difference {
	if w.strategy.Type == placement.ServerSideApply {
		return memberpreview.ServerSideChanges(w.cluster, schema, o, set, w.options(action))
	}
	return memberpreview.ClientSideChanges(w.cluster, schema, o, set, w.options(action))
}

// Conflicts compares locally.
func (w *Writer) Conflicts(schema diff.Schema, o *memberpreview.Object, action takeover.Action) []diff.Conflict {
	if w.strategy.Type != placement.ServerSideApply {
		return nil
	}
	return memberpreview.ServerSideConflicts(w.cluster, schema, o, w.options(action))
}
