package plan

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/applyset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/ignore"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Cluster is the plan for one cluster.
type Cluster struct {
	*MemberState
	Decision schedule.Decision
	// Items are the objects to place on the cluster, in the order of the selection. Prunable are the recorded objects that the placement no longer places
	// there, and the unrecorded objects with its label.
	Items, Prunable []*Item
	// Overridden are the overrides that apply to objects for this cluster. OverrideErr is why one of them could not be applied.
	Overridden  []override.Reference
	OverrideErr error
	// UnsearchedKinds are the kinds whose objects could not be searched for the placement's label when the record is lost; see [Marks.UnsearchedKinds].
	UnsearchedKinds []string
	// Unusable are the entries of the inventory that cannot identify an object. The next write of the inventory removes them.
	Unusable []manifest.Identifier
	// Member reads the objects of the cluster, and Writer writes them. Both are nil if Client is nil.
	Member *memberpreview.Member
	Writer *Writer

	ownership *ownership
	plan      *Plan
	// replacedRecord is the record of the placement that is removed first, or nil.
	replacedRecord *record.Inventory
	// going has the objects that the plan deletes or an earlier attempt has deleted, and the objects found to be deleted with them.
	going memberpreview.Deleted
	// deletedWith are the objects that the removals of other placements delete, by placement. Only a preview sets it.
	deletedWith map[string]map[types.UID]bool
}

// Item is one object on one cluster, with the action for it.
type Item struct {
	memberpreview.Object
	// Entry is the object's entry in the inventory, if Known.
	Entry record.Entry
	Known bool
	// Occupants are the placements whose removal the deletion of the object waits for; see [Cluster.Occupied].
	Occupants []string
	// Unrecorded reports that the object has the placement's label on a cluster whose record is lost, and is not placed there.
	Unrecorded bool
}

func (p *Plan) newCluster(v *MemberState) *Cluster {
	out := &Cluster{MemberState: v, Decision: p.decision(v), plan: p}
	if v.Client == nil {
		return out
	}
	out.ownership = &ownership{
		setID: record.ApplySetID(p.Placement.Name), manager: v.Client.FieldManager(""), inventory: v.currentRecord(), lost: v.RecordLost,
		others: v.OtherPlacements, purpose: p.options.Purpose, former: v.formerSets(),
	}
	out.Writer = &Writer{cluster: v.Client, strategy: *p.Strategy()}
	out.Member = &memberpreview.Member{
		Cluster: v.Client, Schema: p.schema, Writer: out.Writer, Strategy: *p.Strategy(), Expected: p.options.Expected,
		Defines: p.Content.Defines, AwaitsKinds: p.options.AwaitsKinds, DryRun: p.usesDryRuns(), Applying: p.options.Purpose == Applying, Ownership: out.ownership,
		Unavailable: p.Placement.PriorCluster(v.Name).Unavailable(), Given: v.given,
	}
	out.Member.Namespaces = p.options.World.Namespaces[v.Name]
	out.Member.ProviderOfKind = func(kind schema.GroupVersionKind) string { return p.options.World.ProviderOfKind(v.Name, kind) }
	out.replace(p.options.Replaces)
	return out
}

// All returns the items and the prunable objects.
func (c *Cluster) All() []*Item { return slices.Concat(c.Items, c.Prunable) }

func (c *Cluster) examine(ctx context.Context) {
	if c.Decision.Selected {
		objects, applied, err := c.plan.Content.Localize(c.plan.Placement.Name, c.overrideTarget(), c.Overrides)
		if c.Overridden = applied; err != nil && c.Err == nil {
			c.OverrideErr = err // nothing is written or removed until the override is fixed
			return
		}
		for _, object := range objects {
			c.Items = append(c.Items, c.newItem(object))
		}
	}
	c.Prunable = c.findPrunable()
	c.findUnrecorded(ctx)
	c.previewObjects(ctx)
}

