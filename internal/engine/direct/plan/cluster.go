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

// Cluster is what is to be done on one cluster.
type Cluster struct {
	*MemberState
	Decision schedule.Decision
	// Items are the objects that belong on the cluster, in the order of the selection; Prunable those that no longer do.
	Items, Prunable []*Item
	// Overridden are the overrides that apply to objects for this cluster; OverrideErr is why one of them could not be applied.
	Overridden  []override.Reference
	OverrideErr error
	// Unlooked are the kinds that could not be looked through for objects that a lost record does not have, as KIND.GROUP.
	Unlooked []string
	// Unusable are what the inventory has and no object can be called. They leave it with the next write.
	Unusable []manifest.Identifier
	// Member is how it was looked at, and looks again; nil if it could not be. Writer writes to it.
	Member *memberpreview.Member
	Writer *Writer

	ownership *ownership
	plan      *Plan
	// going are the objects that are deleted, with what was found to go with them.
	going memberpreview.Going
	// deletedWith are the objects that the removals of other placements delete, by the placement, as far as a preview has read it.
	deletedWith map[string]map[types.UID]bool
}

// Item is one object on one cluster, with what is to be done to it.
type Item struct {
	memberpreview.Object
	// Entry is what the inventory has of the object, if Known.
	Entry record.Entry
	Known bool
	// Occupants are the placements whose removal the deletion of the object waits for; see [Cluster.Occupied].
	Occupants []string
	// Unrecorded objects carry the placement's label where its record is lost, and are not placed there.
	Unrecorded bool
}

func (p *Plan) newCluster(v *MemberState) *Cluster {
	out := &Cluster{MemberState: v, Decision: p.decision(v), plan: p}
	if v.Client == nil {
		return out
	}
	out.ownership = &ownership{
		setID: record.ApplySetID(p.Placement.Name), manager: v.Client.FieldManager(""), inventory: v.known(), lost: v.RecordLost,
		others: v.OtherPlacements, purpose: p.options.Purpose, former: v.formerSets(),
	}
	out.Writer = &Writer{cluster: v.Client, strategy: *p.Strategy()}
	out.Member = &memberpreview.Member{
		Cluster: v.Client, Schema: p.schema, Writer: out.Writer, Strategy: *p.Strategy(), Expected: p.options.Expected,
		Defines: p.Content.Defines, AwaitsKinds: p.options.AwaitsKinds, DryRun: p.asks(), Applying: p.options.Purpose == Applying, Ownership: out.ownership,
		Unavailable: p.Placement.PriorCluster(v.Name).Unavailable(), Given: v.given,
	}
	out.Member.Namespaces = p.options.World.Namespaces[v.Name]
	out.Member.Brings = func(kind schema.GroupVersionKind) string { return p.options.World.Brings(v.Name, kind) }
	out.replace(p.options.Replaces)
	return out
}

// All are the items and what is to be pruned.
func (c *Cluster) All() []*Item { return slices.Concat(c.Items, c.Prunable) }

// examine looks at the cluster's objects and decides what is to be done to each. What keeps it from that is the cluster's Err.
func (c *Cluster) examine(ctx context.Context) {
	if c.Decision.Selected {
		objects, applied, err := c.plan.Content.Localize(c.plan.Placement.Name, c.asOverridden(), c.Overrides)
		if c.Overridden = applied; err != nil && c.Err == nil {
			c.OverrideErr = err // nothing is written, and nothing removed, before the override is mended
			return
		}
		for _, object := range objects {
			c.Items = append(c.Items, c.newItem(object))
		}
	}
	c.Prunable = c.findPrunable()
	c.findUnrecorded(ctx)
	c.look(ctx)
}

// ExamineRemoval looks at what a removal is to remove from the cluster.
func (c *Cluster) ExamineRemoval(ctx context.Context) {
	c.findUnrecorded(ctx)
	if len(c.Prunable) > 0 {
		c.look(ctx)
	}
}

// look looks at the items and at what is to be pruned, and decides about them.
func (c *Cluster) look(ctx context.Context) {
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
		c.forgetContents()
	}
}

// asOverridden is the cluster as overrides select it.
func (c *Cluster) asOverridden() override.Cluster {
	out := override.Cluster{Name: c.Name}
	if c.Record != nil {
		out.Labels = c.Record.Labels
	}
	return out
}

func (c *Cluster) newItem(object source.Localized) *Item {
	hidden := c.plan.Content.Hidden(c.plan.Placement.Name, c.asOverridden(), object.Object.Object, c.Overrides, c.FormerOverrides)
	if c.WasWriteOnly != nil && c.WasWriteOnly(object.Identifier) { // its former values are on the cluster
		hidden = source.Whole(object.Object.Object)
	}
	ignored := c.plan.Placement.IgnoreFields.Of(object.Identifier)
	out := &Item{Object: memberpreview.Object{Hash: ignore.Hash(object.Hash, ignored), Hidden: hidden, Ignored: ignored}}
	out.Identifier, out.Action = object.Identifier, takeover.ActionNone
	if object.From >= 0 {
		out.Desired = c.plan.sent[object.From]
	} else {
		out.Desired = outgoing(object.Content, record.ApplySetID(c.plan.Placement.Name))
	}
	out.Entry, out.Known = c.known().Entry(object.Key())
	return out
}

