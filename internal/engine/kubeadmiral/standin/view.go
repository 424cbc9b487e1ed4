package standin

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// view is what is on the host.
type view struct {
	members   []v1alpha1.FederatedCluster
	types     map[schema.GroupVersionKind]v1alpha1.FederatedTypeConfig
	policies  map[string]v1alpha1.PropagationPolicySpec // by label and name, with the namespace before
	sources   []*source
	federated []*federated
	onMembers listed
}

// source is an object that is federated, or is to be no more.
type source struct {
	config v1alpha1.FederatedTypeConfig
	live   *unstructured.Unstructured
	made   *federated
}

// federated is a FederatedObject.
type federated struct {
	convert.Federated
	live   *unstructured.Unstructured
	config v1alpha1.FederatedTypeConfig
	source *source
}

func policyKey(label, namespace, name string) string { return label + " " + namespace + "/" + name }

func (h *Host) view(ctx context.Context) (*view, error) {
	v := &view{
		types: map[schema.GroupVersionKind]v1alpha1.FederatedTypeConfig{}, policies: map[string]v1alpha1.PropagationPolicySpec{},
		onMembers: listed{kinds: map[string]func() (map[string]*unstructured.Unstructured, error){}},
	}
	var err error
	hub := h.set.Hub
	if v.members, err = host.List[v1alpha1.FederatedCluster](ctx, hub, v1alpha1.FederatedClusterKind, "", ""); err != nil {
		return nil, err
	}
	configs, err := host.List[v1alpha1.FederatedTypeConfig](ctx, hub, v1alpha1.FederatedTypeConfigKind, "", "")
	if err != nil {
		return nil, err
	}
	for _, kind := range []string{v1alpha1.ClusterPropagationPolicyKind, v1alpha1.PropagationPolicyKind} {
		policies, err := host.List[v1alpha1.PropagationPolicy](ctx, hub, kind, "", "")
		if err != nil {
			return nil, err
		}
		for _, p := range policies {
			v.policies[policyKey(convert.PolicyLabelOf(p.Namespace), p.Namespace, p.Name)] = p.Spec
		}
	}
	if err := h.readFederated(ctx, v); err != nil {
		return nil, err
	}
	for _, config := range configs {
		from := config.Spec.SourceType
		v.types[schema.GroupVersionKind{Group: from.Group, Version: from.Version, Kind: from.Kind}] = config
	}
	return v, h.readSources(ctx, v)
}

func (h *Host) readFederated(ctx context.Context, v *view) error {
	for _, kind := range []string{v1alpha1.FederatedObjectKind, v1alpha1.ClusterFederatedObjectKind} {
		found, err := h.set.Hub.List(ctx, v1alpha1.GroupVersion.WithKind(kind), "", "")
		if err != nil {
			return err
		}
		for _, u := range found {
			o, err := convert.Decode[v1alpha1.FederatedObject](u)
			if err != nil {
				return err
			}
			v.federated = append(v.federated, &federated{Federated: convert.NewFederated(*o), live: u})
		}
	}
	return nil
}

func (h *Host) readSources(ctx context.Context, v *view) error {
	for gvk, config := range v.types {
		byName := map[string]*federated{}
		for _, f := range v.federated {
			if f.Identifier().GroupVersionKind() == gvk {
				f.config = config
				byName[f.Namespace+"/"+f.Name] = f
			}
		}
		all, err := h.set.Hub.List(kube.ReadAnew(ctx), gvk, "", "")
		if kube.IsUnknownKind(err) {
			continue
		}
		if err != nil {
			return err
		}
		for _, live := range all {
			f := byName[live.GetNamespace()+"/"+convert.FederatedName(live.GetName(), config.Name)]
			labelled := live.GetLabels()[v1alpha1.ClusterPolicyLabel] != "" || live.GetLabels()[v1alpha1.PolicyLabel] != ""
			if f == nil && !labelled && (gvk.Kind != "Namespace" || system(live.GetName())) && !has(live.GetFinalizers(), v1alpha1.FederateFinalizer) {
				continue
			}
			s := &source{config: config, live: live, made: f}
			v.sources = append(v.sources, s)
			if f != nil {
				f.source = s
			}
		}
	}
	return nil
}

func system(name string) bool {
	return strings.HasPrefix(name, "kube-") || name == "default" || name == "fleet-system"
}

func has(list []string, item string) bool {
	for _, other := range list {
		if other == item {
			return true
		}
	}
	return false
}
