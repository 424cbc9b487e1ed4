package memberpreview

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Preview reads the objects and decides what an apply does to the placed ones. It only reads the others, which are no longer placed. If the cluster is
// unreachable, it returns an error and decides about no object, because nothing is known for certain.
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
		preview, isDecided := m.decideUnchanged(o)
		switch {
		case isDecided:
			o.ObjectPreview = o.Hide(preview)
		case o.IsNamespace():
			namespaces = append(namespaces, o)
		default:
			rest = append(rest, o)
		}
	}
	if err := m.checkPermissions(ctx, slices.Concat(namespaces, rest)); err != nil {
		return err
	}
	// The decision about a namespace of the placement affects the objects in it.
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
	if err := m.checkSubstitutePermissions(ctx, rest); err != nil {
		return err
	}
	return m.decideAll(ctx, rest)
}

func (m *Member) decideAll(ctx context.Context, objects []*Object) error {
	var group errgroup.Group
	group.SetLimit(kube.MaxParallel)
	for _, o := range objects {
		group.Go(func() error { return m.Decide(ctx, o) })
	}
	return group.Wait()
}

// decideUnchanged decides without further requests about an object that cannot be checked. It also decides about an object that has not changed since the
// last apply, and whose desired content has not changed either. isDecided is false for other objects.
func (m *Member) decideUnchanged(o *Object) (preview engine.ObjectPreview, isDecided bool) {
	if blocked := m.blocked(o); blocked != nil {
		s := situation{preview: o.identity()}
		s.preview.Unserved = o.Unseen == nil && !o.Served()
		if m.isReportDiff() {
			return s.withReport(takeover.BlockedReport(*blocked)), true
		}
		return s.withDecision(*blocked), true
	}
	switch {
	case o.Live == nil || m.isReportDiff():
		return preview, false
	case m.Strategy.ComparisonOption.ComparesAllFields() && m.isGatedByDrift():
		return preview, false // the API server's defaults count as drift, and the record of the last apply does not show them
	case o.Glimpsed || o.Undisputed() && m.Ownership.UpToDate(o):
		preview = o.identity()
		preview.Action, preview.Owned = takeover.ActionNone, true
		preview.ObservedDrifts = m.drifts(o, o.Live)
		return preview, true
	default:
		return preview, false
	}
}

// Shown returns the preview of the object, with the desired object in Rendered. Hidden values are redacted in it.
func (o *Object) Shown() engine.ObjectPreview {
	out := o.ObjectPreview
	out.Rendered = o.Desired
	if o.Desired != nil && !o.Hidden.IsEmpty() {
		fields, _ := o.Hidden.Redact(o.Desired.Object).(map[string]any)
		out.Rendered = &unstructured.Unstructured{Object: fields}
	}
	return out
}

func (o *Object) identity() engine.ObjectPreview {
	return engine.ObjectPreview{Identifier: o.Identifier, Exists: o.Live != nil}
}
