package predict

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/dispatch"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// readGivers reads the givers: the placements whose objects this placement takes over. It omits a placement that this one replaces, because that placement is
// destroyed first and then has no objects.
func (p *Prediction) readGivers(ctx context.Context, cluster *kube.Cluster) error {
	for _, giver := range p.Placement.TakesOverFrom {
		if replaced := p.options.Replaces; replaced != nil && replaced.Reference.String() == giver.Name {
			continue
		}
		found, err := host.ReadGiver(ctx, cluster, giver)
		if err != nil {
			return err
		}
		p.Fleet.Givers = append(p.Fleet.Givers, found)
	}
	return nil
}

// findGivers determines the giver of each object: the object has the label of the giver's policy. An object that also has the label of a third placement
// belongs to that placement. Namespaces have no label. A Namespace in the manifests has a giver if the record of the giver's policy lists it, made does not,
// and manager is still one of its field managers. made is the record of this placement's policy.
func (c *content) findGivers(of engine.Reference, fleet *host.Fleet, made host.Made, manager string) {
	for _, o := range c.objects {
		for _, giver := range fleet.Givers {
			switch {
			case o.Live == nil || o.Giver != nil:
			case o.IsNamespace():
				if o.Manifest != nil && !made.Has(o.Identifier) && host.MadeBy(giver.PolicyLive).Has(o.Identifier) && host.WrittenBy(o.Live, manager) {
					o.Giver = giver
				}
			case o.Live.GetLabels()[convert.PolicyLabelOf(giver.Of.Namespace)] == giver.Of.Name:
				if _, third := host.Claimed(o.Live, of, giver.Of); third == "" {
					o.Giver = giver
				}
			}
		}
	}
}

// take sets p.given to the FederatedObjects with the label of a giver's policy, for the objects of this placement. It omits objects with a FederatedObject that
// has the label of this placement's policy. p.given includes objects that were taken over recently: their FederatedObjects can still have the label of the
// giver's policy. take returns an error if the control plane would delete followers of objects that are taken over: see losesFollowers.
func (p *Prediction) take() error {
	p.given = map[manifest.Key]convert.Federated{}
	lines := []string{"the host cluster cannot hand over these objects:"}
	for _, o := range p.Objects {
		for _, giver := range p.Fleet.Givers {
			_, own := p.Fleet.Federated[o.Key()]
			if federated, found := giver.Federated[o.Key()]; found && !own {
				p.given[o.Key()] = federated
			}
		}
		if o.Giver != nil && p.Policy.DisableFollowerScheduling {
			lines = append(lines, p.losesFollowers(o)...)
		}
	}
	if len(lines) > 1 {
		return joinLines(lines)
	}
	return nil
}

// losesFollowers returns a line of the error for each object that follows o because of the giver's policy, and that neither the giver nor this placement places
// itself. The control plane would delete these objects from the members, because this placement's policy schedules no followers.
func (p *Prediction) losesFollowers(o *Object) []string {
	var out []string
	for _, key := range sortedKeys(o.Giver.Followers) {
		follower := o.Giver.Followers[key]
		placed := slices.ContainsFunc(p.Objects, func(other *Object) bool { return other.Key() == key })
		if _, own := o.Giver.Federated[key]; !own && !placed && slices.Contains(follower.Leaders, o.Key()) {
			out = append(out, fmt.Sprintf("  %s: it follows %s to the members, because the policy %q schedules followers. The policy of this placement schedules no "+
				"followers, so the host cluster would delete the follower from the members. Add the follower to this placement", follower.Identifier(), o.Identifier, o.Giver.Name))
		}
	}
	return out
}

// federated returns the FederatedObject of an object that the placement already has or takes over.
func (p *Prediction) federated(key manifest.Key) (convert.Federated, bool) {
	if f, own := p.Fleet.Federated[key]; own {
		return f, true
	}
	f, given := p.given[key]
	return f, given
}

func (p *Prediction) takesObjects() bool {
	return slices.ContainsFunc(p.Objects, func(o *Object) bool { return o.Giver != nil })
}

// takesNamespace reports whether a Namespace is taken over. Namespaces are on every member.
func (p *Prediction) takesNamespace() bool {
	return slices.ContainsFunc(p.Objects, func(o *Object) bool { return o.Giver != nil && o.IsNamespace() })
}

// reschedulesGiven reports whether the scheduler may pick other clusters for an object that is taken over. This is the case if the giver has no policy,
// or if its policy allows rescheduling or differs in effect from this placement's policy. It is also the case if the affinity annotation of the object must change.
func (p *Prediction) reschedulesGiven() bool {
	want, err := convert.AffinityAnnotation(*p.Spec.Policy)
	return slices.ContainsFunc(p.Objects, func(o *Object) bool {
		if o.Giver == nil || o.IsNamespace() {
			return false
		}
		policy := o.Giver.Policy
		return policy == nil || !convert.DisablesRescheduling(policy.Spec) || !convert.SamePolicy(policy.Spec, p.Policy) ||
			err != nil || o.Live.GetAnnotations()[v1alpha1.AffinityAnnotation] != want
	})
}

