package direct

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/apply"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/plan"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// ReadPlacement reads the newest record of the placement on the members, and the status of the placement.
func (e *Engine) ReadPlacement(ctx context.Context, p engine.Placement) (*engine.Recorded, error) {
	if p.Namespace != "" {
		return nil, &engine.LimitationError{Limitation: namespaceLimitation()}
	}
	ctx = kube.ShareReads(ctx)
	survey := plan.ReadRecords(ctx, e.clusters, p)
	if err := clusterset.Ended(ctx); err != nil {
		return nil, err
	}
	digest := placement.NewDigest(p.Spec, p.Manifests, p.WriteOnly)
	known, from := survey.Newest(digest)
	if known == nil && p.Prior != nil {
		known, from = survey.ForeignRecord(p.ID)
	}
	if known == nil {
		return e.readUnrecorded(ctx, p, survey)
	}
	if plan.Supersedes(p, from.Name, known) {
		return e.observe(ctx, p, survey)
	}
	if p.ID != "" && p.Prior != nil && known.ID != "" && known.ID != p.ID {
		// The record belongs to another resource, so none of it enters this state. Plans and applies return the error.
		elsewhere := &engine.ManagedElsewhereError{
			What: fmt.Sprintf("the placement %q", p.Name), Cluster: from.Name, Import: p.Name, Theirs: known.ID, Ours: p.ID,
			Record: plan.RecordName(p.Name), Objects: true,
		}
		return &engine.Recorded{ID: p.ID, Spec: p.Spec, Manifests: p.Manifests, Status: *p.Prior, Warning: elsewhere.Error(), Complete: true}, nil
	}
	out, err := e.readRecorded(ctx, p, survey, known, digest)
	if err != nil {
		return nil, err
	}
	out.ID, out.Trusted = known.ID, survey.Trusted()
	return out, nil
}

func (e *Engine) readRecorded(
	ctx context.Context, p engine.Placement, survey *plan.Survey, known *record.Inventory, digest placement.Digest,
) (*engine.Recorded, error) {
	if generation, _ := p.Prior.Counts(); known.Generation < generation {
		// The record of the last apply was not read: its cluster is unreachable, or the record was deleted or replaced by a backup. An older record would undo
		// that apply in the state.
		return e.observe(ctx, p, survey)
	}
	manifests, err := recordedManifests(ctx, known, survey, p, digest)
	if _, lost := errors.AsType[*manifestsLostError](err); lost {
		return e.readWithoutManifests(ctx, p, survey, known, err)
	}
	if err != nil {
		return nil, err
	}
	p.Spec, p.Manifests, p.WriteOnly = known.Spec, manifests.Stored, manifests.WriteOnly
	return e.observe(ctx, p, survey)
}

// observe returns a recorded placement with its status. If the content can no longer be resolved (for example, because its selectors have become invalid), the
// placement keeps the prior status, so that a refresh does not prevent its repair or destruction. observe returns an error if the content cannot be resolved
// because the hub is unreachable, if a cluster was replaced, or if there is no prior status to keep. If there is no prior status and the apply was killed
// before it stored the manifests, observe returns the placement with a warning. An unreachable member is not an error: the status reports it.
func (e *Engine) observe(ctx context.Context, p engine.Placement, survey *plan.Survey) (*engine.Recorded, error) {
	out := &engine.Recorded{Spec: p.Spec, Manifests: p.Manifests, WriteOnly: p.WriteOnly, Complete: true}
	found, err := plan.From(ctx, e.clusters, p, survey, plan.Options{Purpose: plan.Reading, Version: e.version})
	if err == nil {
		out.Status = apply.Observe(found)
		for _, c := range found.Clusters {
			if c.IsForgotten() && p.PriorCluster(c.Name).HadObjects() {
				out.UnconnectedClusters = append(out.UnconnectedClusters, c.Name)
			}
		}
		return out, nil
	}
	if _, empty := errors.AsType[*engine.NothingToPlaceError](err); empty && p.Prior == nil {
		// The apply that wrote the record was killed before it stored the manifests. The configuration has them.
		out.Status.HubUID, out.Warning = survey.HubUID, "The apply that created it was killed before it recorded the manifests. The next apply "+
			"continues with the manifests in the configuration."
		return out, nil
	}
	_, unreachable := errors.AsType[*engine.UnreachableError](err)
	_, replaced := errors.AsType[*engine.ClusterReplacedError](err)
	if p.Prior == nil || unreachable || replaced {
		return nil, err
	}
	out.Status, out.Warning = *p.Prior, err.Error()
	return out, nil
}

