package kube_test

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// TestApplyOfPortChangedByOthers checks that the error says what to do if another client has changed the number of a Service's port. An apply merges ports by
// their number, so it adds the port, and the API server rejects two ports of the same name.
func TestApplyOfPortChangedByOthers(t *testing.T) {
	gvk := schema.GroupVersionKind{Version: "v1", Kind: "Service"}
	for what, ports := range map[string][2]string{
		"named": {`[{"name": "http", "port": 80}]`, `[{"name": "http", "port": 81}]`}, "unnamed": {`[{"port": 80}]`, `[{"port": 81}]`},
	} {
		for name, way := range applyWays {
			t.Run(what+", "+name, func(t *testing.T) {
				cluster, ctx := realCluster(t), withTimeout(t, time.Minute)
				namespace, apply := newNamespace(t, cluster), way(cluster)
				service := inNamespace(t, namespace, `{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}, ports: `+ports[0]+`}}`)
				created, _, err := apply(t, service, nil, kube.ApplyOptions{})
				if err != nil {
					t.Fatal(err)
				}
				change := func(to string) *unstructured.Unstructured {
					other := asOther(t, "kubectl-edit")
					must[*unstructured.Unstructured](t)(other.Patch(ctx, kube.RefOf(created), types.MergePatchType, []byte(`{"spec":{"ports":`+to+`}}`), kube.WriteOptions{}))
					return must[*unstructured.Unstructured](t)(cluster.Get(ctx, gvk, namespace, "web"))
				}
				live := change(ports[1])
				for _, dryRun := range []bool{true, false} {
					_, _, err = apply(t, service, live, kube.ApplyOptions{Force: true, DryRun: dryRun})
					assertErrorContains(t, err, "(422)", "spec.ports[", ".name", "Other clients have changed spec.ports on the cluster", "Undo their changes")
				}
				if _, _, err := apply(t, service, change(ports[0]), kube.ApplyOptions{Force: true}); err != nil {
					t.Errorf("after the change was undone: %v", err)
				}
			})
		}
	}
}
