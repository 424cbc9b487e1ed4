package predict

import (
	"fmt"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// keepsFollower reports whether a follower remains on the cluster: the cluster is picked for one of its leaders, or KubeAdmiral keeps the follower there for
// another reason.
func (c *Cluster) keepsFollower(f host.Follower) bool {
	return slices.Contains(f.Others, c.Name) || slices.ContainsFunc(f.Leaders, func(leader manifest.Key) bool { return c.picked[leader] })
}

// IsFollower reports whether an object follows workloads of the placement and does not belong to the placement itself.
func (p *Prediction) IsFollower(key manifest.Key) bool {
	_, follows := p.Fleet.Followers[key]
	_, own := p.Fleet.Federated[key]
	return follows && !own
}

func (c *Cluster) leftFollowers() []manifest.Identifier {
	var out []manifest.Identifier
	for _, key := range sortedKeys(c.prediction.Fleet.Followers) {
		f := c.prediction.Fleet.Followers[key]
		if c.prediction.IsFollower(key) && f.Involves(c.Name) && !c.keepsFollower(f) {
			out = append(out, f.Identifier())
		}
	}
	return out
}

func (p *Prediction) followersDanger() *engine.Danger {
	for _, c := range p.Clusters {
		var objects []manifest.Identifier
		for _, key := range sortedKeys(p.Fleet.Followers) {
			if f := p.Fleet.Followers[key]; p.IsFollower(key) && c.keepsFollower(f) && !slices.Contains(f.Placed(), c.Name) {
				objects = append(objects, f.Identifier())
			}
		}
		if len(objects) > 0 {
			return &engine.Danger{Path: placement.At("policy"), Title: "other objects follow the workloads", Message: fmt.Sprintf(
				"The policy on the host cluster schedules followers. KubeAdmiral also places these objects on %q, and takes over pre-existing objects only if the "+
					"annotations of the objects allow it: %s.", c.Name, engine.Some(objects))}
		}
	}
	return nil
}
