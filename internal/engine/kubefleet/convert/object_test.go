package convert

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
	clusterv1 "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1"
	clusterv1beta1 "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/cluster/v1beta1"
	placementv1 "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/api/placement/v1beta1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// TestEncode checks that only configured fields are sent.
func TestEncode(t *testing.T) {
	spec := parse[placement.Spec](t, `
resourceSelectors: [{group: "", version: v1, kind: Namespace, name: web}]
policy: {clusterNames: [], affinity: {clusterAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {}}}}
strategy: {rollingUpdate: {maxUnavailable: "2", maxSurge: 10%, unavailablePeriodSeconds: 0}, deleteStrategy: {contents: Delete}}`)
	object := v1beta1.ClusterResourcePlacement{Spec: FromPlacementSpec(spec)}
	object.Name = "web"
	got, err := codec.Encode(object, placementv1.GroupVersion.WithKind(v1beta1.ClusterResourcePlacementKind))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"apiVersion": "placement.kubernetes-fleet.io/v1", "kind": "ClusterResourcePlacement", "metadata": map[string]any{"name": "web"},
		"spec": map[string]any{
			"resourceSelectors": []any{map[string]any{"group": "", "version": "v1", "kind": "Namespace", "name": "web"}},
			"policy": map[string]any{
				"clusterNames": []any{},
				"affinity": map[string]any{"clusterAffinity": map[string]any{
					"requiredDuringSchedulingIgnoredDuringExecution": map[string]any{"clusterSelectorTerms": []any{}},
				}},
			},
			"strategy": map[string]any{
				"rollingUpdate":  map[string]any{"maxUnavailable": int64(2), "maxSurge": "10%", "unavailablePeriodSeconds": int64(0)},
				"deleteStrategy": map[string]any{},
			},
		},
	}
	if diff := cmp.Diff(want, got.Object); diff != "" {
		t.Error(diff)
	}
}

func TestDecodeErrors(t *testing.T) {
	u := &unstructured.Unstructured{Object: map[string]any{"kind": "MemberCluster", "metadata": map[string]any{"name": "m"}, "spec": map[string]any{"taints": "x"}}}
	_, err := codec.Decode[clusterv1beta1.MemberCluster](u)
	if err == nil || !strings.HasPrefix(err.Error(), "decode MemberCluster m: ") {
		t.Error(err)
	}
}

func TestChoose(t *testing.T) {
	kind := schema.GroupKind{Group: v1beta1.GroupVersion.Group, Kind: v1beta1.ClusterResourcePlacementKind}
	for served, want := range map[string]string{"v1 v1beta1": "v1beta1", "v1": "v1", "v1beta1": "v1beta1", "v1alpha1 v1beta1": "v1beta1", "v1alpha1": "", "": ""} {
		got, found := Choose(kind, strings.Fields(served))
		if got.Version != want || found != (want != "") || found && got.GroupKind() != kind {
			t.Errorf("%q: %v, %v", served, got, found)
		}
	}
}

func TestUnsupported(t *testing.T) {
	full := parse[placement.Spec](t, `
resourceSelectors: [{group: "", version: v1, kind: Namespace, labelSelector: {matchLabels: {a: b}}}]
strategy: {type: RollingUpdate, deleteStrategy: {propagationPolicy: Abandon}, reportBackStrategy: {type: Disabled}}`)
	registration := FromMember(member.Spec{
		Name: "a", Labels: map[string]string{"a": "b"}, DeleteOptions: &member.DeleteOptions{ValidationMode: member.SkipValidation},
	})
	for _, test := range []struct {
		object any
		kind   schema.GroupVersionKind
		want   string
	}{
		{v1beta1.ClusterResourcePlacement{Spec: FromPlacementSpec(full)}, placementv1.GroupVersion.WithKind(v1beta1.ClusterResourcePlacementKind),
			"strategy.delete_strategy strategy.report_back_strategy"},
		{v1beta1.ResourcePlacement{Spec: FromPlacementSpec(full)}, placementv1.GroupVersion.WithKind(v1beta1.ResourcePlacementKind),
			"strategy.delete_strategy strategy.report_back_strategy"},
		{v1beta1.ClusterResourcePlacement{Spec: FromPlacementSpec(full)}, v1beta1.GroupVersion.WithKind(v1beta1.ClusterResourcePlacementKind), ""},
		{registration, clusterv1.GroupVersion.WithKind(clusterv1beta1.MemberClusterKind), "delete_options"},
		{registration, clusterv1beta1.GroupVersion.WithKind(clusterv1beta1.MemberClusterKind), ""},
	} {
		u, err := codec.Encode(test.object, test.kind)
		if err != nil {
			t.Fatal(err)
		}
		paths, err := Unsupported(u)
		if got := join(paths); got != test.want || err != nil {
			t.Errorf("%s: %q, %v", test.kind, got, err)
		}
	}
}

func TestPruned(t *testing.T) {
	for name, test := range map[string]struct{ sent, stored, want string }{
		"nothing": {`{metadata: {labels: {a: b}}, spec: {a: 1, b: [1, 2]}}`, `{metadata: {labels: {a: b, c: d}}, spec: {a: 2, b: [3, 4], c: 5}}`, ""},
		"fields and elements": {
			`{spec: {resourceSelectors: [{group: "", labelSelector: {matchLabels: {a/b: c}, matchExpressions: [{key: a}]}}, {}], revisionHistoryLimit: 1}}`,
			`{spec: {resourceSelectors: [{group: "", labelSelector: {matchLabels: {}, matchExpressions: [{}]}}]}}`,
			`resource_selectors[0].label_selector.match_expressions[0].key resource_selectors[0].label_selector.match_labels["a/b"] ` +
				`resource_selectors[1] revision_history_limit`,
		},
		"labels, annotations and content": {
			`{metadata: {name: x, labels: {a: b}, annotations: {c: d}}, data: {k: {a: b}, l: {}}}`, `{metadata: {}, data: {l: {}}}`,
			`labels["a"] annotations["c"] manifests["k"]`,
		},
		"empty is like nothing": {`{spec: {a: [], b: {}, c: false, d: "", e: 0}}`, `{spec: {}}`, "e"},
		"patches": {
			`{spec: {policy: {overrideRules: [{jsonPatchOverrides: [{op: add, value: {a: 1}}]}]}}}`,
			`{spec: {policy: {overrideRules: [{jsonPatchOverrides: [{value: {}}]}]}}}`, `policy.override_rules[0].json_patch_overrides[0].op`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			sent, stored := parse[map[string]any](t, test.sent), parse[map[string]any](t, test.stored)
			if got := join(Pruned(&unstructured.Unstructured{Object: sent}, &unstructured.Unstructured{Object: stored})); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func join(paths []placement.Path) string {
	var out []string
	for _, path := range paths {
		out = append(out, path.String())
	}
	return strings.Join(out, " ")
}
