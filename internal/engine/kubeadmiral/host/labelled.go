package host

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Labelled returns the objects on the host that have the label of a policy, even if they do not have FederatedObjects any more. kinds are the kinds that the
// host places: Labelled lists all of them or, for a namespaced policy, all namespaced ones. known are the kinds of the placement's known objects. If the
// credentials do not allow Labelled to list a kind in known, it returns a [*ForbiddenKindError]. If they do not allow it to list any other kind, it skips
// the kind and adds its resource to unsearched.
func Labelled(
	ctx context.Context, host *kube.Cluster, of engine.Reference, kinds map[schema.GroupVersionKind]v1alpha1.FederatedTypeConfig, known map[schema.GroupKind]bool,
) (found []*unstructured.Unstructured, unsearched []string, err error) {
	for _, gvk := range slices.SortedFunc(maps.Keys(kinds), func(a, b schema.GroupVersionKind) int { return cmp.Compare(a.String(), b.String()) }) {
		source := kinds[gvk].Spec.SourceType
		if of.Namespace != "" && source.Scope != "Namespaced" {
			continue
		}
		objects, err := controlplane.ReadList(ctx, host, gvk, of.Namespace, convert.PolicyLabelOf(of.Namespace)+"="+of.Name)
		resource := schema.GroupResource{Group: source.Group, Resource: source.PluralName}.String()
		switch {
		case kube.IsForbidden(err) && known[gvk.GroupKind()]:
			return nil, nil, &ForbiddenKindError{Host: host.Name(), Kind: gvk.Kind, Resource: resource, Namespace: of.Namespace, Err: err}
		case kube.IsForbidden(err):
			unsearched = append(unsearched, resource)
		case err != nil && !kube.IsUnknownKind(err):
			return nil, nil, err
		}
		found = append(found, objects...)
	}
	return found, unsearched, nil
}

// ForbiddenKindError is returned when the credentials do not allow the provider to list a kind, and a placement has objects of that kind.
type ForbiddenKindError struct {
	Host, Kind, Resource, Namespace string
	Err                             error
}

func (e *ForbiddenKindError) Error() string {
	where := "in all namespaces"
	if e.Namespace != "" {
		where = "in the namespace " + e.Namespace
	}
	return fmt.Sprintf("the placement has objects of the kind %s, and the credentials for %q may not list them. Nothing was released: an object with the "+
		"label of a deleted policy would remain on the members permanently. Allow the verb \"list\" on %s %s, and try again", e.Kind, e.Host, e.Resource, where)
}

// Unwrap returns the error of the host.
func (e *ForbiddenKindError) Unwrap() error { return e.Err }
