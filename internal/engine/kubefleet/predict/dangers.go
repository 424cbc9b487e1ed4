package predict

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/memberpreview"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

func (p *Prediction) dangers() []engine.Danger {
	if p.Removing {
		return nil
	}
	var out []engine.Danger
	for _, find := range []func() *engine.Danger{
		p.namespaceTakeoverDanger, p.reportOwnershipDanger, p.selfConflictDanger, p.replicasResetDanger, p.jobComparisonDanger, p.serviceComparisonDanger, p.closedEnvelopeDanger, p.placedClaimsDanger,
		p.ignoredOverrideDanger, p.formerStrategyDanger, p.movedObjectsDanger, p.keptFieldsDanger,
		p.deniedHandOverDanger, p.stoppedAgentDanger,
	} {
		if danger := find(); danger != nil {
			out = append(out, *danger)
		}
	}
	return out
}

var applyStrategy = placement.At("strategy").Attribute("apply_strategy")

// namespaceTakeoverDanger warns that a hub later deletes a taken-over Namespace with all its objects, regardless of who created them.
func (p *Prediction) namespaceTakeoverDanger() *engine.Danger {
	for _, c := range p.Clusters {
		i := slices.IndexFunc(c.Items, func(o *memberpreview.Object) bool {
			return o.IsNamespace() && o.Action == takeover.ActionTakeOver
		})
		if i < 0 {
			continue
		}
		doing := "If the placement is destroyed or no longer selects the Namespace"
		if p.RetainsObjects() {
			doing = "If the placement no longer selects the Namespace"
		}
		return &engine.Danger{Path: placement.At("resource_selectors"), Title: "the placement takes over a pre-existing Namespace", Message: fmt.Sprintf(
			"The %s on %q will belong to the placement. %s, the hub deletes it with everything in it, including objects that are not taken over and objects that "+
				"others created. With when_to_take_over = \"Never\", the Namespace is not "+
				"taken over, and new objects are still created in it. The plan of a destroy counts the deleted objects.", c.Items[i].Identifier, c.Name, doing)}
	}
	return nil
}

func (p *Prediction) reportOwnershipDanger() *engine.Danger {
	apply := p.Spec.Strategy.ApplyStrategy
	if apply.Type != placement.ReportDiff || apply.WhenToTakeOver == placement.TakeOverNever {
		return nil
	}
	return &engine.Danger{Path: applyStrategy.Attribute("when_to_take_over"), Title: "the report takes ownership", Message: fmt.Sprintf(
		"With type = \"ReportDiff\" and when_to_take_over = %q, the member agents take ownership of the objects that they only report on. If the "+
			"placement is destroyed, they delete these objects. Set when_to_take_over = \"Never\" for a report without changes.", apply.WhenToTakeOver)}
}

// selfConflictDanger warns about conflicts of the agent with itself. When the agent creates an object, the API server records its fields in managedFields with
// the operation Update. Once a controller has written to the object, a server-side apply by which the agent changes these fields conflicts with that record.
func (p *Prediction) selfConflictDanger() *engine.Danger {
	apply := p.Spec.Strategy.ApplyStrategy
	if apply.Type != placement.ServerSideApply || *apply.ServerSideApplyConfig.Force {
		return nil
	}
	workload := p.find(func(o source.Object) bool {
		return o.Group == "apps" && (o.Kind == "Deployment" || o.Kind == "StatefulSet")
	})
	if workload == nil {
		return nil
	}
	return &engine.Danger{Path: applyStrategy.Attribute("server_side_apply_config"), Title: "the first change of a workload will fail",
		Message: fmt.Sprintf(
			"Without force, the first change of a Deployment or StatefulSet that the member agent has created, such as %s, fails, because the agent "+
				"conflicts with itself. Write server_side_apply_config = { force = true }, or type = \"ClientSideApply\".", workload)}
}

// replicasResetDanger warns that the agent resets replicas that an autoscaler sets: the hub stores 1 if the manifest of a Deployment omits replicas.
func (p *Prediction) replicasResetDanger() *engine.Danger {
	for _, c := range p.Clusters {
		for _, item := range c.Items {
			if item.Envelope != nil {
				continue
			}
			for _, d := range item.Differences {
				if d.Autoscaled() && item.Action.Writes() {
					return &engine.Danger{Path: placement.At("resource_selectors"), Title: "an autoscaler is overruled", Message: fmt.Sprintf(
						"An autoscaler sets replicas of %s on %q, and the member agent resets this field with every apply. The hub stores 1 for a Deployment without "+
							"replicas. Put the object into an envelope, in which replicas can be omitted.", item.Identifier, c.Name)}
				}
			}
		}
	}
	return nil
}

