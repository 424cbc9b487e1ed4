package memberpreview

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// objectsAtOnce is how many objects are decided about at once.
const objectsAtOnce = 8

// Preview reads the objects and decides what an apply does to those that are placed; the others, which no longer are, are only read. It
// returns an error if the cluster does not answer: then nothing is decided about any, since what is not known is not promised.
func (m *Member) Preview(ctx context.Context, placed, others []*Object) error {
	err := m.preview(ctx, placed, others)
	if err != nil {
		for _, o := range slices.Concat(placed, others) {
			o.ObjectPreview = engine.ObjectPreview{Identifier: o.Identifier, Action: takeover.ActionNone}
		}
	}
	return err
}

func (m *Member) preview(ctx context.Context, placed, others []*Object) error {
	if err := m.read(ctx, slices.Concat(placed, others)); err != nil {
		return err
	}
	var namespaces, rest []*Object
	for _, o := range placed {
		preview, unchanged := m.unchanged(o)
		switch {
		case unchanged:
			o.ObjectPreview = o.hide(preview)
		case o.IsNamespace():
			namespaces = append(namespaces, o)
		default:
			rest = append(rest, o)
		}
	}
	if err := m.askPermissions(ctx, slices.Concat(namespaces, rest)); err != nil {
		return err
	}
	// What becomes of the namespaces that the placement brings matters to what is to be in them.
	if err := m.decideAll(ctx, namespaces); err != nil {
		return err
	}
	m.arriving = map[string]bool{}
	for name := range m.Namespaces {
		m.arriving[name] = true
	}
	for _, o := range namespaces {
		m.arriving[o.Name] = o.Action == takeover.ActionCreate
	}
	if err := m.askElsewhere(ctx, rest); err != nil {
		return err
	}
	return m.decideAll(ctx, rest)
}

func (m *Member) decideAll(ctx context.Context, objects []*Object) error {
	var group errgroup.Group
	group.SetLimit(objectsAtOnce)
	for _, o := range objects {
		group.Go(func() error { return m.Decide(ctx, o) })
	}
	return group.Wait()
}

// unchanged decides about an object without asking anything: one of which nothing can be found out, and one that is as the last apply left
// it, while what is to be placed is the same too.
func (m *Member) unchanged(o *Object) (preview engine.ObjectPreview, unchanged bool) {
	if blocked := m.blocked(o); blocked != nil {
		s := situation{preview: o.identity()}
		s.preview.Unserved = o.Unseen == nil && !o.Served()
		if m.reports() {
			return s.reported(takeover.BlockedReport(*blocked)), true
		}
		return s.decided(*blocked), true
	}
	switch {
	case o.Live == nil || m.reports():
		return preview, false
	case m.comparesInFull() && m.gatedByDrift():
		return preview, false // the API server's defaults count as drift there, and were not there before
	case o.Glimpsed || o.Undisputed() && m.Ownership.UpToDate(o):
		preview = o.identity()
		preview.Action, preview.Owned = takeover.ActionNone, true
		preview.ObservedDrifts = m.drifts(o, o.Live)
		return preview, true
	default:
		return preview, false
	}
}

// Shown returns the preview of the object, with the placed object in Rendered.
func (o *Object) Shown() engine.ObjectPreview {
	out := o.ObjectPreview
	out.Rendered = o.Desired
	if o.Desired != nil && !o.Hidden.IsEmpty() {
		fields, _ := o.Hidden.Redact(o.Desired.Object).(map[string]any)
		out.Rendered = &unstructured.Unstructured{Object: fields}
	}
	return out
}

// identity is the preview of an object of which no more is known than whether it is there.
func (o *Object) identity() engine.ObjectPreview {
	return engine.ObjectPreview{Identifier: o.Identifier, Exists: o.Live != nil}
}