// ObjectsOf are the items as memberpreview and memberapply know them.
func ObjectsOf(items []*Item) []*memberpreview.Object {
	out := make([]*memberpreview.Object, len(items))
	for i := range items {
		out[i] = &items[i].Object
	}
	return out
}

// forgetContents drops what a preview no longer needs: thousands of whole objects take hundreds of megabytes.
func (c *Cluster) forgetContents() {
	for _, i := range c.All() {
		if i.Live != nil {
			i.Live = outline(i.Live)
		}
	}
}

// outline is what an inventory takes from an object.
func outline(u *unstructured.Unstructured) *unstructured.Unstructured {
	out := &unstructured.Unstructured{Object: map[string]any{}}
	out.SetUID(u.GetUID())
	applyset.Mark(out, applyset.PartOf(u))
	return out
}

// Touched tells whether an apply writes to the cluster.
func (c *Cluster) Touched() bool {
	if c.Err != nil || c.OverrideErr != nil || c.LeavesUnrecorded() {
		return false
	}
	return c.resumes() || c.Writes()
}

// Writes tells whether any object has to be written.
func (c *Cluster) Writes() bool {
	return slices.ContainsFunc(c.All(), func(i *Item) bool { return i.Action.Writes() })
}

// ChangesObjects reports whether any object is written with another content than it has.
func (c *Cluster) ChangesObjects() bool {
	return slices.ContainsFunc(c.All(), func(i *Item) bool { return i.Action.Writes() && !c.Relabels(i) })
}

// resumes tells whether a cluster has to be written to though no object on it may have to be: an earlier apply did not finish there, or
// its inventory says something else than it should.
func (c *Cluster) resumes() bool {
	if c.GivenUp() {
		prior := c.plan.Placement.PriorCluster(c.Name)
		return prior.IsScheduled() || prior.HadObjects() // the status is to forget it
	}
	if c.Err != nil {
		return c.Decision.Selected && c.behind()
	}
	if c.OverrideErr != nil || len(c.MisnamedRecords) > 0 {
		return true
	}
	if c.Inventory == nil {
		return c.Decision.Selected || c.LeavesUnrecorded()
	}
	want, have := c.Head(), c.Inventory.Head
	want.Reason, have.Reason = "", "" // it says how a decision came about, and may say it in other words every time
	return c.handsOver() || c.settlesGivers() || c.Inventory.UnderWay != nil || c.ManifestsLost || c.isToBeSigned() || !c.Decision.Selected || have != want ||
		c.Inventory.Spec.Hash() != c.plan.Placement.Spec.Hash()
}

// GivenUp tells whether the placement is given up on the cluster, because the provider has no connection to it any more. Should it get one
// again, the record on the cluster says what is there.
func (c *Cluster) GivenUp() bool { return c.plan.givesUp(c.MemberState) }

// IsForgotten reports whether a refresh removes the cluster from the status, because the provider has no connection to it any more. What a policy names remains
// in the status.
func (c *Cluster) IsForgotten() bool {
	return c.unconnected() && c.plan.options.Purpose == Reading && c.plan.Spec.Policy.PlacementType != placement.PickFixed
}

// givesUp tells the same of a member. A refresh gives nothing up.
func (p *Plan) givesUp(m *MemberState) bool {
	return m.unconnected() && p.options.Purpose != Reading && !p.Removing
}

// behind tells whether a cluster that cannot be asked did not have the newest content when it was seen last.
func (c *Cluster) behind() bool {
	prior := c.plan.Placement.Prior
	if prior == nil {
		return true
	}
	known, found := prior.Clusters[c.Name]
	return !found || known.ObservedResourceIndex != c.plan.Index()
}

func (c *Cluster) preview() engine.ClusterPreview {
	out := engine.ClusterPreview{
		Name: c.Name, Picked: c.Decision.Selected, Reason: c.Decision.Reason, Cause: cmp.Or(c.Decision.Cause, c.Decision.Reason),
		Score: c.Decision.Score, Look: engine.LookOffline, Err: c.Err, Resume: c.resumes(), Joining: c.Joining, Leaving: c.Leaving,
		FormerNames: c.FormerNames(),
	}
	switch {
	case c.GivenUp():
		out.Err = nil // nothing is to be known of it
	case c.Err == nil:
		out.Look = c.Member.Look()
	default:
		out.Remains = !out.Picked && c.plan.Placement.PriorCluster(c.Name).HadObjects()
	}
	if c.RecordLost {
		out.RecordLost, out.Unlooked, out.RecordProblem = true, c.Unlooked, c.RecordProblem()
	}
	out.RecordTrusted = c.recordTrusted()
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
		if c.Err != nil { // the cluster itself has its overrides
			shown.Rendered = nil
		}
		out.Objects = append(out.Objects, shown)
	}
	return out
}
