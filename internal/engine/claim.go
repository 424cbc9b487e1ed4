package engine

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// Claims are the objects that an apply of a placement creates or takes over, by cluster. The entry of the cluster "" has the objects in [HubPreview.Places],
// which belong to the placement on all clusters.
type Claims map[string]map[manifest.Key]bool

// Claims returns the objects that an apply creates or takes over, and those in [HubPreview.Places].
func (p *Preview) Claims() Claims {
	out := Claims{}
	for _, cluster := range p.Clusters {
		claimed := map[manifest.Key]bool{}
		for _, object := range cluster.Objects {
			if object.isClaimed() {
				claimed[object.Key()] = true
			}
		}
		out[cluster.Name] = claimed
	}
	if p.OnHub().Places != nil {
		out[""] = map[manifest.Key]bool{}
	}
	for _, key := range p.OnHub().Places {
		out[""][key] = true
	}
	return out
}

// Left returns the objects that the placement leaves to other placements. The value is the name of the other placement.
func (p *Preview) Left() map[manifest.Key]string {
	out := map[manifest.Key]string{}
	for _, cluster := range p.Clusters {
		for _, object := range cluster.Objects {
			if object.Claimed {
				out[object.Key()] = object.Owner.Name
			}
		}
	}
	return out
}

// isClaimed reports whether an apply makes the placement the owner of an object that it does not own now.
func (o ObjectPreview) isClaimed() bool {
	return o.Action == takeover.ActionCreate || o.Action == takeover.ActionTakeOver || o.Action == takeover.ActionTakeOverFrom
}

// Yield leaves the objects that both placements claim to another placement of the same run. other is the name of the other placement, claims are its claims,
// and strategy is the apply strategy of the previewed placement. Neither placement takes over objects of the other one, and it is unknown which of the two is
// applied first. Yield also removes the objects in claims from the Missing lists, because the other placement creates them.
func (p *Preview) Yield(other string, claims Claims, strategy placement.ApplyStrategy) {
	owner := takeover.Owner{Kind: takeover.OwnerPlacement, Name: other, Exclusive: true}
	decision := takeover.Decide(takeover.Input{
		Live: &unstructured.Unstructured{}, ForeignPlacement: owner.String(), Strategy: strategy,
	})
	isOnAllClusters := func(key manifest.Key) bool { return claims[""][key] && slices.Contains(p.OnHub().Places, key) }
	for _, cluster := range p.Clusters {
		for i := range cluster.Objects {
			object := &cluster.Objects[i]
			object.Missing = slices.DeleteFunc(slices.Clone(object.Missing), func(id manifest.Identifier) bool {
				return claims[cluster.Name][id.Key()] || claims[""][id.Key()]
			})
			if !isOnAllClusters(object.Key()) && (!object.isClaimed() || !claims[cluster.Name][object.Key()]) {
				continue
			}
			object.Action, object.Obstacle, object.Owner, object.Claimed = decision.Action, decision.Obstacle, owner, true
			object.Reason, object.Message, object.Differences = decision.Reason, decision.Message(), nil
			object.Restart, object.Missing = "", nil
			object.Problem = fmt.Sprintf("the placement %q of the same run also places it; the placement that is applied first will own it", other)
			if isOnAllClusters(object.Key()) {
				object.Problem = fmt.Sprintf("the placement %q of the same run also places it, and will own it (before Terraform 1.16, the placement that is applied "+
					"first will own it)", other)
			}
		}
	}
	if p.Hub != nil {
		p.Hub.Places = slices.DeleteFunc(p.Hub.Places, isOnAllClusters)
	}
}
