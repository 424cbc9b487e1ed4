package convert

import (
	"reflect"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane/codec"
)

func TestWithoutStrays(t *testing.T) {
	const api = "apiVersion: placement.kubernetes-fleet.io/v1beta1\n"
	const placement = api + "kind: ClusterResourcePlacement\nspec:\n  resourceSelectors: [{group: '', version: v1, kind: Namespace, name: web}]\n"
	// The fields that the API server and the hub's agent fill in.
	const filled = `
  revisionHistoryLimit: 10
  statusReportingScope: ClusterScopeOnly
  strategy:
    type: RollingUpdate
    rollingUpdate: {maxSurge: 25%, maxUnavailable: 25%, unavailablePeriodSeconds: 60}
    applyStrategy: {allowCoOwnership: false, comparisonOption: PartialComparison, type: ClientSideApply, whenToApply: Always, whenToTakeOver: Always}
`
	const pickAll = "  policy: {placementType: PickAll}\n"
	selectors := []any{map[string]any{"group": "", "version": "v1", "kind": "Namespace", "name": "web"}}
	for name, c := range map[string]struct {
		want, stored string
		patch        map[string]any
	}{
		"what a hub fills in":               {want: placement, stored: placement + filled + pickAll},
		"nothing filled in":                 {want: placement, stored: placement},
		"in elements of lists":              {want: placement, stored: api + "kind: ClusterResourcePlacement\nspec: {resourceSelectors: [{group: '', version: v1, kind: Namespace, name: web, selectionScope: NamespaceWithResources}]}"},
		"what is configured is not a stray": {want: placement + "  revisionHistoryLimit: 3\n", stored: placement + "  revisionHistoryLimit: 3\n"},
		"a value in the place of a default": {
			want: placement, stored: placement + "  revisionHistoryLimit: 3\n",
			patch: map[string]any{"resourceSelectors": selectors, "revisionHistoryLimit": nil},
		},
		"a field below another": {
			want:   placement + pickAll,
			stored: placement + "  policy: {placementType: PickAll, affinity: {clusterAffinity: {preferredDuringSchedulingIgnoredDuringExecution: []}}}\n",
			patch: map[string]any{
				"resourceSelectors": selectors, "policy": map[string]any{"placementType": "PickAll", "affinity": nil},
			},
		},
		"a bound that excludes another": {
			want:   api + "kind: ClusterResourcePlacementDisruptionBudget\nspec: {minAvailable: 2}",
			stored: api + "kind: ClusterResourcePlacementDisruptionBudget\nspec: {maxUnavailable: 1}",
			patch:  map[string]any{"minAvailable": int64(2), "maxUnavailable": nil},
		},
	} {
		read := func(text string) *unstructured.Unstructured {
			out := &unstructured.Unstructured{}
			data, err := yaml.YAMLToJSON([]byte(text))
			if err == nil {
				var withKind map[string]any
				if err = yaml.Unmarshal(data, &withKind); err == nil {
					out.Object, err = codec.Tree(withKind)
				}
			}
			if err != nil {
				t.Fatal(name, err)
			}
			return out
		}
		patch, err := WithoutStrays(read(c.want), read(c.stored))
		if err != nil || !reflect.DeepEqual(patch, c.patch) {
			t.Errorf("%s: %v, %v", name, patch, err)
		}
	}
}

func TestWithoutEmpty(t *testing.T) {
	const api = "apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ClusterResourcePlacement\nspec: "
	for text, want := range map[string]string{
		"{policy: {}, strategy: {}}": "{policy: {placementType: PickAll}, strategy: {type: RollingUpdate}}",
		"{strategy: {applyStrategy: {}, deleteStrategy: {}, rollingUpdate: {}}}": "{strategy: {applyStrategy: {comparisonOption: PartialComparison}, " +
			"deleteStrategy: {propagationPolicy: Delete}, rollingUpdate: {maxSurge: 25%}}}",
		"{strategy: {applyStrategy: {whenToTakeOver: Never}}}": "{strategy: {applyStrategy: {whenToTakeOver: Never}}}",
	} {
		given, wanted := &unstructured.Unstructured{}, &unstructured.Unstructured{}
		for u, spec := range map[*unstructured.Unstructured]string{given: text, wanted: want} {
			if err := yaml.Unmarshal([]byte(api+spec), &u.Object); err != nil {
				t.Fatal(err)
			}
		}
		got, err := WithoutEmpty(given)
		if err != nil || !reflect.DeepEqual(got, wanted) {
			t.Errorf("%s: %v, want %s (%v)", text, got, want, err)
		}
	}
}
