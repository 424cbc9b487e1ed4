package memberpreview

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/ignore"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// align gives the ignored fields of Desired the values that they have on the member. A client-side apply then patches none of them. A server-side apply sends
// only those that no other manager has written: it would otherwise become their owner. Those that it owns alone it has to send, or the API server removes
// them.
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

// isWrittenByOthers reports whether another manager has written a field. In a list, nobody knows.
func (m *Member) isWrittenByOthers(o *Object, field ignore.Field) bool {
	names, known := field.Names()
	if !known {
		return false
	}
	writer := diff.WriterOf(o.Live, names...).Name
	return writer != "" && writer != m.Cluster.FieldManager("")
}

// compared is Desired as a full comparison takes it: ignored fields that only the member has are no difference.
func (o *Object) compared() *unstructured.Unstructured {
	if o.configured == nil {
		return o.Desired
	}
	return ignore.Align(o.configured, o.Live, o.Ignored, ignore.Options{Add: true})
}
