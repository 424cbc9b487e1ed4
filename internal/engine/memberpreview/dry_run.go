package memberpreview

import (
	"context"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// dryRun makes the write that was decided on as a dry run, where it is asked for and could tell more than is known. known is how an object
// that is there differs, as far as that is known.
func (m *Member) dryRun(ctx context.Context, o *Object, preview engine.ObjectPreview, known *diff.Comparison) (engine.ObjectPreview, error) {
	if !m.DryRun {
		return preview, nil
	}
	if o.Live != nil && m.may(o) {
		if settled, err := m.settles(ctx, o, known); err != nil || settled {
			preview.ObservedDrifts = m.drifts(o, o.Live)
			return preview, err
		}
	}
	switch {
	case !o.Served():
		preview.Untried, preview.Unserved, preview.BroughtBy = engine.UntriedKind, true, m.broughtBy(o.GroupVersionKind())
		return preview, nil
	case o.Live == nil && m.arriving[o.Namespace]:
		return m.tryElsewhere(ctx, o, preview)
	case o.Goes:
		return preview, nil // what there is now would be in the way
	case !m.may(o):
		if o.Live == nil || !known.Certain() || known.Differs() {
			preview.Untried = engine.UntriedPermission
		}
		return m.foretell(o, preview), nil
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
		preview.Restart = workload.RestartOf(o.Live, result, preview.Differences)
		preview.ObservedDrifts = m.drifts(o, result)
		return preview, nil
	case err == nil:
		return preview, nil
	case kube.IsOutdated(err), kube.IsAlreadyExists(err):
		preview.Untried = engine.UntriedRace // it has changed since it was read
		return preview, nil
	case clusterset.IsUnavailable(err):
		return preview, m.unavailable(err)
	case m.lacksPermission(ctx, o, err):
		return preview, nil
	}
	preview.LacksNamespace = kube.IsNamespaceNotFound(err)
	return rejected(preview, err), nil
}

// rejected is the preview of an object that the API server does not accept.
func rejected(preview engine.ObjectPreview, err error) engine.ObjectPreview {
	return situation{preview: preview}.decided(takeover.Rejected(takeover.ObstacleAdmission, takeover.ReasonManifestApplyFailed, err.Error()))
}

// elsewhere is the namespace in which objects are tried whose own does not exist yet: every cluster has it.
const elsewhere = "default"

// tryElsewhere tries an object whose namespace the placement brings in another one. That tells what the API server makes of the object by
// itself, which is the same in every namespace; what the other namespace's quotas and policies say of it is not its concern.
func (m *Member) tryElsewhere(ctx context.Context, o *Object, preview engine.ObjectPreview) (engine.ObjectPreview, error) {
	if !m.allowed[o.permissionElsewhere()] {
		preview.Untried = engine.UntriedNamespace
		return preview, nil
	}
	_, err := m.Writer.Write(ctx, o.standIn(), takeover.ActionCreate, true)
	switch {
	case err == nil, kube.IsAlreadyExists(err):
		return preview, nil
	case clusterset.IsUnavailable(err):
		return preview, m.unavailable(err)
	case kube.IsMalformed(err):
		return rejected(preview, kube.Elsewhere(err, o.Namespace)), nil
	default:
		preview.Untried = engine.UntriedNamespace
		return preview, nil
	}
}

// standIn is the object as it is tried elsewhere.
func (o *Object) standIn() *Object {
	out := &Object{ObjectPreview: o.identity(), Desired: o.Desired.DeepCopy(), Hash: o.Hash, Mapping: o.Mapping}
	out.Namespace = elsewhere
	out.Desired.SetNamespace(elsewhere)
	return out
}

// unavailable is an error that says that the cluster does not answer, nil for another.
func (m *Member) unavailable(err error) error {
	if clusterset.IsUnavailable(err) {
		return clusterset.Unreachable(m.Cluster.Name(), err)
	}
	return nil
}
