package memberpreview

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// compare compares a live object with the desired one as the strategy requires. local is the result of [diff.Partial], or nil if the caller has not computed
// it. compare returns an error if the cluster is unreachable; other errors are in the comparison.
//
// As in KubeFleet, a partial comparison is a dry run of a forced server-side apply, for every type of strategy. If the API server rejects the dry run as
// invalid, a full comparison replaces the partial one. compare sends no dry run if the credentials do not allow it. Then the result is local, or a full
// comparison if an immutable field differs. compare also sends no dry run if local certainly shows no difference and no admission rule can match. local does
// not contain fields that have left the manifest. Therefore, local is doubtful for an owned object that was last applied with other content.
func (m *Member) compare(ctx context.Context, o *Object, local *diff.Comparison) (*diff.Comparison, error) {
	switch m.Strategy.ComparisonOption {
	case placement.FullComparison:
		return diff.Full(m.Schema, o.comparisonTarget(), o.Live), nil
	case placement.PartialComparison: // below
	}
	if local == nil {
		local = diff.Partial(m.Schema, o.Desired, o.Live)
	}
	if m.Ownership.Owns(o) && !m.Ownership.Applied(o) {
		local.Doubtful = true
	}
	if !m.canDryRun(o) {
		readable := *local
		readable.Differences = ServerSideChanges(m.Cluster, m.Schema, o, local.Differences, m.comparisonOptions())
		local = &readable
		if len(diff.Immutable(o.Desired, o.Live, local.Differences)) > 0 { // the dry run would be rejected as invalid
			return m.fullComparison(o), nil
		}
		return local, nil
	}
	if isSettled, err := m.isSettled(ctx, o, local); err != nil || isSettled {
		return local, err
	}
	result, _, err := m.Cluster.ApplyServerSide(ctx, o.Desired, o.Live, m.comparisonOptions())
	switch {
	case err == nil:
		return diff.Written(m.Schema, result, o.Live), nil
	case clusterset.IsUnavailable(err):
		return nil, clusterset.Unreachable(m.Cluster.Name(), err)
	case m.lacksPermission(ctx, o, err):
		return local, nil // the permission check was wrong
	case apierrors.IsInvalid(err): // As in KubeFleet, only status 422 leads to a full comparison. Status 400 is an error.
		return m.fullComparison(o), nil
	default:
		return &diff.Comparison{Err: err}, nil
	}
}

func (m *Member) comparisonOptions() kube.ApplyOptions {
	return kube.ApplyOptions{FieldManager: m.FieldManager, Force: true, DryRun: true, KeepUpdates: true}
}

// fullComparison returns a full comparison in place of a partial one, marked as degraded and doubtful.
func (m *Member) fullComparison(o *Object) *diff.Comparison {
	out := diff.Full(m.Schema, o.comparisonTarget(), o.Live)
	out.Degraded, out.Doubtful = true, true
	return out
}
