package fakekubeadmiral

import (
	"context"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/predict"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// view is the state of the host.
type view struct {
	members   []v1alpha1.FederatedCluster
	types     map[schema.GroupVersionKind]v1alpha1.FederatedTypeConfig
	policies  map[string]v1alpha1.PropagationPolicySpec // by policyKey
	sources   []*source
	federated []*federated
	// leaders are the workloads that objects follow, byKey the FederatedObjects by their source.
	leaders map[manifest.Key][]v1alpha1.LeaderReference
	byKey   map[manifest.Key]*federated
	// read are the FederatedObjects by UID, decoded the other KubeAdmiral objects.
	read    map[string]*federated
	decoded decodings
	// candidates are the schedulable members. candidatesHash changes with them.
	candidates     []predict.Candidate
	candidatesHash string
}

// source is an object on the host that has a FederatedObject, needs one, or still has the finalizer of one.
type source struct {
	config v1alpha1.FederatedTypeConfig
	live   *unstructured.Unstructured
	made   *federated
}

// federated is a FederatedObject.
type federated struct {
	convert.Federated
	id     manifest.Identifier
	live   *unstructured.Unstructured
	config v1alpha1.FederatedTypeConfig
	source *source
}

// Identifier returns the identifier of the object on members. It was read from the template once.
func (f *federated) Identifier() manifest.Identifier { return f.id }

func policyKey(label, namespace, name string) string { return label + " " + namespace + "/" + name }

// reader returns the objects of a kind on the host.
type reader func(context.Context, schema.GroupVersionKind) ([]*unstructured.Unstructured, error)

// cached reads objects from the caches.
func (h *Host) cached(ctx context.Context, gvk schema.GroupVersionKind) ([]*unstructured.Unstructured, error) {
	return h.lists.all(ctx, h.set.Hub, gvk)
}

func (h *Host) view(ctx context.Context, read reader) (*view, error) {
	v := &view{
		types: map[schema.GroupVersionKind]v1alpha1.FederatedTypeConfig{}, policies: map[string]v1alpha1.PropagationPolicySpec{}, decoded: decodings{},
	}
	h.mu.Lock()
	last := h.decoded
	h.mu.Unlock()
	var err error
	if v.members, err = decoded[v1alpha1.FederatedCluster](ctx, read, v1alpha1.FederatedClusterKind, last, v.decoded); err != nil {
		return nil, err
	}
	slices.SortFunc(v.members, func(a, b v1alpha1.FederatedCluster) int { return strings.Compare(a.Name, b.Name) })
	if v.candidates, v.candidatesHash, err = candidates(v.members); err != nil {
		return nil, err
	}
	configs, err := decoded[v1alpha1.FederatedTypeConfig](ctx, read, v1alpha1.FederatedTypeConfigKind, last, v.decoded)
	if err != nil {
		return nil, err
	}
	for _, kind := range []string{v1alpha1.ClusterPropagationPolicyKind, v1alpha1.PropagationPolicyKind} {
		policies, err := decoded[v1alpha1.PropagationPolicy](ctx, read, kind, last, v.decoded)
		if err != nil {
			return nil, err
		}
		for _, p := range policies {
			v.policies[policyKey(convert.PolicyLabelOf(p.Namespace), p.Namespace, p.Name)] = p.Spec
		}
	}
	if err := h.readFederated(ctx, read, v); err != nil {
		return nil, err
	}
	if err := v.readLeaders(); err != nil {
		return nil, err
	}
	for _, config := range configs {
		source := config.Spec.SourceType
		v.types[schema.GroupVersionKind{Group: source.Group, Version: source.Version, Kind: source.Kind}] = config
	}
	return v, readSources(ctx, read, v)
}

func (h *Host) readFederated(ctx context.Context, from reader, v *view) error {
	h.mu.Lock()
	last, read := h.read, map[string]*federated{}
	h.mu.Unlock()
	for _, kind := range []string{v1alpha1.FederatedObjectKind, v1alpha1.ClusterFederatedObjectKind} {
		found, err := from(ctx, v1alpha1.GroupVersion.WithKind(kind))
		if err != nil {
			return err
		}
		for _, u := range found {
			f := &federated{live: u}
			if before := last[string(u.GetUID())]; before != nil && before.live.GetResourceVersion() == u.GetResourceVersion() {
				f.Federated, f.id = before.Federated, before.id
			} else {
				o, err := codec.Decode[v1alpha1.FederatedObject](u)
				if err != nil {
					return err
				}
				f.Federated = convert.NewFederated(*o)
				f.id = f.Federated.Identifier()
			}
			read[f.UID] = f
			v.federated = append(v.federated, f)
		}
	}
	v.read = read
	return nil
}

func readSources(ctx context.Context, from reader, v *view) error {
	for gvk, config := range v.types {
		byName := map[string]*federated{}
		for _, f := range v.federated {
			if f.Identifier().GroupVersionKind() == gvk {
				f.config = config
				byName[f.Namespace+"/"+f.Name] = f
			}
		}
		all, err := from(ctx, gvk)
		if kube.IsUnknownKind(err) {
			continue
		}
		if err != nil {
			return err
		}
		for _, live := range all {
			f := byName[live.GetNamespace()+"/"+convert.FederatedName(live.GetName(), config.Name)]
			labelled := live.GetLabels()[v1alpha1.ClusterPolicyLabel] != "" || live.GetLabels()[v1alpha1.PolicyLabel] != ""
			follows := v.leaders[manifest.NewObject(live, nil).Key()] != nil
			if f == nil && !labelled && !follows && (gvk.Kind != "Namespace" || system(live.GetName())) && !has(live.GetFinalizers(), v1alpha1.FederateFinalizer) {
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
