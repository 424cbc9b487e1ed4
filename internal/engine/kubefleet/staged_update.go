package kubefleet

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// CheckStagedUpdates returns no limitations.
func (*Engine) CheckStagedUpdates() []engine.Limitation { return nil }

// RequireStagedUpdates returns an error if the hub does not serve the kinds of staged updates.
func (e *Engine) RequireStagedUpdates(ctx context.Context, namespace string) error {
	kinds := hub.StagedKindsOf(engine.Reference{Namespace: namespace})
	return e.requireServed(ctx, kinds.Strategy, kinds.Run, kinds.Approval)
}

// ApplyUpdateStrategy writes the strategy on the hub. If prior is nil, the strategy must not exist yet.
func (e *Engine) ApplyUpdateStrategy(
	ctx context.Context, s engine.UpdateStrategy, prior *engine.UpdateStrategy,
) (engine.UpdateStrategy, error) {
	object := wire.ClusterStagedUpdateStrategy{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: s.Name}, Spec: convert.FromUpdateStrategy(s.Spec),
	}
	uid := ""
	if prior != nil {
		uid = prior.UID
	}
	stored, err := e.write(ctx, hub.StagedKindsOf(s.Reference).Strategy, s.Reference, object, prior == nil, uid)
	s.UID = uidOf(stored)
	return s, err
}

// ReadUpdateStrategy reads a strategy. It returns the configured value wherever the stored value means the same. prior is nil for an import. In that case, the
// result has the fields that the provider or kubectl has applied. If these are unknown, it omits only the hub's defaults.
func (e *Engine) ReadUpdateStrategy(
	ctx context.Context, reference engine.Reference, prior *engine.UpdateStrategy,
) (engine.UpdateStrategy, error) {
	out, uid := engine.UpdateStrategy{Reference: reference}, ""
	var decodeKnown func(*wire.ClusterStagedUpdateStrategy) error
	if prior != nil {
		uid = prior.UID
		decodeKnown = func(stored *wire.ClusterStagedUpdateStrategy) (err error) {
			out.Spec, err = convert.UpdateStrategyAsWritten(convert.ToUpdateStrategy(stored.Spec), prior.Spec)
			return err
		}
	}
	decodeImported := func(live *unstructured.Unstructured, manager string) (err error) {
		out.Spec, err = convert.ImportedUpdateStrategy(live, manager)
		return err
	}
	var err error
	out.UID, err = read(kube.FailFast(ctx), e, hub.StagedKindsOf(reference).Strategy, reference, uid, decodeKnown, decodeImported)
	return out, err
}

// DeleteUpdateStrategy deletes a strategy. Initialized runs continue with their copy of the strategy.
func (e *Engine) DeleteUpdateStrategy(ctx context.Context, prior engine.UpdateStrategy) error {
	return e.remove(ctx, hub.StagedKindsOf(prior.Reference).Strategy, prior.Reference, prior.UID)
}

// ReadUpdateRun reads a run and its progress. For the specification of the run, prior has the same meaning as in [Engine.ReadUpdateStrategy].
func (e *Engine) ReadUpdateRun(
	ctx context.Context, reference engine.Reference, prior *engine.UpdateRun,
) (engine.UpdateRun, stagedupdate.Status, error) {
	out, status, uid := engine.UpdateRun{Reference: reference}, stagedupdate.Status{}, ""
	var decodeKnown func(*wire.ClusterStagedUpdateRun) error
	if prior != nil {
		uid = prior.UID
		decodeKnown = func(stored *wire.ClusterStagedUpdateRun) (err error) {
			status = convert.UpdateRunStatus(*stored)
			out.Spec, err = convert.UpdateRunAsWritten(convert.ToUpdateRun(stored.Spec), prior.Spec)
			return err
		}
	}
	decodeImported := func(live *unstructured.Unstructured, manager string) error {
		stored, err := codec.Decode[wire.ClusterStagedUpdateRun](live)
		if err != nil {
			return err
		}
		status = convert.UpdateRunStatus(*stored)
		out.Spec, err = convert.ImportedUpdateRun(live, manager)
		return err
	}
	var err error
	out.UID, err = read(kube.FailFast(ctx), e, hub.StagedKindsOf(reference).Run, reference, uid, decodeKnown, decodeImported)
	return out, status, err
}

// DeleteUpdateRun deletes a run. The clusters that the run has updated keep the new content. All other clusters keep the old content.
func (e *Engine) DeleteUpdateRun(ctx context.Context, prior engine.UpdateRun) error {
	return e.remove(ctx, hub.StagedKindsOf(prior.Reference).Run, prior.Reference, prior.UID)
}
