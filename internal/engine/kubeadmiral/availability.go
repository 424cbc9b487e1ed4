package kubeadmiral

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/rollout"
)

var serviceKind = schema.GroupVersionKind{Version: "v1", Kind: "Service"}

// collected returns the fields that the host has collected from the objects on members, by object and cluster.
func (e *Engine) collected(ctx context.Context, a *account) (map[key]map[string]*unstructured.Unstructured, error) {
	out := map[key]map[string]*unstructured.Unstructured{}
	scopes := map[string]bool{}
	byName := map[engine.Reference]key{}
	for k, f := range a.federated {
		if config, known := a.types[f.Identifier().GroupVersionKind()]; !known || !collectsStatus(config) {
			continue
		}
		scopes[f.Namespace] = true
		byName[engine.Reference{Namespace: f.Namespace, Name: f.Name}] = k
	}
	for namespace := range scopes {
		kind := v1alpha1.CollectedStatusKind
		if namespace == "" {
			kind = v1alpha1.ClusterCollectedStatusKind
		}
		found, err := host.List[v1alpha1.CollectedStatus](ctx, e.clusters.Hub, kind, namespace, "")
		if err != nil {
			return nil, err
		}
		for _, s := range found {
			k, ours := byName[engine.Reference{Namespace: s.Namespace, Name: s.Name}]
			if !ours {
				continue
			}
			out[k] = map[string]*unstructured.Unstructured{}
			for _, c := range s.Clusters {
				if u := asObject(a.federated[k].Identifier(), c.CollectedFields.Raw); u != nil {
					out[k][c.Cluster] = u
				}
			}
		}
	}
	return out, nil
}

func asObject(id manifest.Identifier, fields []byte) *unstructured.Unstructured {
	if len(fields) == 0 || string(fields) == "null" {
		return nil
	}
	u := &unstructured.Unstructured{}
	if err := unmarshal(fields, &u.Object); err != nil || u.Object == nil {
		return nil
	}
	u.SetGroupVersionKind(id.GroupVersionKind())
	u.SetNamespace(id.Namespace)
	u.SetName(id.Name)
	addresses(u)
	return u
}

// addresses sets spec.clusterIPs of a Service from spec.clusterIP, because a host collects only spec.clusterIP.
func addresses(u *unstructured.Unstructured) {
	ip, _, _ := unstructured.NestedString(u.Object, "spec", "clusterIP")
	if u.GroupVersionKind() != serviceKind || ip == "" {
		return
	}
	if _, found, _ := unstructured.NestedStringSlice(u.Object, "spec", "clusterIPs"); !found {
		_ = unstructured.SetNestedStringSlice(u.Object, []string{ip}, "spec", "clusterIPs")
	}
}

// collectsStatus reports whether a host collects any fields from objects of a kind.
func collectsStatus(config v1alpha1.FederatedTypeConfig) bool {
	return config.Spec.StatusCollection != nil && config.Spec.StatusCollection.Enabled
}

// collectsAvailability reports whether a host collects all fields that determine the availability of objects of a kind.
func collectsAvailability(config v1alpha1.FederatedTypeConfig) bool {
	collected, source := config.Spec.StatusCollection, config.Spec.SourceType
	if !collectsStatus(config) {
		return false
	}
	fields := rollout.Fields(schema.GroupVersionResource{Group: source.Group, Version: source.Version, Resource: source.PluralName})
	return !slices.ContainsFunc(fields, func(field string) bool {
		return !slices.ContainsFunc(collected.Fields, func(read string) bool {
			return read == field || strings.HasPrefix(field, read+".") || read == "spec.clusterIP" && field == "spec.clusterIPs"
		})
	})
}

// await adds the objects that are applied but not available yet to out, and counts the untracked objects of the cluster. An object is untracked if its kind
// has no rule for availability, or if its availability depends on fields that the host does not collect. Until the host has collected the fields of an
// object from the member, the object counts as not available, and await sets a.unread.
func (a *account) await(out *placement.ClusterOutcome, c expected, collected map[key]map[string]*unstructured.Unstructured) {
	if !out.Scheduled {
		return
	}
	for _, id := range a.objects {
		f, known := a.federated[id.Key()]
		state, _, _ := f.On(c.name)
		config := a.types[id.GroupVersionKind()]
		if !known || !c.places(id.Key()) || state != convert.SyncDone || !f.Current() {
			continue
		}
		resource := config.Spec.SourceType.PluralName
		if !rollout.DependsOnContent(id.GroupVersionKind().GroupVersion().WithResource(resource)) {
			u := &unstructured.Unstructured{}
			u.SetGroupVersionKind(id.GroupVersionKind())
			if availability, _ := rollout.AvailabilityOf(u, resource); availability == rollout.NotTrackable {
				out.Untracked++
			}
			continue
		}
		if !collectsAvailability(config) {
			out.Untracked++
			continue
		}
		u := collected[id.Key()][c.name]
		if u == nil {
			a.unread = true
			out.Waiting = append(out.Waiting, waiting(id, "the host has not read it from the member yet"))
			continue
		}
		switch availability, message := rollout.AvailabilityOf(u, resource); availability {
		case rollout.NotTrackable:
			out.Untracked++
		case rollout.NotYet, rollout.Failed:
			out.Waiting = append(out.Waiting, waiting(id, message))
		case rollout.Available:
		}
	}
}

func waiting(id manifest.Identifier, message string) placement.FailedPlacement {
	return placement.FailedPlacement{Identifier: id, Condition: placement.Condition{
		Type: placement.Available, Status: placement.False, Reason: "ManifestNotAvailableYet", Message: "Manifest is not yet available (" + message + ")",
	}}
}