// ReschedulesGiven reports whether an apply must first write a policy that allows rescheduling. This is the case if the policy disables rescheduling, although
// the scheduler must pick clusters again for an object that is taken over.
func (p *Prediction) ReschedulesGiven() bool {
	return convert.DisablesRescheduling(p.Policy) && p.reschedulesGiven()
}

// given returns how another placement hands an object over on the cluster, or nil if no placement does.
func (c *Cluster) given(o *memberpreview.Object) *engine.Given {
	i := slices.IndexFunc(c.prediction.Objects, func(other *Object) bool { return other.Key() == o.Key() })
	if i < 0 || c.prediction.Objects[i].Giver == nil || o.Live == nil || !dispatch.Managed(o.Live) {
		return nil
	}
	giver := c.prediction.Objects[i].Giver
	if f, found := giver.Federated[o.Key()]; found && !f.Involves(c.Name) {
		return nil
	}
	return &engine.Given{From: giver.Name, UID: o.Live.GetUID(), Created: !dispatch.Adopted(o.Live), Removed: giver.Removed}
}

// takeGiven returns the preview of an object that another placement hands over. If the control plane keeps or updates the object, this is a takeover from
// the giver, or no takeover if the plan did not show it. Otherwise, takeGiven returns the parameter preview unchanged.
func (c *Cluster) takeGiven(schema diff.Schema, item *memberpreview.Object, preview engine.ObjectPreview) engine.ObjectPreview {
	given := c.given(item)
	if given == nil || preview.Action != takeover.ActionNone && preview.Action != takeover.ActionUpdate {
		return preview
	}
	var differences []diff.Difference
	if item.Desired != nil && !item.IsNamespace() {
		differences = diff.Partial(schema, item.Desired, item.Live).All()
	}
	preview.Given, preview.Action = given, takeover.ActionTakeOverFrom
	preview.Mark = engine.Mark(item.Live.GetUID(), differences, given.String()+memberpreview.ReplacedContent(item.Live))
	preview.ResourceVersion = item.Live.GetResourceVersion()
	if problem := c.prediction.options.Expected.ContradictsGiven(c.Name, item.Key(), preview.Mark); problem != "" {
		return withDecision(preview, takeover.NotAgreed(problem))
	}
	return preview
}

// missingGivers returns the givers that have neither a policy nor an object on the host.
func (p *Prediction) missingGivers() []string {
	var out []string
	for _, giver := range p.Fleet.Givers {
		if !giver.Exists() {
			out = append(out, giver.Name)
		}
	}
	return out
}

// changesGivers reports whether an apply takes objects over, or deletes or changes the policy of a giver that no resource manages.
func (p *Prediction) changesGivers() bool {
	return p.takesObjects() || slices.ContainsFunc(p.Fleet.Givers, func(giver *host.Giver) bool { return p.Ends(giver) || p.Unrecords(giver) })
}

// Unrecords reports whether an apply removes objects of this placement from the record of a giver that no resource manages. As long as that record lists a
// Namespace, this placement does not delete the Namespace.
func (p *Prediction) Unrecords(giver *host.Giver) bool {
	return giver.IsUnmanaged() && len(p.RecordOf(giver)) < len(host.MadeBy(giver.PolicyLive))
}

// RecordOf returns the objects in the record of a giver, without those that this placement creates from its manifests.
func (p *Prediction) RecordOf(giver *host.Giver) host.Made {
	out := host.MadeBy(giver.PolicyLive)
	maps.DeleteFunc(out, func(key manifest.Key, _ manifest.Identifier) bool { return p.makes(key) })
	return out
}

// Ends reports whether an apply deletes the policy of a giver. This requires that no resource manages the giver, that the provider created the policy, and
// that this placement takes over all objects of the giver.
func (p *Prediction) Ends(giver *host.Giver) bool {
	return giver.IsUnmanaged() && giver.Policy != nil && giver.Policy.DeletionTimestamp == nil && giver.ExternalPolicy == nil && len(p.remainingOf(giver)) == 0
}

// remainingOf returns the objects of a giver that the placement does not take over.
func (p *Prediction) remainingOf(giver *host.Giver) []manifest.Identifier {
	var out []manifest.Identifier
	placed := func(key manifest.Key) bool {
		return slices.ContainsFunc(p.Objects, func(o *Object) bool { return o.Key() == key })
	}
	for _, key := range sortedKeys(giver.Federated) {
		if !placed(key) {
			out = append(out, giver.Federated[key].Identifier())
		}
	}
	made := host.MadeBy(giver.PolicyLive)
	for _, key := range sortedKeys(made) {
		if _, federated := giver.Federated[key]; !federated && !placed(key) {
			out = append(out, made[key])
		}
	}
	return out
}

// remainingOfGivers returns, by cluster, the objects of removed givers that the placement does not take over.
func (p *Prediction) remainingOfGivers() []engine.Remaining {
	var out []engine.Remaining
	for _, giver := range p.Fleet.Givers {
		if !giver.Removed {
			continue
		}
		for _, id := range p.remainingOf(giver) {
			f, federated := giver.Federated[id.Key()]
			for _, c := range p.Clusters {
				if federated && f.Involves(c.Name) || !federated && c.takesPart() {
					out = append(out, engine.Remaining{From: giver.Name, Cluster: c.Name, Identifier: id})
				}
			}
		}
	}
	return out
}
