package predict

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// foreign is an object of another placement, or an object that the plan leaves to another placement. An object on a host has one policy, so this placement
// does not place a foreign object on any cluster.
type foreign struct {
	manifest.Identifier
	// owner is the placement to which the object belongs. problem is the reason why this placement does not place it.
	owner, problem string
}

const onePlacement = "an object on a host cluster can have only one placement. Remove the object from one of the two placements"

// leaveForeign moves objects from c.objects to c.foreign: objects with the label of another policy on the host cluster, and objects that the plan leaves to
// another placement. Namespaces, objects of givers and objects of a replaced placement remain in c.objects. of is this placement.
func (c *content) leaveForeign(of engine.Reference, options engine.PreviewOptions) {
	c.objects = slices.DeleteFunc(c.objects, func(o *Object) bool {
		if o.IsNamespace() || o.Giver != nil {
			return false
		}
		if replaced := options.Replaces; replaced != nil && ownerOf(o.Live, of) == replaced.Reference.String() {
			return false // its placement is destroyed first
		}
		out := foreign{Identifier: o.Identifier, owner: ownerOf(o.Live, of), problem: onePlacement}
		if out.owner == "" && options.Applying {
			out.owner, out.problem = options.Expected.LeftTo(o.Key()), "the plan leaves it to that placement"
		}
		if out.owner == "" {
			return false
		}
		c.foreign = append(c.foreign, out)
		return true
	})
}

// ownerOf returns the placement other than self whose label an object on the host has. It returns "" if there is none, and if live is nil.
func ownerOf(live *unstructured.Unstructured, self engine.Reference) string {
	if live == nil {
		return ""
	}
	label, policy := host.Claimed(live, self)
	if policy != "" && label == v1alpha1.PolicyLabel {
		return engine.Reference{Namespace: live.GetNamespace(), Name: policy}.String()
	}
	return policy
}

// scheduleForeign records, for each cluster, the foreign objects that the policy would place on it.
func (p *Prediction) scheduleForeign(s scheduling) {
	for _, f := range p.content.foreign {
		for name, pick := range p.picks(s, f.Identifier) {
			if pick.Selected {
				c := p.Cluster(name)
				c.foreign = append(c.foreign, f)
			}
		}
	}
}

func (p *Prediction) isAllForeign() bool { return len(p.Objects) == 0 && len(p.content.foreign) > 0 }

// HasObjects reports whether the selectors and manifests result in any object, including objects of other placements.
func (p *Prediction) HasObjects() bool { return len(p.Objects) > 0 || p.isAllForeign() }

// Foreign returns the objects that the placement leaves to other placements on the cluster.
func (c *Cluster) Foreign() []*memberpreview.Object {
	if !c.decision.Selected {
		return nil
	}
	var out []*memberpreview.Object
	for _, f := range c.foreign {
		owner := takeover.Owner{Kind: takeover.OwnerPlacement, Name: f.owner, Exclusive: true}
		decision := takeover.Decide(takeover.Input{
			Live: &unstructured.Unstructured{}, ForeignPlacement: owner.String(), Strategy: *c.prediction.Spec.Strategy.ApplyStrategy,
		})
		o := &memberpreview.Object{}
		o.ObjectPreview = engine.ObjectPreview{
			Identifier: f.Identifier, Action: decision.Action, Obstacle: decision.Obstacle, Owner: owner, Claimed: true,
			Reason: decision.Reason, Message: decision.Message(), Problem: f.problem,
		}
		out = append(out, o)
	}
	return out
}
