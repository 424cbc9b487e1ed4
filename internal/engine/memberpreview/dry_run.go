package memberpreview

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// dryRun sends the write as a dry run, and adds the result to the preview. It sends nothing if [Member.DryRun] is false, if the result is known already, or
// if a dry run is not possible. known is the comparison of an existing object, and nil for a new object.
func (m *Member) dryRun(ctx context.Context, o *Object, preview engine.ObjectPreview, known *diff.Comparison) (engine.ObjectPreview, error) {
	if !m.DryRun {
		return preview, nil
	}
	if o.Live != nil && m.canDryRun(o) {
		if isSettled, err := m.isSettled(ctx, o, known); err != nil || isSettled {
			preview.ObservedDrifts = m.drifts(o, o.Live)
			return preview, err
		}
	}
	switch {
	case !o.Served():
		preview.Untried, preview.Unserved, preview.ProvidedBy = engine.UntriedKind, true, m.broughtBy(o.GroupVersionKind())
		return preview, nil
	case o.Live == nil && m.arriving[o.Namespace]:
		return m.dryRunInSubstitute(ctx, o, preview)
	case o.WillBeGone:
		return preview, nil // a dry run would conflict with the object that still exists
	case !m.canDryRun(o):
		if o.Live == nil || !known.Certain() || known.Differs() {
			preview.Untried = engine.UntriedPermission
		}
		return m.predictWrite(o, preview), nil
	}
	result, err := m.Writer.Write(ctx, o, preview.Action, true)
	return m.useDryRun(ctx, o, preview, result, err)
}

// errDenied is returned if the credentials lack the permission for a dry run, although an earlier check reported that they have it.
var errDenied = errors.New("the credentials do not allow the dry run")

// useDryRun adds the result of a dry run, or its error, to a preview. An object that the API server rejects gets the action reject, with the reason that the
// apply will report; the apply sends the write nevertheless. useDryRun returns errDenied if the credentials lack the permission, and another error if the
// cluster is unreachable.
func (m *Member) useDryRun(
	ctx context.Context, o *Object, preview engine.ObjectPreview, result *unstructured.Unstructured, err error,
) (engine.ObjectPreview, error) {
	switch {
	case err == nil && o.Live != nil:
		preview.Differences = diff.Written(m.Schema, result, o.Live).All()
		preview.Restart = workload.RestartOf(o.Live, result, preview.Differences)
		preview.ObservedDrifts = m.drifts(o, result)
		return preview, nil
	case err == nil:
		return preview, nil
	case kube.IsOutdated(err), kube.IsAlreadyExists(err), o.IsGone(err):
		preview.Untried = engine.UntriedRace // changed, created or deleted since it was read
		return preview, nil
	case clusterset.IsUnavailable(err):
		return preview, m.unavailable(err)
	case m.lacksPermission(ctx, o, err):
		return preview, errDenied
	}
	preview.LacksNamespace = kube.IsNamespaceNotFound(err)
	return rejected(preview, err), nil
}

func rejected(preview engine.ObjectPreview, err error) engine.ObjectPreview {
	return situation{preview: preview}.withDecision(takeover.Rejected(takeover.ObstacleAdmission, takeover.ReasonManifestApplyFailed, err.Error()))
}

// substituteNamespace is the namespace for dry runs of objects whose own namespace does not exist yet. Every cluster has it.
const substituteNamespace = "default"

// dryRunInSubstitute sends the dry run of an object whose namespace the same run creates. The result shows whether the object itself is valid, which does not
// depend on the namespace. A rejection by a quota or a policy may depend on the substitute namespace, so the result of the write remains unknown.
func (m *Member) dryRunInSubstitute(ctx context.Context, o *Object, preview engine.ObjectPreview) (engine.ObjectPreview, error) {
	if !m.isAllowed(o.substitutePermission()) {
		preview.Untried = engine.UntriedNamespace
		return preview, nil
	}
	_, err := m.Writer.Write(ctx, o.inSubstitute(), takeover.ActionCreate, true)
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

func (o *Object) inSubstitute() *Object {
	out := &Object{ObjectPreview: o.identity(), Desired: o.Desired.DeepCopy(), Hash: o.Hash, Mapping: o.Mapping}
	out.Namespace = substituteNamespace
	out.Desired.SetNamespace(substituteNamespace)
	return out
}

func (m *Member) unavailable(err error) error {
	if clusterset.IsUnavailable(err) {
		return clusterset.Unreachable(m.Cluster.Name(), err)
	}
	return nil
}
