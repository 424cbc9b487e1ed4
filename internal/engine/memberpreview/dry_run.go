package memberpreview

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// dryRun makes the write that was decided on as a dry run, where it is asked for and could tell more than is known. known is how an object
// that is there differs, as far as that is known.
func (m *Member) dryRun(ctx context.Context, o *Object, preview engine.ObjectPreview, known *diff.Comparison) (engine.ObjectPreview, error) {
	if !m.DryRun || !m.may(o) || o.Live == nil && m.arriving[o.Namespace] {
		return preview, nil // nothing can be tried in a namespace before it is there
	}
	if o.Live != nil {
		if settled, err := m.settles(ctx, o, known); err != nil || settled {
			preview.ObservedDrifts = m.drifts(o, o.Live)
			return preview, err
		}
	}
	result, err := m.Writer.Write(ctx, o, preview.Action, true)
	return m.foresee(ctx, o, preview, result, err)
}

// foresee takes from what came of a dry run what will come of the write. An object that the API server would refuse is told as rejected with
// the reason that the apply will report; the apply tries it nevertheless.
func (m *Member) foresee(
	ctx context.Context, o *Object, preview engine.ObjectPreview, result *unstructured.Unstructured, err error,
) (engine.ObjectPreview, error) {
	switch {
	case err == nil && o.Live != nil:
		preview.Differences = diff.Full(m.Schema, result, o.Live).Differences
		preview.ObservedDrifts = m.drifts(o, result)
		return preview, nil
	case err == nil || kube.IsOutdated(err) || kube.IsAlreadyExists(err):
		return preview, nil // it has changed since it was read; the apply looks again
	case clusterset.IsUnavailable(err):
		return preview, m.unavailable(err)
	case m.lacksPermission(ctx, o, err):
		return preview, nil
	}
	rejected := situation{preview: preview}.decided(takeover.Rejected(takeover.ObstacleAdmission, takeover.ReasonManifestApplyFailed, err.Error()))
	return rejected, nil
}

// unavailable is an error that says that the cluster does not answer, nil for another.
func (m *Member) unavailable(err error) error {
	if clusterset.IsUnavailable(err) {
		return clusterset.Unreachable(m.Cluster.Name(), err)
	}
	return nil
}
