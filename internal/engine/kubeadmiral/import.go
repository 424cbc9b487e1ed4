package kubeadmiral

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/selection"
)

type importer struct {
	fleet *host.Fleet
	spec  placement.Spec
	// objects have the label of the policy. They exclude Namespaces, which are on every member regardless of policies.
	objects []convert.Federated
	// notes describe what the host does not store or a placement cannot express.
	notes []string
}

func (e *Engine) importConfiguration(ctx context.Context, of engine.Reference, fleet *host.Fleet) (placement.Spec, string, error) {
	i := &importer{fleet: fleet}
	for _, k := range slices.SortedFunc(maps.Keys(fleet.Federated), key.Compare) {
		if !isNamespace(k) {
			i.objects = append(i.objects, fleet.Federated[k])
		}
	}
	i.policy()
	i.strategy()
	if err := i.selectors(ctx, e, of); err != nil {
		return placement.Spec{}, "", err
	}
	i.manifests()
	return i.spec, strings.Join(i.notes, ".\n\n"), nil
}

func isNamespace(k key) bool { return k.Group == "" && k.Kind == "Namespace" }

func (i *importer) note(format string, args ...any) {
	i.notes = append(i.notes, fmt.Sprintf(format, args...))
}

func groupBy[T comparable](objects []convert.Federated, of func(convert.Federated) T) map[T][]manifest.Identifier {
	out := map[T][]manifest.Identifier{}
	for _, f := range objects {
		out[of(f)] = append(out[of(f)], f.Identifier())
	}
	return out
}

// policy reads the policy, and the preferred clusters from the annotations of the objects. It omits a policy that has only defaults.
func (i *importer) policy() {
	stored := i.fleet.Policy.Spec
	policy := convert.ToPolicy(stored)
	if external := i.fleet.ExternalPolicy; external != nil {
		live, _, _ := unstructured.NestedMap(i.fleet.PolicyLive.Object, "spec")
		if fields := convert.UnexpressedFields(*external, live); len(fields) > 0 {
			i.note("The policy has fields that a placement cannot express. Applies keep them unchanged: %s", strings.Join(fields, ", "))
		}
		if !convert.ExpressesAffinity(*external) {
			i.note("The cluster_selector_terms of the configuration match more clusters than the clusterAffinity of the policy. The host cluster uses clusterAffinity until " +
				"these terms change, or until preferred clusters are added")
		}
	} else if !convert.SamePolicy(convert.Resume(stored), convert.Policy(&policy)) {
		i.note("The policy has settings that a placement cannot express. The next apply replaces them by the configuration")
	}
	if affinity := i.affinity(); affinity != nil {
		switch policy.PlacementType {
		case placement.PickN:
			policy.Affinity = affinity
		case placement.PickAll: // PickAll picks every matching cluster, so preferences have no effect
			if policy.Affinity = nil; affinity.ClusterAffinity.Required != nil {
				policy.Affinity = &placement.Affinity{ClusterAffinity: &placement.ClusterAffinity{Required: affinity.ClusterAffinity.Required}}
			}
		case placement.PickFixed:
			i.note("The objects restrict the named clusters (annotation %s), which a placement cannot express. The next apply removes this restriction", v1alpha1.AffinityAnnotation)
		}
	}
	if !reflect.DeepEqual(policy, placement.Policy{PlacementType: placement.PickAll}) {
		i.spec.Policy = &policy
	}
}

// affinity returns the affinity that all objects have in their annotations. It returns nil if there is none, or if the annotations differ. Then the affinity
// of the policy applies.
func (i *importer) affinity() *placement.Affinity {
	affinities := groupBy(i.objects, func(f convert.Federated) string { return f.Annotations[v1alpha1.AffinityAnnotation] })
	if len(affinities) > 1 {
		var some []manifest.Identifier
		for text, objects := range affinities {
			if text != "" {
				some = append(some, objects...)
			}
		}
		slices.SortFunc(some, func(a, b manifest.Identifier) int { return a.Key().Compare(b.Key()) })
		i.note("The objects prefer different clusters, but a placement has one preference for all objects. The next apply writes the preference of the configuration to all of them. "+
			"These objects have a preference (annotation %s): %s", v1alpha1.AffinityAnnotation, engine.Some(some))
		return nil
	}
	for text := range affinities {
		affinity, whole := convert.ToAffinity(text)
		if !whole {
			i.note("The objects have cluster preferences that a placement cannot express (annotation %s). The next apply replaces them by the preference of "+
				"the configuration",
				v1alpha1.AffinityAnnotation)
		}
		return affinity
	}
	return nil
}

// strategy reads the takeover and delete strategies. A placement has one strategy for all objects. If any object allows takeovers only on some clusters,
// when_to_take_over is IfNoDiff. Otherwise, it is Always if all objects allow takeovers on every cluster, and Never if they do not. With IfNoDiff, an object
// without a copy to take over allows no takeover either. The delete strategy deletes no more than the host does now. Without objects, the strategy is
// unknown.
func (i *importer) strategy() {
	if len(i.objects) == 0 {
		return
	}
	modes := groupBy(i.objects, func(f convert.Federated) placement.WhenToTakeOver { return convert.TakesOver(f.Annotations) })
	mode := placement.TakeOverNever
	switch {
	case len(modes[placement.TakeOverIfNoDiff]) > 0:
		mode = placement.TakeOverIfNoDiff
	case len(modes[placement.TakeOverAlways]) > 0 && len(modes[placement.TakeOverNever]) == 0:
		mode = placement.TakeOverAlways
	}
	i.takeovers(modes, mode)
	orphans := groupBy(i.objects, func(f convert.Federated) bool { return f.Annotations[v1alpha1.OrphanAnnotation] == v1alpha1.OrphanAll })
	var strategy placement.Strategy
	if mode != placement.TakeOverAlways {
		strategy.ApplyStrategy = &placement.ApplyStrategy{WhenToTakeOver: mode}
	}
	if len(orphans[true]) > 0 {
		strategy.DeleteStrategy = &placement.DeleteStrategy{PropagationPolicy: placement.AbandonObjects}
		if len(orphans[false]) > 0 {
			i.note("Some objects always remain on the members, and these do not: %s. A placement has one propagation_policy; Abandon deletes no more than the "+
				"current settings", engine.Some(orphans[false]))
		}
	}
	if strategy != (placement.Strategy{}) {
		i.spec.Strategy = &strategy
	}
}

