package host

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// PolicyKind returns the kind of a policy: namespaced, or cluster-scoped if namespace is empty.
func PolicyKind(namespace string) string {
	if namespace == "" {
		return v1alpha1.ClusterPropagationPolicyKind
	}
	return v1alpha1.PropagationPolicyKind
}

// dialect describes the API of a host for package controlplane. The API has only one version, so Resolve sends no request, and does not check whether the
// host serves a kind.
var dialect = controlplane.Dialect{
	Product: "KubeAdmiral",
	Resolve: func(_ context.Context, _ *kube.Cluster, kind schema.GroupKind) (schema.GroupVersionKind, error) {
		return kind.WithVersion(v1alpha1.GroupVersion.Version), nil
	},
}

// Get calls [controlplane.Get] on a host.
func Get[T any](ctx context.Context, host *kube.Cluster, kind, namespace, name string) (*T, *unstructured.Unstructured, error) {
	return controlplane.Get[T](ctx, host, dialect, groupKind(kind), namespace, name)
}

// List calls [controlplane.List] on a host.
func List[T any](ctx context.Context, host *kube.Cluster, kind, namespace, labelSelector string) ([]T, error) {
	return controlplane.List[T](ctx, host, dialect, groupKind(kind), namespace, labelSelector)
}

// Names calls [controlplane.Names] on a host.
func Names(ctx context.Context, host *kube.Cluster, kind string, filter engine.Filter) ([]engine.Reference, error) {
	return controlplane.Names(ctx, host, dialect, groupKind(kind), filter)
}

func groupKind(kind string) schema.GroupKind { return v1alpha1.GroupVersion.WithKind(kind).GroupKind() }

// Fleet is the data that a host stores about its members and about the placement of one policy.
type Fleet struct {
	// Members are sorted by name.
	Members []v1alpha1.FederatedCluster
	// Types are the kinds of objects that the host places.
	Types map[schema.GroupVersionKind]v1alpha1.FederatedTypeConfig
	// Policy is the policy, or nil if it does not exist. PolicyLive is the same object, not decoded.
	Policy     *v1alpha1.ClusterPropagationPolicy
	PolicyLive *unstructured.Unstructured
	// ExternalPolicy is the spec of an external policy, with its original reschedulePolicy. It is nil for a policy that the provider created.
	ExternalPolicy *v1alpha1.PropagationPolicySpec
	// Federated are the FederatedObjects with the label of the policy, by the key of the object that they were created from.
	Federated map[manifest.Key]convert.Federated
	// Followers are the objects that follow workloads of the policy to their members.
	Followers map[manifest.Key]Follower
	// Givers are the placements whose objects this one takes over. ReadFleet does not read them.
	Givers []*Giver
}

