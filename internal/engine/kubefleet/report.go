package kubefleet

import (
	"context"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// report is what the agent of one cluster has to say. The status of a placement tells in one reason that the agent has not come to something and
// that it has failed, and names no object that could not be compared: only the Works do.
type report struct {
	// complete says that the agent has been at all Works as they are now.
	complete bool
	// applied are the objects that it has applied as they are in the Works, leaving says that one of the Works is being deleted.
	applied map[manifest.Key]bool
	leaving bool
	// failed are the objects that it could not compare under strategy type ReportDiff.
	failed []placement.FailedPlacement
}

// reports reads them from the hub, by cluster.
func (e *Engine) reports(ctx context.Context, p engine.Placement) (map[string]report, error) {
	works, err := hub.List[wire.Work](ctx, e.clusters.Hub, hub.Work, "", hub.WorksOf(p.Reference))
	if err != nil {
		return nil, err
	}
	about := placement.Applied
	if p.Spec.Defaulted().Strategy.ApplyStrategy.Type == placement.ReportDiff {
		about = placement.DiffReported
	}
	return reportsOf(works, about), nil
}

// reportsOf are the reports of Works, to which an agent has been that has a condition of a type about them as they are.
func reportsOf(works []wire.Work, about string) map[string]report {
	out := map[string]report{}
	for _, work := range works {
		member, found := strings.CutPrefix(work.Namespace, hub.MemberNamespacePrefix)
		if !found {
			continue
		}
		r, known := out[member]
		seen := slices.ContainsFunc(work.Status.Conditions, func(c metav1.Condition) bool {
			return c.Type == about && c.ObservedGeneration == work.Generation
		})
		r.complete = seen && (r.complete || !known)
		r.leaving = r.leaving || work.DeletionTimestamp != nil
		if seen {
			r.noteApplied(convert.Applied(work))
		}
		r.failed = append(r.failed, convert.NotCompared(work)...)
		out[member] = r
	}
	return out
}

func (r *report) noteApplied(objects []manifest.Identifier) {
	for _, object := range objects {
		if r.applied == nil {
			r.applied = map[manifest.Key]bool{}
		}
		r.applied[object.Key()] = true
	}
}