// takeovers adds notes if mode, the when_to_take_over of the placement, differs from the takeover settings of some objects. IfNoDiff can result in objects
// that allow no takeover: see strategy. Such objects get a note only if the provider did not create the policy, or if other objects allow takeovers on every
// cluster.
func (i *importer) takeovers(modes map[placement.WhenToTakeOver][]manifest.Identifier, mode placement.WhenToTakeOver) {
	always, none := modes[placement.TakeOverAlways], modes[placement.TakeOverNever]
	if mode == placement.TakeOverAlways {
		return
	}
	if len(always) > 0 {
		i.note("The objects have different takeover settings, and a placement has one when_to_take_over, here %s. These objects are now taken over on every cluster: %s",
			mode, engine.Some(always))
	}
	if mode == placement.TakeOverIfNoDiff && len(none) > 0 && (len(always) > 0 || i.fleet.ExternalPolicy != nil) {
		i.note("These objects are now taken over on no cluster: %s. With when_to_take_over = %q, an apply also takes over their pre-existing copies that have no "+
			"differences, as the plan shows. Set it to %q to prevent this", engine.Some(none), mode, placement.TakeOverNever)
	}
}

// manifests adds a note with the objects that the provider created from manifests, because the host does not store the manifests.
func (i *importer) manifests() {
	var made []manifest.Identifier
	for _, id := range host.MadeBy(i.fleet.PolicyLive) {
		made = append(made, id)
	}
	if len(made) == 0 {
		return
	}
	slices.SortFunc(made, func(a, b manifest.Identifier) int { return a.Key().Compare(b.Key()) })
	i.note("The provider created these objects on the host cluster from manifests, which the host cluster does not store: %s. Add all of them to the "+
		"manifests of the configuration. The next apply deletes the objects that the manifests do not contain, on the host cluster and on the members", engine.Some(made))
}

// selectors sets selectors for the placed objects, including objects that were created from manifests, because selectors also filter manifests. A placement
// that is not namespaced selects whole Namespaces. If there is only one such Namespace and it contains objects that are not placed, the placed objects in it
// are selected one by one. Objects in reserved Namespaces get no selector. If all objects come from manifests, there are no selectors, and all manifests are
// placed.
func (i *importer) selectors(ctx context.Context, e *Engine, of engine.Reference) error {
	made := host.MadeBy(i.fleet.PolicyLive)
	if !slices.ContainsFunc(i.objects, func(f convert.Federated) bool { return !made.Has(f.Identifier()) }) {
		return nil
	}
	var inNone []placement.ResourceSelector
	inside := map[string][]placement.ResourceSelector{}
	for _, f := range i.objects {
		id := f.Identifier()
		s := placement.ResourceSelector{Group: id.Group, Version: id.Version, Kind: id.Kind, Name: id.Name}
		if id.Namespace == "" || of.Namespace != "" {
			inNone = append(inNone, s)
		} else {
			inside[id.Namespace] = append(inside[id.Namespace], s)
		}
	}
	var opened []placement.ResourceSelector
	for _, namespace := range slices.Sorted(maps.Keys(inside)) {
		if selection.ReservedNamespace(namespace) {
			i.note("A fleet_crp cannot select the objects in the Namespace %s: the next apply removes them from the placement. Place them by a "+
				"fleet_resource_placement in that Namespace", namespace)
			continue
		}
		s := placement.ResourceSelector{Version: "v1", Kind: "Namespace", Name: namespace}
		others, err := i.listUnplaced(ctx, e, namespace, s, made)
		switch {
		case err != nil:
			return err
		case len(others) > 0 && len(inside) == 1:
			s.SelectionScope = placement.NamespaceWithResourceSelectors
			opened = append([]placement.ResourceSelector{s}, inside[namespace]...)
			continue
		case len(others) > 0:
			i.note("Some objects of the Namespace %s are not placed: %s. A placement can select single objects from only one Namespace, and places other "+
				"Namespaces completely: the next apply would also place these objects. Split the placement, or do not import it", namespace, engine.Some(others))
		}
		opened = append(opened, s)
	}
	i.spec.ResourceSelectors = slices.Concat(opened, inNone)
	return nil
}

// listUnplaced returns the objects that s, a selector for a whole Namespace, would select although they are not placed now. It omits the objects in made.
func (i *importer) listUnplaced(
	ctx context.Context, e *Engine, namespace string, s placement.ResourceSelector, made host.Made,
) ([]manifest.Identifier, error) {
	sources, err := host.Sources(ctx, e.clusters.Hub, namespace)
	if err != nil {
		return nil, err
	}
	found, err := selection.ResolveManifests([]placement.ResourceSelector{s}, sources, nil)
	if err != nil {
		return nil, err
	}
	var out []manifest.Identifier
	for _, o := range found.Objects {
		if _, placed := i.fleet.Federated[o.Key()]; !placed && !made.Has(o.Identifier) {
			out = append(out, o.Identifier)
		}
	}
	return out, nil
}