// ReadFleet reads the members and the placement of a policy.
func ReadFleet(ctx context.Context, host *kube.Cluster, of engine.Reference) (*Fleet, error) {
	out := &Fleet{Types: map[schema.GroupVersionKind]v1alpha1.FederatedTypeConfig{}}
	group, looking := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		out.Members, err = List[v1alpha1.FederatedCluster](looking, host, v1alpha1.FederatedClusterKind, "", "")
		return err
	})
	group.Go(func() error {
		types, err := List[v1alpha1.FederatedTypeConfig](looking, host, v1alpha1.FederatedTypeConfigKind, "", "")
		for _, config := range types {
			source := config.Spec.SourceType
			out.Types[schema.GroupVersionKind{Group: source.Group, Version: source.Version, Kind: source.Kind}] = config
		}
		return err
	})
	group.Go(func() (err error) {
		out.Policy, out.PolicyLive, err = Get[v1alpha1.ClusterPropagationPolicy](looking, host, PolicyKind(of.Namespace), of.Namespace, of.Name)
		out.ExternalPolicy = externalSpec(out.Policy, out.PolicyLive, host.FieldManager(""))
		return err
	})
	group.Go(func() (err error) {
		out.Federated, err = OfPolicy(looking, host, of)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	slices.SortFunc(out.Members, func(a, b v1alpha1.FederatedCluster) int { return cmp.Compare(a.Name, b.Name) })
	var err error
	out.Followers, err = readFollowers(ctx, host, out.Federated)
	return out, err
}

// OfPolicy returns the FederatedObjects of a policy, by the key of the object that they were created from.
func OfPolicy(ctx context.Context, host *kube.Cluster, of engine.Reference) (map[manifest.Key]convert.Federated, error) {
	out := map[manifest.Key]convert.Federated{}
	kinds := []string{v1alpha1.FederatedObjectKind}
	if of.Namespace == "" {
		kinds = append(kinds, v1alpha1.ClusterFederatedObjectKind)
	}
	for _, kind := range kinds {
		found, err := List[v1alpha1.FederatedObject](ctx, host, kind, of.Namespace, convert.PolicyLabelOf(of.Namespace)+"="+of.Name)
		if err != nil {
			return nil, err
		}
		for _, o := range found {
			template := &unstructured.Unstructured{}
			if err := template.UnmarshalJSON(o.Spec.Template.Raw); err != nil {
				continue // an object without a valid template is not placed
			}
			out[manifest.NewObject(template, nil).Key()] = convert.NewFederated(o)
		}
	}
	return out, nil
}

// Sources returns the objects in a namespace of the host that have a FederatedObject, whether or not a policy places them. Each object has the form of the
// template in its FederatedObject.
func Sources(ctx context.Context, host *kube.Cluster, namespace string) ([]manifest.Object, error) {
	found, err := List[v1alpha1.FederatedObject](ctx, host, v1alpha1.FederatedObjectKind, namespace, "")
	if err != nil {
		return nil, err
	}
	var out []manifest.Object
	for _, o := range found {
		template := &unstructured.Unstructured{}
		if err := template.UnmarshalJSON(o.Spec.Template.Raw); err == nil {
			out = append(out, manifest.NewObject(template, nil))
		}
	}
	return out, nil
}

// Member returns the registration of a member, or nil if the member is not registered.
func (f *Fleet) Member(name string) *v1alpha1.FederatedCluster {
	i, found := slices.BinarySearchFunc(f.Members, name, func(m v1alpha1.FederatedCluster, name string) int { return cmp.Compare(m.Name, name) })
	if !found {
		return nil
	}
	return &f.Members[i]
}

// FederatedOf reads the FederatedObject of an object, regardless of labels. It returns nil if there is none.
func FederatedOf(ctx context.Context, host *kube.Cluster, id manifest.Identifier, config v1alpha1.FederatedTypeConfig) (*convert.Federated, error) {
	kind := v1alpha1.FederatedObjectKind
	if id.Namespace == "" {
		kind = v1alpha1.ClusterFederatedObjectKind
	}
	found, _, err := Get[v1alpha1.FederatedObject](ctx, host, kind, id.Namespace, convert.FederatedName(id.Name, config.Name))
	if found == nil || err != nil {
		return nil, err
	}
	return new(convert.NewFederated(*found)), nil
}

// FederatedKind returns the kind of a FederatedObject: namespaced, or cluster-scoped if namespace is empty.
func FederatedKind(namespace string) schema.GroupVersionKind {
	if namespace == "" {
		return v1alpha1.GroupVersion.WithKind(v1alpha1.ClusterFederatedObjectKind)
	}
	return v1alpha1.GroupVersion.WithKind(v1alpha1.FederatedObjectKind)
}

// Objects reads objects of the host. It omits objects that do not exist.
func Objects(ctx context.Context, host *kube.Cluster, ids []manifest.Identifier) (map[manifest.Key]*unstructured.Unstructured, error) {
	refs := make([]kube.Ref, 0, len(ids))
	for _, id := range ids {
		refs = append(refs, kube.Ref{GVK: id.GroupVersionKind(), Namespace: id.Namespace, Name: id.Name})
	}
	found, err := controlplane.ReadMany(ctx, host, refs)
	if err != nil {
		return nil, err
	}
	out := map[manifest.Key]*unstructured.Unstructured{}
	for _, u := range found {
		out[manifest.NewObject(u, nil).Key()] = u
	}
	return out, nil
}

// KeptIn returns the UIDs of the control plane's own objects in a namespace, such as FederatedObjects.
func KeptIn(ctx context.Context, host *kube.Cluster, namespace string) ([]types.UID, error) {
	var out []types.UID
	for _, kind := range []string{v1alpha1.FederatedObjectKind, v1alpha1.CollectedStatusKind, v1alpha1.PropagatedVersionKind} {
		found, err := controlplane.ReadMetadata(ctx, host, v1alpha1.GroupVersion.WithKind(kind), namespace, "")
		if err != nil && !kube.IsUnknownKind(err) && !kube.IsForbidden(err) { // objects that the credentials may not list block the deletion of the namespace
			return nil, err
		}
		for _, object := range found {
			out = append(out, object.UID)
		}
	}
	return out, nil
}

// Reasons returns the latest warnings in the host's events about objects, by object and by the cluster in clusters that the warning names ("" if it names
// none of them). The warnings explain failures, because the status of an object does not contain the reason. If the credentials do not allow Reasons to list
// the events in a namespace, it skips that namespace.
func Reasons(ctx context.Context, host *kube.Cluster, namespaces, clusters []string) (map[manifest.Key]map[string]string, error) {
	out, when := map[manifest.Key]map[string]string{}, map[manifest.Key]map[string]string{}
	for _, namespace := range namespaces {
		events, err := controlplane.ReadList(ctx, host, schema.GroupVersionKind{Version: "v1", Kind: "Event"}, namespace, "")
		if kube.IsForbidden(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, event := range events {
			noteEvent(event, clusters, out, when)
		}
	}
	return out, nil
}

// adoptionWarning is part of the host's warning when it takes over an object.
const adoptionWarning = "An update will be attempted"

// noteEvent adds the message of a warning to out, and its time to when, unless out has a newer message. The message counts for the cluster in clusters that
// it names, or for the cluster "" if it names none. If it names several, the longest name counts.
func noteEvent(event *unstructured.Unstructured, clusters []string, out, when map[manifest.Key]map[string]string) {
	text := func(path ...string) string {
		value, _, _ := unstructured.NestedString(event.Object, path...)
		return value
	}
	message := text("message")
	if text("type") != "Warning" || strings.Contains(message, adoptionWarning) {
		return
	}
	version, err := schema.ParseGroupVersion(text("involvedObject", "apiVersion"))
	if err != nil {
		return
	}
	key := manifest.Key{
		Group: version.Group, Kind: text("involvedObject", "kind"), Namespace: text("involvedObject", "namespace"), Name: text("involvedObject", "name"),
	}
	about := ""
	for _, cluster := range clusters {
		if names(message, cluster) && len(cluster) > len(about) {
			about = cluster
		}
	}
	if _, why, found := strings.Cut(message, " in cluster "+strconv.Quote(about)+": "); found {
		message = why // the caller already reports the operation, the object and the cluster
	}
	time := cmp.Or(text("lastTimestamp"), text("eventTime"), text("metadata", "creationTimestamp"))
	if out[key] == nil {
		out[key], when[key] = map[string]string{}, map[string]string{}
	}
	if when[key][about] <= time {
		out[key][about], when[key][about] = message, time
	}
}

// names reports whether a text contains a name as a word.
func names(text, name string) bool {
	for begin := 0; ; {
		i := strings.Index(text[begin:], name)
		if i < 0 {
			return false
		}
		i, begin = begin+i, begin+i+len(name)
		if !inName(text[:i], true) && !inName(text[begin:], false) {
			return true
		}
	}
}

// inName reports whether the last character of a text, or the first one if end is false, can be part of a name.
func inName(text string, end bool) bool {
	if text == "" {
		return false
	}
	c := text[0]
	if end {
		c = text[len(text)-1]
	}
	return c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z'
}
