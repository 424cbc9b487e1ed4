package predict

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/dispatch"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Keys returns the desired keys of an object on the host: see [convert.Keys]. They include the members on which the host may take over a pre-existing
// object. They omit the orphan annotation if the placed object does not have the annotation and does not need it: see takeoverReason.
func (p *Prediction) Keys(o *Object) (convert.Keys, error) {
	adoption := p.adoption(o)
	keys, err := convert.KeysOf(p.Placement.Namespace, p.Placement.Name, p.Placement.Spec, adoption)
	if p.isUnmarked(o) && p.takeoverReason(o, adoption) == "" {
		delete(keys.Annotations, v1alpha1.OrphanAnnotation)
	}
	return keys, err
}

// adoption returns the members on which the host may take over a pre-existing copy of an object.
func (p *Prediction) adoption(o *Object) convert.Adoption {
	adoption := convert.Adoption{Everywhere: p.Spec.Strategy.ApplyStrategy.WhenToTakeOver == placement.TakeOverAlways}
	before := map[string]bool{}
	if o.Live != nil {
		for _, name := range convert.AdoptedOn(o.Live.GetAnnotations()) {
			before[name] = true
		}
	}
	var refused []string
	for _, c := range p.Clusters {
		if !c.picked[o.Key()] {
			continue
		}
		switch c.adopts(o, before[c.Name], adoption.Everywhere) {
		case adoptionYes:
			adoption.Clusters = append(adoption.Clusters, c.Name)
		case adoptionRefused:
			refused = append(refused, c.Name)
		case adoptionNone:
		}
	}
	if len(refused) > 0 {
		adoption.Everywhere = false
	}
	if p.Spec.Strategy.ApplyStrategy.WhenToTakeOver == placement.TakeOverNever {
		adoption = convert.Adoption{}
	}
	return adoption
}

// isUnmarked reports whether an object has the label of the placement but no orphan annotation, and the desired value of the annotation is "adopted".
func (p *Prediction) isUnmarked(o *Object) bool {
	if o.Live == nil || o.Live.GetLabels()[convert.PolicyLabelOf(p.Placement.Namespace)] != p.Placement.Name {
		return false
	}
	_, marked := o.Live.GetAnnotations()[v1alpha1.OrphanAnnotation]
	return !marked && convert.Orphan(p.Placement.Spec) == v1alpha1.OrphanAdopted
}

// takeoverReason returns the reason why KubeAdmiral has taken over, or may take over, a copy of an object on a member, or "" if there is none. Without a
// reason, the object does not need the orphan annotation.
func (p *Prediction) takeoverReason(o *Object, adoption convert.Adoption) string {
	if adoption.Everywhere {
		return "when_to_take_over allows takeovers on every cluster"
	}
	for _, c := range p.Clusters {
		if !c.picked[o.Key()] {
			continue
		}
		i := slices.IndexFunc(c.Items, func(item *memberpreview.Object) bool { return item.Key() == o.Key() })
		switch {
		case i < 0 || c.Err != nil || c.checkMethod == engine.CheckOffline || c.Items[i].Unseen != nil:
			return "it could not be checked on " + strconv.Quote(c.Name)
		case c.Items[i].Live != nil && dispatch.Managed(c.Items[i].Live) && dispatch.Adopted(c.Items[i].Live):
			return "it was taken over on " + strconv.Quote(c.Name)
		case slices.Contains(adoption.Clusters, c.Name):
			return "it is taken over on " + strconv.Quote(c.Name)
		}
	}
	return ""
}

func (p *Prediction) orphanAnnotationDanger() *engine.Danger {
	var lines []string
	for _, o := range p.Objects {
		if !p.isUnmarked(o) {
			continue
		}
		keys, err := p.Keys(o)
		annotations := maps.Clone(o.Live.GetAnnotations())
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[v1alpha1.OrphanAnnotation] = v1alpha1.OrphanAdopted
		if err == nil && keys.Held(o.Live.GetLabels(), annotations) {
			lines = append(lines, o.String()+": "+p.takeoverReason(o, p.adoption(o)))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	more := ""
	if len(lines) > 1 {
		more = fmt.Sprintf(", and %d more", len(lines)-1)
	}
	return &engine.Danger{Path: placement.At("strategy"), Title: "an annotation is added on the host cluster", Message: fmt.Sprintf(
		"The apply adds the annotation %s=%s, so that taken-over objects remain on the members when the placement is destroyed (%s%s).",
		v1alpha1.OrphanAnnotation, v1alpha1.OrphanAdopted, lines[0], more)}
}

// compareKeys sets keysDiffer if the apply writes an object on the host, or the keys of an object.
func (p *Prediction) compareKeys() error {
	for _, o := range p.Objects {
		if o.IsNamespace() && o.Manifest == nil {
			continue
		}
		if o.Live == nil || o.Changing || o.Held() || o.isRecreated() {
			p.keysDiffer = true
			continue
		}
		if o.IsNamespace() {
			continue
		}
		keys, err := p.Keys(o)
		if err != nil {
			return err
		}
		p.keysDiffer = p.keysDiffer || !keys.Held(o.Live.GetLabels(), o.Live.GetAnnotations())
	}
	return nil
}

// Changes reports whether an apply writes to the host.
func (p *Prediction) Changes() bool {
	return p.Fleet.Policy == nil || !convert.EqualPolicy(p.Policy, p.Fleet.Policy.Spec) || p.keysDiffer || p.releases() || p.stale() || p.changesGivers()
}

// ChangesObjects reports whether an apply writes or releases objects on the host.
func (p *Prediction) ChangesObjects() bool { return p.keysDiffer || len(p.Leaving) > 0 }

// Strays reports whether the control plane has placed an object on a cluster that the policy does not pick for it.
func (p *Prediction) Strays() bool {
	return slices.ContainsFunc(p.Objects, func(o *Object) bool {
		f, found := p.Fleet.Federated[o.Key()]
		return found && f.Current() && !o.IsNamespace() && slices.ContainsFunc(f.Placed(), func(name string) bool {
			c := p.Cluster(name)
			return c != nil && c.takesPart() && !c.picked[o.Key()]
		})
	})
}

// PreferencesChanged reports whether the preferred clusters differ from those in the annotation of a placed object. The scheduler considers preferences only
// when it reschedules.
func (p *Prediction) PreferencesChanged() bool {
	want, err := convert.AffinityAnnotation(*p.Spec.Policy)
	return err == nil && slices.ContainsFunc(p.Objects, func(o *Object) bool {
		_, placed := p.Fleet.Federated[o.Key()]
		return placed && !o.IsNamespace() && o.Live != nil && o.Live.GetAnnotations()[v1alpha1.AffinityAnnotation] != want
	})
}

// releases reports whether an apply releases an object. It does not release a container that is kept.
func (p *Prediction) releases() bool {
	return slices.ContainsFunc(p.Leaving, func(f convert.Federated) bool { return !p.holds(f.Identifier().Key()) })
}

// stale reports whether the record lists an object that no manifest contains any more. It ignores a container that is kept: the container remains in the
// record, so that a later apply deletes it.
func (p *Prediction) stale() bool {
	for key := range host.MadeBy(p.Fleet.PolicyLive) {
		if !p.makes(key) && !p.holds(key) {
			return true
		}
	}
	return false
}