// jobComparisonDanger warns that a comparison of a Job that is selected on the hub always finds a difference. The API server of each cluster generates labels
// in the selector and in the Pod template of a Job, unless manualSelector is true. The hub removes the labels that its own API server generated. The dry run of
// a partial comparison then fails, because a server-side apply replaces the selector as a whole, and the selector is immutable. The agent compares all fields
// instead, and finds the labels of the member. (KubeFleet, pkg/controllers/workapplier: partialDiffBetweenManifestAndInMemberClusterObjects.)
func (p *Prediction) jobComparisonDanger() *engine.Danger {
	if p.Spec.Strategy.ApplyStrategy.WhenToTakeOver != placement.TakeOverIfNoDiff {
		return nil
	}
	job := p.find(func(o source.Object) bool {
		manual, _, _ := unstructured.NestedBool(o.Content.Object, "spec", "manualSelector")
		return o.Group == "batch" && o.Kind == "Job" && o.Envelope == nil && !manual
	})
	if job == nil {
		return nil
	}
	return &engine.Danger{Path: applyStrategy.Attribute("when_to_take_over"), Title: "an equal Job is not taken over", Message: fmt.Sprintf(
		"A Job that is selected on the hub, such as %s, is never taken over under IfNoDiff, even if the Job on the member is equal. The hub places it without the labels that "+
			"each cluster generates in the selector of a Job. Put the Job into an envelope.", job)}
}

// serviceComparisonDanger warns that a full comparison of a Service always finds a difference, because each cluster allocates its own addresses.
func (p *Prediction) serviceComparisonDanger() *engine.Danger {
	apply := p.Spec.Strategy.ApplyStrategy
	if !apply.ComparisonOption.ComparesAllFields() {
		return nil
	}
	service := p.find(func(o source.Object) bool {
		address, _, _ := unstructured.NestedString(o.Content.Object, "spec", "clusterIP")
		kind, _, _ := unstructured.NestedString(o.Content.Object, "spec", "type")
		return o.Group == "" && o.Kind == "Service" && address != "None" && kind != "ExternalName" // these have no cluster IPs
	})
	if service == nil {
		return nil
	}
	return &engine.Danger{Path: applyStrategy.Attribute("comparison_option"), Title: "a Service always differs", Message: fmt.Sprintf(
		"Under FullComparison, a Service such as %s always differs, because its cluster allocates addresses: it is never taken over under "+
			"IfNoDiff, and is always drifted once it is placed. Use PartialComparison.", service)}
}

// closedEnvelopeDanger warns that KubeFleet hubs of this API do not extract ConfigMaps that are marked as envelopes.
func (p *Prediction) closedEnvelopeDanger() *engine.Danger {
	found := p.find(func(o source.Object) bool {
		return o.Group == "" && o.Kind == "ConfigMap" && o.Content.GetAnnotations()[envelope.Annotation] != ""
	})
	if found == nil {
		return nil
	}
	return &engine.Danger{Path: placement.At("resource_selectors"), Title: "an envelope stays closed", Message: fmt.Sprintf(
		"%s is marked as an envelope, but hubs of this API do not extract such ConfigMaps. They place the ConfigMap itself, and its contents have "+
			"no effect. Use a ResourceEnvelope or ClusterResourceEnvelope; fleet_envelope_configmap writes them.", found)}
}

// placedClaimsDanger warns that PersistentVolumeClaims which the hub's own controller created for a StatefulSet are placed, too, because a Namespace is
// selected with all its objects.
func (p *Prediction) placedClaimsDanger() *engine.Danger {
	var claims []string
	for _, o := range p.Content.Objects {
		if o.Group != "apps" || o.Kind != "StatefulSet" {
			continue
		}
		templates, _, _ := unstructured.NestedSlice(o.Content.Object, "spec", "volumeClaimTemplates")
		for _, template := range templates {
			fields, _ := template.(map[string]any)
			name, _, _ := unstructured.NestedString(fields, "metadata", "name")
			prefix := name + "-" + o.Name + "-"
			claim := p.find(func(c source.Object) bool {
				return c.Kind == "PersistentVolumeClaim" && c.Namespace == o.Namespace && strings.HasPrefix(c.Name, prefix)
			})
			if claim != nil {
				claims = append(claims, claim.String())
			}
		}
	}
	if len(claims) == 0 {
		return nil
	}
	return &engine.Danger{Path: placement.At("resource_selectors"), Title: "volume claims of the hub are placed", Message: fmt.Sprintf(
		"%s was created on the hub by the hub's StatefulSet controller, and is placed as well. Put the StatefulSet into an envelope, so that the hub "+
			"does not run it.", claims[0])}
}

