package memberpreview

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// compare finds out how an object that is there differs from what is to be placed, in the way the strategy asks for. local is how it differs
// as far as can be told without the API server, nil if that has not been looked at yet. It returns an error if the cluster does not answer;
// other failures are the comparison's.
//
// As KubeFleet does, a partial comparison is made with a forced server-side dry run, whatever the strategy writes with. It is left out
// where the local comparison finds nothing beyond doubt and no admission rule could have another opinion, and where the credentials may not
// write. What the placement has applied before, and places no more, only the dry run can find.
func (m *Member) compare(ctx context.Context, o *Object, local *diff.Comparison) (*diff.Comparison, error) {
	if m.comparesInFull() {
		return diff.Full(m.Schema, o.compared(), o.Live), nil
	}
	if local == nil {
		local = diff.Partial(m.Schema, o.Desired, o.Live)
	}
	if m.Ownership.Owns(o) && !m.Ownership.Applied(o) {
		local.Doubtful = true
	}
	if !m.may(o) {
		readable := *local
		readable.Differences = ServerSideChanges(m.Cluster, m.Schema, o, local.Differences, m.comparing())
		local = &readable
		if len(diff.Immutable(o.Desired, o.Live, local.Differences)) > 0 { // the dry run would be refused as invalid
			return m.degraded(o), nil
		}
		return local, nil
	}
	if settled, err := m.settles(ctx, o, local); err != nil || settled {
		return local, err
	}
	result, _, err := m.Cluster.ApplyServerSide(ctx, o.Desired, o.Live, m.comparing())
	switch {
	case err == nil:
		return diff.Full(m.Schema, result, o.Live), nil
	case clusterset.IsUnavailable(err):
		return nil, clusterset.Unreachable(m.Cluster.Name(), err)
	case m.lacksPermission(ctx, o, err):
		return local, nil // the answer to what the credentials may do was too good
	case apierrors.IsInvalid(err): // as KubeFleet: an answer of 400 is a failure
		return m.degraded(o), nil
	default:
		return &diff.Comparison{Err: err}, nil
	}
}

// comparing are the options of the dry run that a partial comparison is made with.
func (m *Member) comparing() kube.ApplyOptions {
	return kube.ApplyOptions{FieldManager: m.FieldManager, Force: true, DryRun: true, KeepUpdates: true}
}

// degraded is a full comparison that stands in for a partial one.
func (m *Member) degraded(o *Object) *diff.Comparison {
	out := diff.Full(m.Schema, o.compared(), o.Live)
	out.Degraded, out.Doubtful = true, true
	return out
}
