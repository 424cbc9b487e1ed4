package predict

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// Only a Service to which its cluster allocates addresses always differs by them.
func TestComparesService(t *testing.T) {
	t.Parallel()
	full := placement.Spec{Strategy: &placement.Strategy{ApplyStrategy: &placement.ApplyStrategy{ComparisonOption: placement.FullComparison}}}.Defaulted()
	for name, c := range map[string]struct {
		spec map[string]any
		told bool
	}{
		"with addresses":           {map[string]any{}, true},
		"with a load balancer":     {map[string]any{"type": "LoadBalancer"}, true},
		"headless":                 {map[string]any{"clusterIP": "None"}, false},
		"a name outside of it all": {map[string]any{"type": "ExternalName", "externalName": "example.com"}, false},
	} {
		service := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "v1", "kind": "Service", "metadata": map[string]any{"name": "web", "namespace": "app"}, "spec": c.spec,
		}}
		p := &Prediction{Spec: full, Content: &source.Content{Objects: []source.Object{source.NewObject(manifest.NewObject(service, nil))}}}
		if danger := p.comparesService(); (danger != nil) != c.told {
			t.Errorf("%s: %+v", name, danger)
		}
	}
}
