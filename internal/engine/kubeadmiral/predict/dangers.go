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

func (p *Prediction) dangers() []engine.Danger {
	if p.Removing {
		return nil
	}
	var out []engine.Danger
	for _, find := range []func() *engine.Danger{p.suspendedDanger, p.recreationDanger, p.descheduleDanger, p.overwriteDanger, p.namespaceDanger, p.rejectedJobDanger, p.revisionDanger, p.orphanAnnotationDanger, p.followersDanger} {
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

// suspendedDanger warns that an apply was interrupted while scheduling was suspended, so that the host schedules no object of the placement.
func (p *Prediction) suspendedDanger() *engine.Danger {
	if p.Fleet.Policy == nil || !convert.IsSuspended(p.Fleet.Policy.Spec) {
		return nil
	}
	return &engine.Danger{Path: placement.At("policy"), Title: "scheduling is suspended", Message: fmt.Sprintf(
		"An earlier apply did not complete. The policy %q on the host cluster still has the schedulingProfile %s, so that KubeAdmiral does not schedule its objects. "+
			"The next apply continues and removes this profile.", p.Placement.Reference, p.Fleet.Policy.Spec.SchedulingProfile)}
}

func (p *Prediction) recreationDanger() *engine.Danger {
	objects := p.deleted()
	if len(objects) == 0 {
		return nil
	}
	return &engine.Danger{Path: placement.At("manifests"), Title: "objects are being deleted on the host cluster", Message: fmt.Sprintf(
		"The deletion of these objects on the host cluster is in progress: %s. KubeAdmiral first deletes them on every member that does not keep them. The apply waits "+
			"until they are deleted on the host cluster, and then creates them again.", engine.Some(objects))}
}

func (p *Prediction) descheduleDanger() *engine.Danger {
	for _, c := range p.Clusters {
		for _, o := range c.Leftovers {
			if o.Action == takeover.ActionPrune && o.Live != nil && dispatch.Adopted(o.Live) {
				return &engine.Danger{Path: placement.At("policy"), Title: "a taken-over object is deleted", Message: fmt.Sprintf(
					"%s on %q is pre-existing, and KubeAdmiral deletes it because the cluster is no longer picked. KubeAdmiral keeps a taken-over object only if the placement "+
						"is destroyed or no longer contains the object. Keep the cluster in the policy, or destroy the placement first.", o.Identifier, c.Name)}
			}
		}
	}
	return nil
}

func (p *Prediction) overwriteDanger() *engine.Danger {
	for _, c := range p.Clusters {
		if len(c.unasked) > 0 {
			return &engine.Danger{Path: whenToTakeOver, Title: "an object with KubeAdmiral's label is overwritten", Message: fmt.Sprintf(
				"%s on %q has the label kubeadmiral.io/managed=true from an earlier placement or from another host. KubeAdmiral overwrites it under every "+
					"when_to_take_over, and deletes it with the placement. Remove the label so that when_to_take_over applies to the object.", c.unasked[0].Identifier, c.Name)}
		}
	}
	return nil
}

func (p *Prediction) namespaceDanger() *engine.Danger {
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
		return &engine.Danger{Path: placement.At("manifests"), Title: "a Namespace is created on every member", Message: fmt.Sprintf(
			"KubeAdmiral places the Namespaces of the host cluster on all members, regardless of the policy. It also creates %s, or takes it over, on %s.", o.Identifier, join(others))}
	}
	return nil
}

// rejectedJobDanger warns that members reject a Job, because the control plane sends it with a label that each cluster must generate itself.
func (p *Prediction) rejectedJobDanger() *engine.Danger {
	i := slices.IndexFunc(p.Objects, func(o *Object) bool {
		return o.Group == "batch" && o.Kind == "Job" && o.Outgoing != nil && convert.KeepsGeneratedLabels(o.Outgoing)
	})
	if i < 0 {
		return nil
	}
	return &engine.Danger{Path: placement.At("resource_selectors"), Title: "a Job is rejected by the members", Message: fmt.Sprintf(
		"The host cluster's API server has set the label batch.kubernetes.io/controller-uid in %s, and KubeAdmiral copies this label, so that members reject the Job. Set "+
			"manualSelector: true with your own selector.", p.Objects[i].Identifier)}
}

// revisionDanger warns that KubeAdmiral and the Deployment controllers of the members will overwrite each other's revision annotation endlessly after the
// next rollout.
func (p *Prediction) revisionDanger() *engine.Danger {
	i := slices.IndexFunc(p.Objects, func(o *Object) bool {
		return o.Manifest == nil && o.Live != nil && o.Live.GetAnnotations()[source.RevisionAnnotation] != ""
	})
	if i < 0 {
		return nil
	}
	return &engine.Danger{Path: placement.At("resource_selectors"), Title: "a revision is placed", Message: fmt.Sprintf(
		"%s has the annotation %s on the host cluster, where no controller sets it: it was copied from another cluster. After the next rollout, KubeAdmiral "+
			"and the controllers of the members would overwrite each other's value endlessly. Remove the annotation on the host "+
			"cluster.", p.Objects[i].Identifier, source.RevisionAnnotation)}
}
