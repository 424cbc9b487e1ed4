package predict

import (
	"context"
	"maps"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/convert"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/dispatch"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/host"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

var namespaceKind = schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}

// NamespaceChanges predicts which Namespaces the host takes over on members that join. As soon as a member is ready, the host places its own Namespaces on
// the member, and takes over pre-existing Namespaces of the same names (pkg/controllers/nsautoprop). NamespaceChanges also predicts which Namespaces the host
// deletes on members that leave (see cascades). It returns nil if there are no such members, or if the host places no Namespaces.
func NamespaceChanges(ctx context.Context, clusters *clusterset.Set, options engine.PreviewOptions) (*engine.Preview, error) {
	members, err := host.List[v1alpha1.FederatedCluster](ctx, clusters.Hub, v1alpha1.FederatedClusterKind, "", "")
	if err != nil {
		return nil, err
	}
	known := map[string]v1alpha1.FederatedCluster{}
	for _, m := range members {
		known[m.Name] = m
	}
	var joining, leaving []string
	for _, name := range slices.Sorted(maps.Keys(options.World.Members)) {
		registered, found := known[name]
		switch wanted := options.World.Members[name].Want != nil; {
		case wanted && !found:
			joining = append(joining, name)
		case !wanted && found && cascades(registered):
			leaving = append(leaving, name)
		}
	}
	if len(joining)+len(leaving) == 0 {
		return nil, nil //nolint:nilnil // see above
	}
	placed, err := placedNamespaces(ctx, clusters)
	if err != nil || len(placed) == 0 {
		return nil, err
	}
	out := &engine.Preview{Placement: engine.HostNamespaces}
	for _, name := range joining {
		out.Clusters = append(out.Clusters, takenNamespaces(ctx, clusters, name, placed, options.Expected))
	}
	for _, name := range leaving {
		out.Clusters = append(out.Clusters, deletedNamespaces(ctx, clusters, name, placed))
	}
	return out, nil
}

func placedNamespaces(ctx context.Context, clusters *clusterset.Set) (map[string]bool, error) {
	types, err := host.List[v1alpha1.FederatedTypeConfig](ctx, clusters.Hub, v1alpha1.FederatedTypeConfigKind, "", "")
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(types, func(t v1alpha1.FederatedTypeConfig) bool {
		return t.Spec.SourceType.Group == "" && t.Spec.SourceType.Kind == namespaceKind.Kind
	})
	if i < 0 {
		return nil, nil
	}
	federated, err := controlplane.ReadMetadata(ctx, clusters.Hub, host.FederatedKind(""), "", "")
	if err != nil {
		return nil, err
	}
	isFederated := map[string]bool{}
	for _, f := range federated {
		isFederated[f.Name] = true
	}
	namespaces, err := controlplane.ReadMetadata(ctx, clusters.Hub, namespaceKind, "", "")
	if err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for _, n := range namespaces {
		// The host also has FederatedObjects for these Namespaces, but does not propagate them.
		excluded := n.Name == metav1.NamespaceDefault || strings.HasPrefix(n.Name, "kube-")
		// The host creates the FederatedObject of a new Namespace shortly after the Namespace. This FederatedObject can exist when the apply runs.
		arrives := n.DeletionTimestamp == nil && n.Annotations[v1alpha1.NoFederatedResourceAnnotation] == ""
		if !excluded && (arrives || isFederated[convert.FederatedName(n.Name, types[i].Name)]) {
			out[n.Name] = true
		}
	}
	return out, nil
}

// namespacesOn reads the Namespaces on a member, and returns a preview with those for which decide returns true. If the member cannot be read, the preview
// has the error.
func namespacesOn(
	ctx context.Context, clusters *clusterset.Set, name string, decide func(*metav1.ObjectMeta) (shown engine.ObjectPreview, is bool),
) engine.ClusterPreview {
	out := engine.ClusterPreview{Name: name}
	member, err := clusters.Member(name)
	if err != nil {
		out.Err, out.CheckMethod = err, engine.CheckOffline
		return out
	}
	found, err := member.ListMetadata(ctx, namespaceKind, "", "")
	if err != nil {
		out.Err, out.CheckMethod = clusterset.Unreachable(name, err), engine.CheckOffline
		return out
	}
	for _, n := range found {
		if shown, is := decide(&n); is {
			shown.Identifier, shown.Exists = manifest.Identifier{Version: "v1", Kind: "Namespace", Name: n.Name}, true
			out.Objects = append(out.Objects, shown)
		}
	}
	return out
}

// takenNamespaces previews the takeover of those placed Namespaces that exist on a member, do not have KubeAdmiral's label yet, and do not opt out.
func takenNamespaces(
	ctx context.Context, clusters *clusterset.Set, name string, placed map[string]bool, expected *engine.Expectation,
) engine.ClusterPreview {
	return namespacesOn(ctx, clusters, name, func(n *metav1.ObjectMeta) (engine.ObjectPreview, bool) {
		taken := engine.ObjectPreview{Action: takeover.ActionTakeOver, Mark: engine.Mark(n.UID, nil, "")}
		key := manifest.Key{Kind: namespaceKind.Kind, Name: n.Name}
		if problem := expected.Contradicts(name, key, taken.Mark); problem != "" {
			taken = withDecision(taken, takeover.NotAgreed(problem))
		}
		return taken, placed[n.Name] && !dispatch.Managed(n) && !dispatch.OptsOut(n)
	})
}

// deletedNamespaces previews the deletion of those placed Namespaces on a member that the host has created there.
func deletedNamespaces(ctx context.Context, clusters *clusterset.Set, name string, placed map[string]bool) engine.ClusterPreview {
	return namespacesOn(ctx, clusters, name, func(n *metav1.ObjectMeta) (engine.ObjectPreview, bool) {
		deleted := engine.ObjectPreview{Action: takeover.ActionPrune, Owned: true}
		return deleted, placed[n.Name] && dispatch.Managed(n) && !dispatch.Adopted(n)
	})
}
