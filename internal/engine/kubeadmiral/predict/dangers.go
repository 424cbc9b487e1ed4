package predict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/dispatch"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

var whenToTakeOver = placement.At("strategy").Attribute("apply_strategy").Attribute("when_to_take_over")

// dangers returns the unexpected effects that the placement has on a host.
func (p *Prediction) dangers() []engine.Danger {
	if p.Removing {
		return nil
	}
	var out []engine.Danger
	for _, find := range []func() *engine.Danger{p.suspended, p.recreates, p.deschedules, p.overwrites, p.placesNamespace, p.refusesJob, p.pinsRevision, p.addsOrphanAnnotation, p.bringsFollowers} {
		if danger := find(); danger != nil {
			out = append(out, *danger)
		}
	}
	titles := map[string]bool{}
	for _, found := range convert.OfPlacement(convert.Placed{Namespace: p.Placement.Namespace, Name: p.Placement.Name, Spec: p.Placement.Spec}) {
		if found.Fidelity == convert.Lossy && !titles[found.Title] {
			titles[found.Title] = true
			out = append(out, engine.Danger{Path: found.Path, Title: found.Title, Message: found.Note})
		}
	}
	return out
}

// suspended reports that an apply was interrupted between the first and the last of its writes: the host cluster schedules nothing of the placement.
func (p *Prediction) suspended() *engine.Danger {
	if p.Fleet.Policy == nil || !convert.IsSuspended(p.Fleet.Policy.Spec) {
		return nil
	}
	return &engine.Danger{Path: placement.At("policy"), Title: "scheduling is suspended", Message: fmt.Sprintf(
		"An earlier apply did not complete: the policy %q on the host cluster still has the schedulingProfile %s, so that KubeAdmiral places none of its changes. "+
			"The next apply continues and removes it.", p.Placement.Reference, p.Fleet.Policy.Spec.SchedulingProfile)}
}

// recreates reports that objects are being deleted on the host.
func (p *Prediction) recreates() *engine.Danger {
	objects := p.deleted()
	if len(objects) == 0 {
		return nil
	}
	return &engine.Danger{Path: placement.At("manifests"), Title: "objects are being deleted on the host cluster", Message: fmt.Sprintf(
		"The deletion of these objects on the host cluster is in progress: %s. KubeAdmiral first deletes them on every member that does not keep them. The apply waits "+
			"until they are gone on the host cluster, then creates them again.", engine.Some(objects))}
}

// deschedules reports that the host deletes objects on clusters that are no longer picked, including taken-over objects.
func (p *Prediction) deschedules() *engine.Danger {
	for _, c := range p.Clusters {
		for _, o := range c.Leftovers {
			if o.Action == takeover.ActionPrune && o.Live != nil && dispatch.Adopted(o.Live) {
				return &engine.Danger{Path: placement.At("policy"), Title: "what was taken over is deleted", Message: fmt.Sprintf(
					"%s on %q was there before the placement, and is deleted because the cluster is not picked any more: a host keeps what it has taken over only "+
						"when the placement is destroyed, or the object leaves it. Keep the cluster in the policy, or destroy the placement first.", o.Identifier, c.Name)}
			}
		}
	}
	return nil
}

// overwrites reports that the host overwrites objects because they have its label.
func (p *Prediction) overwrites() *engine.Danger {
	for _, c := range p.Clusters {
		if len(c.unasked) > 0 {
			return &engine.Danger{Path: whenToTakeOver, Title: "an object with KubeAdmiral's label is overwritten", Message: fmt.Sprintf(
				"%s on %q has the label kubeadmiral.io/managed=true, of an earlier placement or of another host. It is overwritten whatever when_to_take_over says, and "+
					"deleted with the placement. Take the label off to have it treated as any other object.", c.unasked[0].Identifier, c.Name)}
		}
	}
	return nil
}

// placesNamespace reports that the host creates its Namespaces on every member.
func (p *Prediction) placesNamespace() *engine.Danger {
	for _, o := range p.Objects {
		if !o.IsNamespace() || o.Manifest == nil || o.Live != nil || strings.HasPrefix(o.Name, "kube-") {
			continue
		}
		var others []string
		for _, c := range p.Clusters {
			if !c.decision.Selected {
				others = append(others, c.Name)
			}
		}
		if len(others) == 0 {
			continue
		}
		return &engine.Danger{Path: placement.At("manifests"), Title: "a Namespace is made on every member", Message: fmt.Sprintf(
			"A host places its Namespaces on all members, whatever the policy says: %s is made, or taken over, on %s, too.", o.Identifier, join(others))}
	}
	return nil
}

// refusesJob reports that the control plane sends a Job with a label that every cluster generates itself.
func (p *Prediction) refusesJob() *engine.Danger {
	i := slices.IndexFunc(p.Objects, func(o *Object) bool {
		return o.Group == "batch" && o.Kind == "Job" && o.Outgoing != nil && convert.KeepsGeneratedLabels(o.Outgoing)
	})
	if i < 0 {
		return nil
	}
	return &engine.Danger{Path: placement.At("resource_selectors"), Title: "a Job is refused by the members", Message: fmt.Sprintf(
		"The host's API server has put the label batch.kubernetes.io/controller-uid into %s, and KubeAdmiral sends it along: members refuse the Job. Write "+
			"manualSelector: true with a selector of your own.", p.Objects[i].Identifier)}
}

// pinsRevision reports that two controllers will overwrite each other's annotation endlessly after the next rollout of the Pods.
func (p *Prediction) pinsRevision() *engine.Danger {
	i := slices.IndexFunc(p.Objects, func(o *Object) bool {
		return o.Manifest == nil && o.Live != nil && o.Live.GetAnnotations()[source.RevisionAnnotation] != ""
	})
	if i < 0 {
		return nil
	}
	return &engine.Danger{Path: placement.At("resource_selectors"), Title: "a revision is sent along", Message: fmt.Sprintf(
		"%s has the annotation %s on the host, where nothing rolls it out: it is a copy of another cluster's. The host and the members' controllers would write it "+
			"in turns for ever after the next rollout. Take the annotation off the object on the host.", p.Objects[i].Identifier, source.RevisionAnnotation)}
}
