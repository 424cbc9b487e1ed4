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

// report is the report of the agent of one cluster, read from the Works. The status of a placement uses the same reason for "not processed yet" and "failed",
// and does not name the objects that could not be compared. The Works distinguish these two cases and name these objects.
type report struct {
	// complete reports that the agent has processed all Works in their current generation.
	complete bool
	// applied are the objects that the agent reports as applied for the current generation of their Work. leaving reports that a Work is being deleted.
	applied map[manifest.Key]bool
	leaving bool
	// failed are the objects that the agent could not compare under strategy type ReportDiff.
	failed []placement.FailedPlacement
}

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

// reportsOf returns the reports in Works, by cluster. about is a type of condition. An agent has processed a Work if the Work has a condition of this type for
// its current generation.
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