// ExamineRemoval reads the recorded objects on the cluster for a removal, and decides the action for each.
func (c *Cluster) ExamineRemoval(ctx context.Context) {
	c.findUnrecorded(ctx)
	if len(c.Prunable) > 0 {
		c.previewObjects(ctx)
	}
}

func (c *Cluster) previewObjects(ctx context.Context) {
	if c.Err == nil {
		c.Err = c.Member.Preview(ctx, ObjectsOf(c.Items), ObjectsOf(c.Prunable))
	}
	if c.Err != nil {
		return
	}
	if c.Err = c.decidePrunes(ctx); c.Err != nil {
		return
	}
	c.Member.SetMissing(ctx, ObjectsOf(c.Items), ObjectsOf(c.Prunable))
	if c.plan.options.Purpose == Previewing {
		c.dropContents()
	}
}

// overrideTarget returns the cluster for the selectors of overrides.
func (c *Cluster) overrideTarget() override.Cluster {
	out := override.Cluster{Name: c.Name}
	if c.Record != nil {
		out.Labels = c.Record.Labels
	}
	return out
}

func (c *Cluster) newItem(object source.Localized) *Item {
	hidden := c.plan.Content.Hidden(c.plan.Placement.Name, c.overrideTarget(), object.Object.Object, c.Overrides, c.FormerOverrides)
	if c.hasWriteOnlyValues(object.Key()) {
		hidden = source.HideContent(object.Object.Object)
	}
	ignored := c.plan.Placement.IgnoreFields.Of(object.Identifier)
	out := &Item{Object: memberpreview.Object{Hash: ignore.Hash(object.Hash, ignored), Hidden: hidden, Ignored: ignored}}
	out.Identifier, out.Action = object.Identifier, takeover.ActionNone
	if object.From >= 0 {
		out.Desired = c.plan.sent[object.From]
	} else {
		out.Desired = outgoing(object.Content, record.ApplySetID(c.plan.Placement.Name))
	}
	out.Entry, out.Known = c.currentRecord().Entry(object.Key())
	return out
}

// ObjectsOf returns the objects of the items, for memberpreview and memberapply.
func ObjectsOf(items []*Item) []*memberpreview.Object {
	out := make([]*memberpreview.Object, len(items))
	for i := range items {
		out[i] = &items[i].Object
	}
	return out
}

// dropContents frees the contents of the live objects, which a preview no longer needs: thousands of objects take hundreds of megabytes.
func (c *Cluster) dropContents() {
	for _, i := range c.All() {
		if i.Live != nil {
			i.Live = outline(i.Live)
		}
	}
}

// outline returns an object that has only the UID and the ApplySet label of u.
func outline(u *unstructured.Unstructured) *unstructured.Unstructured {
	out := &unstructured.Unstructured{Object: map[string]any{}}
	out.SetUID(u.GetUID())
	applyset.Mark(out, applyset.PartOf(u))
	return out
}

// Touched reports whether an apply writes to the cluster.
func (c *Cluster) Touched() bool {
	if c.Err != nil || c.OverrideErr != nil || c.LeavesUnrecorded() {
		return false
	}
	return c.resumes() || c.Writes()
}

// Writes reports whether an apply writes any object.
func (c *Cluster) Writes() bool {
	return slices.ContainsFunc(c.All(), func(i *Item) bool { return i.Action.Writes() })
}

// ChangesObjects reports whether an apply changes the content of any object.
func (c *Cluster) ChangesObjects() bool {
	return slices.ContainsFunc(c.All(), func(i *Item) bool { return i.Action.Writes() && !c.Relabels(i) })
}

