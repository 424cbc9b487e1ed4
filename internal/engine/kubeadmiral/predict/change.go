package predict

import (
	"context"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Change predicts what a host does with the objects of a policy if members change as in options.World. It returns nil if the policy does not exist or is
// being deleted. It also returns nil if no object moves to another cluster and no object is on a removed member. It does not read clusters without moves,
// and shows no objects on them. It reads a removed member only if the host deletes objects there.
func Change(ctx context.Context, clusters *clusterset.Set, of engine.Reference, options engine.PreviewOptions) (*engine.Preview, error) {
	fleet, err := host.ReadFleet(ctx, clusters.Hub, of)
	if err != nil || fleet.Policy == nil || fleet.Policy.DeletionTimestamp != nil {
		return nil, err
	}
	sticky := !reschedules(fleet, options.World)
	if sticky && !removesMember(options.World) {
		return nil, nil //nolint:nilnil // see above
	}
	after, err := existing(ctx, clusters, fleet, of, options)
	if err != nil {
		return nil, err
	}
	after.sticky = sticky
	before := *after
	before.options.World, before.sticky = engine.World{}, true
	before.schedule()
	after.schedule()
	if !after.movedOn(&before) {
		return nil, nil //nolint:nilnil // see above
	}
	for _, p := range []*Prediction{&before, after} {
		if err := p.examine(ctx, clusters); err != nil {
			return nil, err
		}
	}
	return after.Preview().Beyond(before.Preview()), nil
}

func removesMember(world engine.World) bool {
	for _, planned := range world.Members {
		if planned.Want == nil {
			return true
		}
	}
	return false
}

// existing returns a prediction for an existing policy, without a schedule: the caller calls schedule. Its objects are the objects that the host places now.
func existing(
	ctx context.Context, clusters *clusterset.Set, fleet *host.Fleet, of engine.Reference, options engine.PreviewOptions,
) (*Prediction, error) {
	out := &Prediction{Fleet: fleet, Policy: fleet.Policy.Spec, content: &content{}, options: options, unapplied: true}
	takesOver, policy := placement.TakeOverNever, convert.ToPolicy(fleet.Policy.Spec)
	for _, key := range slices.SortedFunc(maps.Keys(fleet.Federated), manifest.Key.Compare) {
		f := fleet.Federated[key]
		template := &unstructured.Unstructured{}
		if err := template.UnmarshalJSON(f.Spec.Template.Raw); err != nil {
			return nil, err
		}
		out.Objects = append(out.Objects, &Object{Identifier: f.Identifier(), Outgoing: template})
		if convert.TakesOver(f.Annotations) == placement.TakeOverAlways {
			takesOver = placement.TakeOverAlways // a preview has one when_to_take_over for all objects: if the objects differ, the preview shows too many takeovers
		}
		if affinity, _ := convert.ToAffinity(f.Annotations[v1alpha1.AffinityAnnotation]); affinity != nil {
			policy.Affinity = affinity
		}
	}
	out.Placement = engine.Placement{Reference: of, Spec: placement.Spec{
		Policy: &policy, Strategy: &placement.Strategy{ApplyStrategy: &placement.ApplyStrategy{WhenToTakeOver: takesOver}},
	}}
	out.Spec = out.Placement.Spec.Defaulted()
	out.content.objects = out.Objects
	if err := out.content.readHost(ctx, clusters.Hub); err != nil {
		return nil, err
	}
	for _, o := range out.Objects {
		if err := o.predictOutgoing(ctx, clusters.Hub, clusters.Schema); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// reschedules reports whether a change of members makes the scheduler schedule the objects of a policy again (pkg/controllers/scheduler, scheduling
// triggers).
func reschedules(fleet *host.Fleet, world engine.World) bool {
	if convert.DisablesRescheduling(fleet.Policy.Spec) {
		return false
	}
	var when v1alpha1.RescheduleWhen
	if policy := fleet.Policy.Spec.ReschedulePolicy; policy != nil {
		if policy.RescheduleWhen == nil {
			return false
		}
		when = *policy.RescheduleWhen
	}
	for name, planned := range world.Members {
		registered := fleet.Member(name)
		switch {
		case registered == nil:
			if planned.Want != nil && when.ClusterJoined {
				return true
			}
		case planned.Want == nil:
			return true
		default:
			is := candidateOf(*registered)
			will := withPlanned(is, planned)
			if !slices.EqualFunc(is.Taints, will.Taints, sameTaint) || when.ClusterLabelsChanged && !maps.Equal(is.Labels, will.Labels) {
				return true
			}
		}
	}
	return false
}

func sameTaint(a, b v1alpha1.Taint) bool {
	return a.Key == b.Key && a.Value == b.Value && a.Effect == b.Effect
}

// movedOn compares p with a prediction without the change of members (before). It reports whether any object moves to another cluster, or is on a removed
// member. It deletes the clusters without such objects from both predictions. From before, it also deletes the removed members, because
// [engine.Preview.Beyond] omits objects that both previews show.
func (p *Prediction) movedOn(before *Prediction) bool {
	moved := func(c *Cluster) bool {
		if c.leaving {
			return len(c.remaining()) > 0
		}
		now, was := p.Cluster(c.Name), before.Cluster(c.Name)
		return now != nil && (was == nil && len(now.picked) > 0 || was != nil && !maps.Equal(now.picked, was.picked))
	}
	kept := map[string]bool{}
	for _, c := range p.Clusters {
		kept[c.Name] = moved(c)
	}
	for _, one := range []*Prediction{p, before} {
		one.Clusters = slices.DeleteFunc(one.Clusters, func(c *Cluster) bool { return !kept[c.Name] || one == before && p.leaves(c.Name) })
	}
	return len(p.Clusters) > 0
}

func (p *Prediction) leaves(member string) bool {
	planned, changes := p.options.World.Members[member]
	return changes && planned.Want == nil
}

// remaining returns the leftovers on the cluster that the host has applied there, or all leftovers if the host deletes them when the cluster leaves.
func (c *Cluster) remaining() []manifest.Identifier {
	if c.cascades() {
		return c.left()
	}
	return slices.DeleteFunc(c.left(), func(id manifest.Identifier) bool {
		f, found := c.prediction.Fleet.Federated[id.Key()]
		if !found {
			f = c.prediction.Fleet.Followers[id.Key()].Federated
		}
		state, _, _ := f.On(c.Name)
		return state != convert.SyncDone
	})
}
