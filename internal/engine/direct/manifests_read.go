package direct

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/plan"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct/record"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// manifestsLostError is returned when no member has an intact Secret with the manifests of the last apply.
type manifestsLostError struct {
	name    string
	members []string
}

func (e *manifestsLostError) Error() string {
	return fmt.Sprintf("The Secret %s/%s, which stores the manifests of the placement, was deleted or damaged on %s. The objects of the placement "+
		"remain on the clusters. The next apply reads the manifests from the configuration again", record.Namespace, record.InventoryName(e.name), strings.Join(e.members, ", "))
}

// recordedManifests returns the manifests of the last apply of a placement. Write-only manifests are only in the Secrets on the members. Every member with the
// newest record has the same Secret.
func recordedManifests(
	ctx context.Context, known *record.Inventory, survey *plan.Survey, p engine.Placement, digest placement.Digest,
) (record.Manifests, error) {
	stored := record.Manifests{Stored: p.Manifests}
	switch {
	case manifest.SameHash(known.ManifestsHash, digest.Manifests) && known.WriteOnlyHash == "":
		return stored, nil
	case !known.HasManifests:
		return record.Manifests{}, nil
	}
	lost, underWay := &manifestsLostError{name: known.Name}, false
	var failed error
	for _, m := range survey.Members {
		its := m.Inventory
		if its == nil || m.Err != nil || its.ManifestsHash != known.ManifestsHash || its.WriteOnlyHash != known.WriteOnlyHash {
			continue
		}
		secret, err := record.Find(ctx, m.Client, record.SecretKind, record.InventoryName(its.Name))
		if err != nil {
			failed = cmp.Or(failed, clusterset.Unreachable(m.Name, err))
			continue
		}
		if secret != nil && record.IsInventory(secret) {
			if kept, err := record.DecodeManifests(secret); err == nil && (!known.Signed || kept.Matches(known)) {
				return kept, nil
			}
		}
		lost.members, underWay = append(lost.members, m.Name), underWay || its.Lease != nil
	}
	switch {
	case failed != nil:
		return record.Manifests{}, failed
	case underWay:
		return stored, nil // the apply was killed before it stored them, or is in progress; the next apply stores them
	default:
		return record.Manifests{}, lost
	}
}

// readWithoutManifests returns a placement whose manifests are lost. It keeps the prior status, because the content of the placement is unknown. Without a
// prior status (import), it reads the status with the manifests in p. The result has the text of lost as its warning.
func (e *Engine) readWithoutManifests(
	ctx context.Context, p engine.Placement, survey *plan.Survey, known *record.Inventory, lost error,
) (*engine.Recorded, error) {
	p.Spec = known.Spec
	out := &engine.Recorded{Spec: p.Spec, Manifests: p.Manifests, Complete: true}
	if p.Prior != nil {
		out.Status = *p.Prior
	} else {
		var err error
		if out, err = e.observe(ctx, p, survey); err != nil {
			return nil, err
		}
	}
	out.Warning = lost.Error()
	return out, nil
}