// ignoredOverrideDanger warns about a change of an override that names no placement, and about a change of member labels by which overrides select. A hub
// applies such a change only when it has another reason to update the placement.
func (p *Prediction) ignoredOverrideDanger() *engine.Danger {
	if p.ContentChanges || p.Spec.Strategy.Type != placement.RollingUpdateStrategy {
		return nil
	}
	for _, c := range p.Clusters {
		changed := c.changedOverrides()
		if len(changed) == 0 || c.binding == nil || !c.placed || c.overridesChange() {
			continue
		}
		message := fmt.Sprintf("The %s names no placement. The hub applies a change of such an override to %q, which already has the placement, only together with "+
			"another change of the placement, such as new content. Name the placement in the override: placement = { name = %q }.",
			changed[0].Reference, c.Name, p.Placement.Name)
		if !c.rewrites(changed[0].Reference) {
			message = fmt.Sprintf("The change of the labels of %q changes whether the %s applies to this member. The hub does not update a member that already has the placement, "+
				"unless the placement changes in another way. Change an object that the placement selects, too.", c.Name, changed[0].Reference)
		}
		return &engine.Danger{Path: placement.At("name"), Title: "a change of an override may stay without effect", Message: message}
	}
	return nil
}

func (p *Prediction) find(is func(source.Object) bool) *source.Object {
	i := slices.IndexFunc(p.Content.Objects, is)
	if i < 0 {
		return nil
	}
	return &p.Content.Objects[i]
}

// movedObjectsDanger warns that an object that moves to another envelope is deleted and recreated. Each envelope becomes a separate Work, and agents do not
// take over an object of another Work.
func (p *Prediction) movedObjectsDanger() *engine.Danger {
	for _, c := range p.Clusters {
		for _, item := range c.Items {
			if item.Action != takeover.ActionReplace || c.vanishing[item.Key()] == nil {
				continue
			}
			return &engine.Danger{Path: placement.At("resource_selectors"), Title: "an object that moves is deleted first", Message: fmt.Sprintf(
				"The %s on %q is deleted and recreated with all its data and contents, because %s: member agents handle each envelope separately, "+
					"and take over nothing from another envelope. Keep it in its envelope, with the same name and wire_format, or back up its data first. An "+
					"object with another owner on the cluster is not deleted, and is taken over with allow_co_ownership = "+
					"true.", item.Identifier, c.Name, item.Problem)}
		}
	}
	return nil
}

// formerStrategyDanger warns that the members first apply the new content of an envelope with the former apply strategy. The run writes the envelope first,
// and its content takes effect immediately. Then the run writes the placement with the new strategy.
func (p *Prediction) formerStrategyDanger() *engine.Danger {
	if p.Fleet.Placement == nil {
		return nil
	}
	was := convert.ToPlacementSpec(p.Fleet.Placement.Spec).Defaulted().Strategy.ApplyStrategy
	if reflect.DeepEqual(was, p.Spec.Strategy.ApplyStrategy) {
		return nil
	}
	changed := p.changedEnvelopes()
	if len(changed) == 0 {
		return nil
	}
	return &engine.Danger{Path: applyStrategy, Title: "new content is first applied with the current apply strategy", Message: fmt.Sprintf(
		"The same run changes the envelope %q before it changes the placement. The hub places the new content as soon as the envelope is written, with "+
			"the current type = %q and when_to_take_over = %q. This preview does not show objects that are taken over, overwritten or removed before the placement changes. "+
			"Apply the change of apply_strategy in a separate run first.", changed[0], was.Type, was.WhenToTakeOver)}
}

// changedEnvelopes returns the envelopes of the placement that the same run creates or changes.
func (p *Prediction) changedEnvelopes() []string {
	var out []string
	for reference, planned := range p.options.World.Envelopes {
		if planned.Want == nil || planned.Was != nil && reflect.DeepEqual(*planned.Want, *planned.Was) {
			continue
		}
		for _, selected := range p.Content.Selected {
			kind := selected.GroupVersionKind().GroupKind()
			here := selected.Namespace == reference.Namespace || selected.Namespace == ""
			if envelope.IsEnvelopeKind(kind) && here && selected.Name == reference.Name {
				out = append(out, reference.String())
				break
			}
		}
	}
	slices.Sort(out)
	return out
}
