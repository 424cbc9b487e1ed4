package predict

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	api "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	wire "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/source"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// With a full comparison, the plan warns about a Service only if its cluster allocates addresses to it, which always differ from the manifest.
func TestServiceComparisonDanger(t *testing.T) {
	t.Parallel()
	full := placement.Spec{Strategy: &placement.Strategy{ApplyStrategy: &placement.ApplyStrategy{ComparisonOption: placement.FullComparison}}}.Defaulted()
	for name, c := range map[string]struct {
		spec     map[string]any
		reported bool
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
		if danger := p.serviceComparisonDanger(); (danger != nil) != c.reported {
			t.Errorf("%s: %+v", name, danger)
		}
	}
}

// With IfNoDiff, the plan warns about a Job in whose selector each cluster generates labels, whether the Job has labels of its own or not.
func TestComparesJob(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		when     placement.WhenToTakeOver
		labels   map[string]any
		spec     map[string]any
		envelope *manifest.Envelope
		reported bool
	}{
		"without labels":        {placement.TakeOverIfNoDiff, nil, map[string]any{}, nil, true},
		"with its own labels":   {placement.TakeOverIfNoDiff, map[string]any{"app": "web"}, map[string]any{}, nil, true},
		"with its own selector": {placement.TakeOverIfNoDiff, nil, map[string]any{"manualSelector": true}, nil, false},
		"in an envelope":        {placement.TakeOverIfNoDiff, nil, map[string]any{}, &manifest.Envelope{}, false},
		"always taken over":     {placement.TakeOverAlways, nil, map[string]any{}, nil, false},
	} {
		job := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "batch/v1", "kind": "Job", "metadata": map[string]any{"name": "web", "namespace": "app", "labels": c.labels}, "spec": c.spec,
		}}
		p := &Prediction{
			Spec:    placement.Spec{Strategy: &placement.Strategy{ApplyStrategy: &placement.ApplyStrategy{WhenToTakeOver: c.when}}}.Defaulted(),
			Content: &source.Content{Objects: []source.Object{source.NewObject(manifest.NewObject(job, c.envelope))}},
		}
		if danger := p.jobComparisonDanger(); (danger != nil) != c.reported {
			t.Errorf("%s: %+v", name, danger)
		}
	}
}

// TestIgnoredOverrideDanger checks the warning that a change of an override that names no placement may have no effect: it names the override, the cluster and
// the fix.
func TestIgnoredOverrideDanger(t *testing.T) {
	t.Parallel()
	namespace := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace", "metadata": map[string]any{"name": "web"}}}
	p := &Prediction{Spec: placement.Spec{}.Defaulted(), Content: &source.Content{Objects: []source.Object{source.NewObject(manifest.NewObject(namespace, nil))}}}
	p.Placement.Name = "storefront"
	var after override.Overrides
	const text = `{Cluster: [{Name: quota, Spec: {clusterResourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}],
  policy: {overrideRules: [{clusterSelector: {}, overrideType: Delete}]}}}]}`
	if err := yaml.UnmarshalStrict([]byte(text), &after); err != nil {
		t.Fatal(err)
	}
	p.Clusters = []*Cluster{{
		Name: "member-1", prediction: p, registration: &api.MemberCluster{}, binding: &wire.ClusterResourceBinding{}, placed: true, overrides: after,
	}}
	danger := p.ignoredOverrideDanger()
	if danger == nil {
		t.Fatal("nothing is said of an override that has been added")
	}
	for _, want := range []string{"ClusterResourceOverride quota names no placement", `change of such an override to "member-1"`, `placement = { name = "storefront" }`} {
		if !strings.Contains(danger.Message, want) {
			t.Errorf("%q is not in %s", want, danger.Message)
		}
	}
	const byLabel = `{Cluster: [{Name: quota, Spec: {placement: {name: storefront}, clusterResourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}],
  policy: {overrideRules: [{clusterSelector: {clusterSelectorTerms: [{labelSelector: {matchLabels: {ring: canary}}}]}, overrideType: Delete}]}}}]}`
	if err := yaml.UnmarshalStrict([]byte(byLabel), &p.Overrides); err != nil {
		t.Fatal(err)
	}
	p.Clusters[0].overrides, p.Clusters[0].planned.Want = p.Overrides, &member.Spec{Labels: map[string]string{"ring": "canary"}}
	if danger := p.ignoredOverrideDanger(); danger == nil || !strings.Contains(danger.Message, `the labels of "member-1"`) {
		t.Errorf("the labels of a member change, and the danger is %+v", danger)
	}
	p.ContentChanges = true
	if danger := p.ignoredOverrideDanger(); danger != nil {
		t.Errorf("the hub has something else to do, and still: %s", danger.Message)
	}
}
