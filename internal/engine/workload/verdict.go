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

// Verdict is whether handing a workload over restarts its Pods.
type Verdict struct {
	Restart workload.Restart
	// Changes are what changes of the Pod template.
	Changes []diff.Difference
	// Unknown is why it is not known.
	Unknown error
}

// verdict finds it out by a dry run of the strictest of writes on the member, which leaves nothing of the object but what is configured, metadata and
// status aside: what it does not change no other write does. It is a patch, because that is what an apply needs the right to do. A cluster that cannot be reached is an error: it knows, and is to be asked again.
func (r *Reader) verdict(
	ctx context.Context, member *kube.Cluster, live, configuration *unstructured.Unstructured, throughHub bool,
) (Verdict, error) {
	if !workload.RollsOut(live.GroupVersionKind().GroupKind()) {
		return Verdict{Restart: workload.RestartNone}, nil
	}
	if throughHub {
		if r.clusters.Hub == nil {
			return unknown(errors.New("the provider has no hub to ask")), nil
		}
		stored, err := storedBy(ctx, r.clusters.Hub, configuration)
		if err != nil {
			return unanswered(r.clusters.Hub, err)
		}
		configuration = workload.Configuration(stored)
	}
	patch, err := json.Marshal([]map[string]any{{"op": "replace", "path": "/spec", "value": configuration.Object["spec"]}})
	if err != nil {
		return Verdict{}, err
	}
	after, err := member.Patch(ctx, kube.RefOf(live), types.JSONPatchType, patch, kube.WriteOptions{DryRun: true})
	if err != nil {
		return unanswered(member, err)
	}
	restart, changes := workload.Restarts(r.clusters.Schema, live, after)
	return Verdict{Restart: restart, Changes: changes}, nil
}

// storedBy is what a hub's API server makes of an object. Where the hub has no such namespace yet, another one does as well: no Pod template depends
// on it.
func storedBy(ctx context.Context, hub *kube.Cluster, configuration *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	dryRun := kube.ApplyOptions{DryRun: true, Force: true}
	stored, _, err := hub.ApplyServerSide(ctx, configuration, nil, dryRun)
	if kube.IsNotFound(err) {
		elsewhere := configuration.DeepCopy()
		elsewhere.SetNamespace(metav1.NamespaceDefault)
		stored, _, err = hub.ApplyServerSide(ctx, elsewhere, nil, dryRun)
	}
	return stored, err
}

func unanswered(cluster *kube.Cluster, err error) (Verdict, error) {
	if kube.IsUnreachable(err) {
		return Verdict{}, clusterset.Unreachable(cluster.Name(), err)
	}
	return unknown(err), nil
}

func unknown(err error) Verdict { return Verdict{Restart: workload.RestartUnknown, Unknown: err} }
