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

// JoinedNamespaces predicts which Namespaces the host takes over on members that join. As soon as a member is ready, the host places its own Namespaces on
// the member, and takes over pre-existing Namespaces of the same names (pkg/controllers/nsautoprop). JoinedNamespaces returns nil if no member joins, or if
// the host places no Namespaces.
func JoinedNamespaces(ctx context.Context, clusters *clusterset.Set, options engine.PreviewOptions) (*engine.Preview, error) {
	members, err := host.List[v1alpha1.FederatedCluster](ctx, clusters.Hub, v1alpha1.FederatedClusterKind, "", "")
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, m := range members {
		known[m.Name] = true
	}
	var joining []string
	for _, name := range slices.Sorted(maps.Keys(options.World.Members)) {
		if options.World.Members[name].Want != nil && !known[name] {
			joining = append(joining, name)
		}
	}
	if len(joining) == 0 {
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
		// The host creates the FederatedObject of a new Namespace shortly after the Namespace. By the apply it can exist.
		arrives := n.DeletionTimestamp == nil && n.Annotations[v1alpha1.NoFederatedResourceAnnotation] == ""
		if !excluded && (arrives || isFederated[convert.FederatedName(n.Name, types[i].Name)]) {
			out[n.Name] = true
		}
	}
	return out, nil
}

// takenNamespaces previews the takeover of those placed Namespaces that exist on a member, do not have KubeAdmiral's label yet, and do not opt out.
func takenNamespaces(
	ctx context.Context, clusters *clusterset.Set, name string, placed map[string]bool, expected *engine.Expectation,
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
		if !placed[n.Name] || dispatch.Managed(&n) || dispatch.OptsOut(&n) {
			continue
		}
		taken := engine.ObjectPreview{
			Identifier: manifest.Identifier{Version: "v1", Kind: "Namespace", Name: n.Name}, Action: takeover.ActionTakeOver, Exists: true,
			Mark: engine.Mark(n.UID, nil, ""),
		}
		if problem := expected.Contradicts(name, taken.Key(), taken.Mark); problem != "" {
			taken = withDecision(taken, takeover.NotAgreed(problem))
		}
		out.Objects = append(out.Objects, taken)
	}
	return out
}