// readUnrecorded reads a placement without a usable record: the records are missing, do not verify, or are on unreachable members. Without a
// prior status (import), it returns [engine.ErrNotFound] if every member responds. With a prior status, it returns [engine.ErrNotFound] only if the placement
// was applied to a member, and if a complete search of all members that had objects of the placement finds neither a record of the placement nor objects with
// its label. A missing record alone proves nothing, because a placement on no cluster has no record either.
func (e *Engine) readUnrecorded(ctx context.Context, p engine.Placement, survey *plan.Survey) (*engine.Recorded, error) {
	if p.Prior == nil {
		for _, v := range survey.Members {
			if v.Err != nil {
				return nil, v.Err
			}
		}
		return nil, engine.ErrNotFound
	}
	gone := false
	var left, unsearched, unproven []string
	for _, v := range survey.Members {
		if !p.PriorCluster(v.Name).HadObjects() || v.Former != nil {
			continue
		}
		if v.Err != nil {
			return e.observe(ctx, p, survey)
		}
		marks, err := plan.Marked(ctx, v.Client, p.Name)
		if err != nil {
			return e.observe(ctx, p, survey)
		}
		if v.Inventory.IsUnproven() {
			unproven = append(unproven, v.Name)
		} else {
			gone = gone || p.PriorCluster(v.Name).ObservedResourceIndex != "" // with an empty index, the placement may never have reached the member
		}
		if found := marks.Objects; len(found) > 0 {
			left = append(left, fmt.Sprintf("%d object(s) on member %q, such as %s", len(found), v.Name, found[0]))
		}
		if kinds := marks.UnsearchedKinds; len(kinds) > 0 {
			unsearched = append(unsearched, fmt.Sprintf("%d kind(s) on member %q, such as %s", len(kinds), v.Name, kinds[0]))
		}
	}
	if len(left)+len(unsearched)+len(unproven) > 0 {
		out, err := e.observe(ctx, p, survey)
		if err == nil && out.Warning == "" {
			out.Warning = recordsLost(left, unsearched, unproven)
		}
		return out, err
	}
	if gone {
		return nil, engine.ErrNotFound
	}
	return e.observe(ctx, p, survey)
}

// recordsLost explains why no record of a placement can be used. left names objects that have the label of the placement. unsearched names the kinds that could
// not be listed. unproven names the members whose record does not verify.
func recordsLost(left, unsearched, unproven []string) string {
	text := "The placement's records have been deleted from the members. "
	if len(left) > 0 {
		text = "The placement's records have been deleted from the members, but its objects have not: "
	}
	if len(unproven) > 0 {
		text = fmt.Sprintf("No record of the placement verifies: on %s the signature does not match. These records are not used. ", strings.Join(unproven, ", "))
	}
	if len(left) > 0 {
		text += strings.Join(left, ", ") + " carry its label. The next apply records those that the configuration places as pre-existing objects. A destroy " +
			"leaves all of them on the clusters, because it is not known which of them the placement created. "
	}
	if len(unsearched) > 0 {
		text += "Objects of these kinds could not be checked: " + strings.Join(unsearched, ", ") + "."
	}
	return strings.TrimSpace(text)
}
