package direct

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// fetch reads the live objects. It returns an error if the cluster does not answer; an object that cannot be looked at is that object's
// trouble.
func (c *clusterPlan) fetch(ctx context.Context, p *plan) error {
	refs, seen := map[kube.Ref][]*item{}, map[kube.Ref]kube.Seen{}
	for _, i := range c.all() {
		ref, err := c.locate(ctx, i)
		switch {
		case kube.IsUnknownKind(err):
			i.unserved(p)
		case silent(err):
			return reached(c.name, err)
		case err != nil:
			i.overlook(err)
		case i.Action != engine.ActionRefuse:
			refs[ref] = append(refs[ref], i)
			if i.glances(p) {
				seen[ref] = kube.Seen{UID: i.entry.UID, ResourceVersion: i.entry.ResourceVersion}
			}
		}
	}
	maps.DeleteFunc(seen, func(ref kube.Ref, _ kube.Seen) bool { return len(refs[ref]) > 1 }) // another may need all of it
	found, errs := c.cluster.GetChanged(ctx, slices.Collect(maps.Keys(refs)), seen)
	for ref, err := range errs {
		if silent(err) {
			return reached(c.name, err)
		}
		for _, i := range refs[ref] {
			if kube.IsUnknownKind(err) { // it was served a moment ago
				i.mapping = kube.Mapping{}
				i.unserved(p)
				continue
			}
			i.overlook(err)
		}
	}
	for ref, live := range found {
		for _, i := range refs[ref] {
			i.live, i.Exists = live, true
			i.same = seen[ref] != (kube.Seen{}) && seen[ref] == kube.Seen{UID: string(live.GetUID()), ResourceVersion: live.GetResourceVersion()}
		}
	}
	return nil
}

// glances tells whether it is enough to know that the object is what the last apply left there.
func (i *item) glances(p *plan) bool {
	strategy := p.strategy()
	switch {
	case i.desired == nil || i.entry.ResourceVersion == "" || i.entry.Hash != i.hash:
		return false
	case strategy.Type == placement.ReportDiff || strategy.ComparisonOption == placement.FullComparison:
		return false
	default:
		return p.purpose == previewing || p.purpose == reading && !rollout.DependsOnContent(i.mapping.GVR)
	}
}

// locate finds out where the cluster has an object. A manifest whose namespace does not fit its kind is refused.
func (c *clusterPlan) locate(ctx context.Context, i *item) (kube.Ref, error) {
	ref := kube.Ref{GVK: i.GroupVersionKind(), Name: i.Name}
	mapping, err := c.cluster.Resolve(ctx, ref.GVK)
	if kube.IsUnknownKind(err) && i.desired == nil {
		// The version of the API that an object was placed with may be gone; the object is not.
		if other, found := c.otherVersion(ctx, ref.GVK); found {
			ref.GVK = other
			mapping, err = c.cluster.Resolve(ctx, other)
		}
	}
	if err != nil {
		return ref, err
	}
	i.mapping = mapping
	if problem := i.scopeProblem(); problem != "" && i.desired != nil {
		i.refuse(reasonDecodingErred, problem)
	}
	if mapping.Namespaced {
		ref.Namespace = i.Namespace
	}
	return ref, nil
}

func (c *clusterPlan) otherVersion(ctx context.Context, gvk schema.GroupVersionKind) (schema.GroupVersionKind, bool) {
	kinds, err := c.cluster.Kinds(ctx)
	if err != nil {
		return gvk, false
	}
	for _, kind := range kinds {
		if kind.Group == gvk.Group && kind.Kind == gvk.Kind {
			return kind.GVK(), true
		}
	}
	return gvk, false
}

// unserved notes that the cluster does not serve the object's kind: then it has no such object, and one that is to be placed there must
// bring the kind with it.
func (i *item) unserved(p *plan) {
	if i.desired != nil && !p.definesKind(i.GroupVersionKind()) {
		i.refuse(reasonDecodingErred, fmt.Sprintf("failed to decode manifest: failed to find GVR from member cluster "+
			"client REST mapping: the cluster does not serve kind %s of %s", i.Kind, i.GroupVersionKind().GroupVersion()))
	}
}

// overlook notes that the object could not be looked at.
func (i *item) overlook(err error) {
	i.unseen = err
	i.refuse("FailedToFindObjInMemberCluster", err.Error())
}

// definesKind tells whether the placement brings the definition of a kind with it, and in that version.
func (p *plan) definesKind(gvk schema.GroupVersionKind) bool {
	for _, object := range p.content.objects {
		if object.Kind != definitionKind.Kind || object.Group != definitionKind.Group {
			continue
		}
		if definedKind(object.Content) != gvk.GroupKind() {
			continue
		}
		versions, _, _ := unstructured.NestedSlice(object.Content.Object, "spec", "versions")
		for _, version := range versions {
			if fields, ok := version.(map[string]any); ok && fields["name"] == gvk.Version {
				return true
			}
		}
	}
	return false
}

var definitionKind = schema.GroupKind{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}

// definedKind is the kind that a CustomResourceDefinition defines.
func definedKind(definition *unstructured.Unstructured) schema.GroupKind {
	group, _, _ := unstructured.NestedString(definition.Object, "spec", "group")
	kind, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "kind")
	return schema.GroupKind{Group: group, Kind: kind}
}