// resumes reports whether an apply has something to do for the cluster even if no object changes: an earlier apply did not finish there, the inventory is out
// of date, or the status has to change. See [Cluster.Touched] for whether it writes.
func (c *Cluster) resumes() bool {
	if c.GivenUp() {
		prior := c.plan.Placement.PriorCluster(c.Name)
		return prior.IsScheduled() || prior.HadObjects() // an apply removes the cluster from the status
	}
	if c.Err != nil {
		return c.Decision.Selected && c.isBehind()
	}
	if c.OverrideErr != nil || len(c.MisnamedRecords) > 0 {
		return true
	}
	if c.Inventory == nil {
		return c.Decision.Selected || c.LeavesUnrecorded()
	}
	want, have := c.Head(), c.Inventory.Head
	want.Reason, have.Reason = "", "" // the text of the reason alone is not worth a write
	return c.handsOver() || c.settlesGivers() || c.Inventory.Lease != nil || c.ManifestsLost || c.isToBeSigned() || !c.Decision.Selected || have != want ||
		c.Inventory.Spec.Hash() != c.plan.Placement.Spec.Hash()
}

// GivenUp reports whether the placement abandons the cluster because the provider no longer has a connection to it. If the connection is configured again, the
// record on the cluster lists the objects.
func (c *Cluster) GivenUp() bool { return c.plan.givesUp(c.MemberState) }

// IsForgotten reports whether a refresh removes the cluster from the status because the provider no longer has a connection to it. It reports false for
// placements of type PickFixed.
func (c *Cluster) IsForgotten() bool {
	return c.isUnconnected() && c.plan.options.Purpose == Reading && c.plan.Spec.Policy.PlacementType != placement.PickFixed
}

// givesUp reports whether the placement abandons a member without a connection. A refresh and a removal abandon none.
func (p *Plan) givesUp(m *MemberState) bool {
	return m.isUnconnected() && p.options.Purpose != Reading && !p.Removing
}

// isBehind reports whether, according to the prior status, the cluster does not have the newest content. It is used for a cluster that cannot be read.
func (c *Cluster) isBehind() bool {
	prior := c.plan.Placement.Prior
	if prior == nil {
		return true
	}
	known, found := prior.Clusters[c.Name]
	return !found || known.ObservedResourceIndex != c.plan.Index()
}

// wrote reports whether the placement is known to have written the object to this cluster and to still place it there.
func (c *Cluster) wrote(i *Item) bool {
	return i.Known && i.Entry.Hash != "" && !i.Entry.Released && i.Entry.HandedTo == "" && !c.RecordLost && !i.WillBeGone
}

func (c *Cluster) preview() engine.ClusterPreview {
	out := engine.ClusterPreview{
		Name: c.Name, Picked: c.Decision.Selected, Reason: c.Decision.Reason, Cause: cmp.Or(c.Decision.Cause, c.Decision.Reason),
		Score: c.Decision.Score, CheckMethod: engine.CheckOffline, Err: c.Err, Resume: c.resumes(), Joining: c.Joining, Leaving: c.Leaving,
		FormerNames: c.FormerNames(),
	}
	switch {
	case c.GivenUp():
		out.Err = nil // the missing connection is expected
	case c.isAssumedNew():
		out.Err = nil // there is no cluster to check
	case c.Err == nil:
		out.CheckMethod = c.Member.CheckMethod()
	default:
		out.Remains = !out.Picked && c.plan.Placement.PriorCluster(c.Name).HadObjects()
	}
	if c.RecordLost {
		out.RecordLost, out.UnsearchedKinds, out.RecordProblem = true, c.UnsearchedKinds, c.RecordProblem()
	}
	out.RecordTrusted = c.isRecordTrusted()
	for _, o := range c.Overridden {
		out.Overrides = append(out.Overrides, engine.AppliedOverride{
			Reference: o, Record: fmt.Sprintf("ConfigMap %s/%s", record.Namespace, record.OverrideName(o)),
		})
	}
	if c.OverrideErr != nil {
		out.Problem = c.OverrideErr.Error()
	}
	for _, i := range c.All() {
		shown := i.Shown()
		if c.isAssumedNew() {
			shown.Action = takeover.ActionCreate
		}
		shown.Again = shown.Action == takeover.ActionCreate && c.wrote(i)
		if c.Err != nil { // unknown: the overrides are recorded on the cluster
			shown.Rendered = nil
		}
		out.Objects = append(out.Objects, shown)
	}
	return out
}
