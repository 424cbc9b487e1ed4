package workload

import (
	"context"
	"encoding/json"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// Verdict reports whether a placement that takes over a workload restarts its Pods.
type Verdict struct {
	Restart workload.Restart
	Changes []diff.Difference
	// Unknown is the reason why the result is unknown.
	Unknown error
}

// verdict sends the member a dry run that replaces the whole spec of the workload with the spec in configuration. If this write changes nothing in the Pod
// template, no other write of the configuration does. If throughHub is true, verdict uses the configuration as the hub would store it. The dry run is a patch,
// because an apply needs the same permission. If a cluster is unreachable, verdict returns an error, because a later read can succeed.
func (r *Reader) verdict(
	ctx context.Context, member *kube.Cluster, live, configuration *unstructured.Unstructured, throughHub bool,
) (Verdict, error) {
	if !workload.RollsOut(live.GroupVersionKind().GroupKind()) {
		return Verdict{Restart: workload.RestartNone}, nil
	}
	if throughHub {
		if r.clusters.Hub == nil {
			return unknownVerdict(errors.New("the provider has no hub configured")), nil
		}
		stored, err := storedBy(ctx, r.clusters.Hub, configuration)
		if err != nil {
			return unknownUnlessUnreachable(r.clusters.Hub, err)
		}
		configuration = workload.Configuration(stored)
	}
	patch, err := json.Marshal([]map[string]any{{"op": "replace", "path": "/spec", "value": configuration.Object["spec"]}})
	if err != nil {
		return Verdict{}, err
	}
	after, err := member.Patch(ctx, kube.RefOf(live), types.JSONPatchType, patch, kube.WriteOptions{DryRun: true})
	if err != nil {
		return unknownUnlessUnreachable(member, err)
	}
	restart, changes := workload.Restarts(r.clusters.Schema, live, after)
	return Verdict{Restart: restart, Changes: changes}, nil
}

// storedBy returns an object as the hub's API server would store it. If the hub does not have the object's namespace yet, storedBy uses the namespace default: the
// Pod template does not depend on the namespace.
func storedBy(ctx context.Context, hub *kube.Cluster, configuration *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	dryRun := kube.ApplyOptions{DryRun: true, Force: true}
	stored, _, err := hub.ApplyServerSide(ctx, configuration, nil, dryRun)
	if kube.IsNotFound(err) {
		substitute := configuration.DeepCopy()
		substitute.SetNamespace(metav1.NamespaceDefault)
		stored, _, err = hub.ApplyServerSide(ctx, substitute, nil, dryRun)
	}
	return stored, err
}

func unknownUnlessUnreachable(cluster *kube.Cluster, err error) (Verdict, error) {
	if kube.IsUnreachable(err) {
		return Verdict{}, clusterset.Unreachable(cluster.Name(), err)
	}
	return unknownVerdict(err), nil
}

func unknownVerdict(err error) Verdict {
	return Verdict{Restart: workload.RestartUnknown, Unknown: err}
}
