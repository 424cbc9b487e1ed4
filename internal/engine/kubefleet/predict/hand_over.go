package predict

import (
	"context"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/agent"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// giver is a placement that objects are taken over from.
type giver struct {
	engine.Giver
	// works are the names of its Works, by the name of the member. Those that are being deleted are left out: what they have goes with them.
	works map[string]map[string]bool
}

// readGivers reads the Works of the placements that a placement takes objects over from. An agent that only reports takes over nothing.
func readGivers(ctx context.Context, cluster *kube.Cluster, p engine.Placement) ([]giver, error) {
	if p.Spec.Defaulted().Strategy.ApplyStrategy.Type == placement.ReportDiff {
		return nil, nil
	}
	var out []giver
	for _, from := range p.TakesOverFrom {
		works, err := hub.Works(ctx, cluster, "", hub.WorksOf(engine.ParseReference(from.Name)))
		if err != nil {
			return nil, err
		}
		one := giver{Giver: from, works: map[string]map[string]bool{}}
		for _, work := range works {
			member, found := strings.CutPrefix(work.Namespace, hub.MemberNamespacePrefix)
			if !found || work.DeletionTimestamp != nil {
				continue
			}
			if one.works[member] == nil {
				one.works[member] = map[string]bool{}
			}
			one.works[member][work.Name] = true
		}
		out = append(out, one)
	}
	return out, nil
}

// missingGivers are the givers that have nothing on any member.
func (p *Prediction) missingGivers() []string {
	var out []string
	for _, from := range p.givers {
		if len(from.works) == 0 {
			out = append(out, from.Name)
		}
	}
	return out
}

// giverOf is the giver whose AppliedWork an owner reference is to; nil for any other reference.
func (c *Cluster) giverOf(ref metav1.OwnerReference) *giver {
	if ref.APIVersion != agent.APIVersion || ref.Kind != agent.AppliedWork {
		return nil
	}
	i := slices.IndexFunc(c.prediction.givers, func(from giver) bool { return from.works[c.Name][ref.Name] })
	if i < 0 {
		return nil
	}
	return &c.prediction.givers[i]
}

func (c *Cluster) gives(ref metav1.OwnerReference) bool { return c.giverOf(ref) != nil }

// given is how a giver hands an object over; nil if none has it. Whatever a placement on a hub has, the removal of the placement deletes.
func (c *Cluster) given(o *memberpreview.Object) *engine.Given {
	for _, ref := range o.Live.GetOwnerReferences() {
		if from := c.giverOf(ref); from != nil {
			return &engine.Given{From: from.Name, UID: o.Live.GetUID(), Created: true, Removed: from.Removed}
		}
	}
	return nil
}

// Given is an object that the placement takes over from another one.
type Given struct {
	manifest.Identifier
	UID types.UID
}

// Given lists the objects that the placement takes over from others, by cluster.
func (p *Prediction) Given() map[string][]Given {
	out := map[string][]Given{}
	for _, c := range p.Clusters {
		for _, item := range c.Items {
			if item.Action == takeover.ActionTakeOverFrom {
				out[c.Name] = append(out[c.Name], Given{Identifier: item.Identifier, UID: item.Given.UID})
			}
		}
	}
	return out
}

// Gives reports whether an owner reference of an object on a cluster is to an AppliedWork of a placement that hands objects over.
func (p *Prediction) Gives(cluster string, ref metav1.OwnerReference) bool {
	c := p.Cluster(cluster)
	return c != nil && c.gives(ref)
}

// handedTo is the placement that an object is left to, "" for none: as the plan that is applied shows, or as the placements take it over that were planned
// before this one. problem is set if that placement may not take it over in this run.
func (c *Cluster) handedTo(o *memberpreview.Object) (to, problem string) {
	options := c.prediction.options
	if to = options.Expected.HandsOver(c.Name, o.Key()); to != "" {
		return to, ""
	}
	return options.Takers.Of(c.Name, o.Key())
}

// checkTakers returns an error if a cluster could not be checked on which another placement may take objects over: the hub comes to it all the same.
func (p *Prediction) checkTakers() error {
	for _, c := range p.Clusters {
		if taker := p.options.Takers.Unchecked(c.Name); c.Err != nil && taker != "" {
			return &engine.UncheckedHandOverError{Giver: p.Placement.Reference.String(), Taker: taker, Cluster: c.Name, Err: c.Err}
		}
	}
	return nil
}

// Pending lists the objects that the placement hands over and still has: its agents would delete them.
func (p *Prediction) Pending() []engine.PendingHandOver {
	var out []engine.PendingHandOver
	for _, c := range p.Clusters {
		for _, o := range c.Leftovers {
			if o.Action == takeover.ActionHandOver {
				out = append(out, engine.PendingHandOver{Cluster: c.Name, Identifier: o.Identifier, To: o.To})
			}
		}
	}
	return out
}
