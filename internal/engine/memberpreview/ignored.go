package memberpreview

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/ignore"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// align sets the ignored fields of Desired to their values on the member, so that a client-side apply patches none of them. For a server-side apply, it omits
// the ignored fields that another field manager has written, because otherwise the provider's field manager would become their owner. Ignored fields that
// only the provider's field manager owns remain, because the API server removes owned fields that an apply omits.
func (m *Member) align(o *Object) {
	if len(o.Ignored) == 0 || o.Desired == nil {
		return
	}
	if o.configured == nil {
		o.configured = o.Desired
	}
	var options ignore.Options
	if m.Strategy.Type == placement.ServerSideApply {
		options.Omit = func(field ignore.Field) bool { return m.isWrittenByOthers(o, field) }
	}
	o.Desired = ignore.Align(o.configured, o.Live, o.Ignored, options)
}

// keepAutoscaled makes an apply keep the values of an autoscaler, because a reset could stop most Pods of a workload under load. It adds to Ignored the
// fields that the autoscaler has set and that the plan did not show as changed. It reports whether the differences have such fields. In a preview, it does
// nothing and returns false.
func (m *Member) keepAutoscaled(o *Object, differences []diff.Difference) bool {
	if !m.Applying {
		return false
	}
	var kept []string
	for _, d := range differences {
		if d.HasHub && d.Autoscaled() && m.Expected.KeepsAutoscaled(m.Cluster.Name(), o.Key(), d.Field) {
			kept = append(kept, d.Field)
		}
	}
	if len(kept) == 0 {
		return false
	}
	o.Ignored, o.KeepsAutoscaled = slices.Concat(o.Ignored, kept), true
	m.align(o)
	return true
}

// isWrittenByOthers reports whether another manager has written a field. It returns false for a field inside a list, because [diff.WriterOf] finds only
// fields outside lists.
func (m *Member) isWrittenByOthers(o *Object, field ignore.Field) bool {
	names, known := field.Names()
	if !known {
		return false
	}
	writer := diff.WriterOf(o.Live, names...).Name
	return writer != "" && writer != m.Cluster.FieldManager("")
}

// comparisonTarget returns the object for a full comparison: Desired with all ignored fields of the live object, so that these fields are not differences.
func (o *Object) comparisonTarget() *unstructured.Unstructured {
	if o.configured == nil {
		return o.Desired
	}
	return ignore.Align(o.configured, o.Live, o.Ignored, ignore.Options{Add: true})
}
