package kubefleet_test

import (
	"slices"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// The values of an override with variables reach each member as its preview shows them.
func TestVariablesOfOverride(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 3)
	e := w.Engine()
	request, result := placed(t, w)
	named := engine.Override{
		Reference: override.Reference{Namespace: w.Expand("$ns-app"), Name: "named"},
		Namespaced: &override.Spec{
			Placement:         &override.PlacementReference{Name: w.Name},
			ResourceSelectors: []override.Selector{{Version: "v1", Kind: "ConfigMap", Name: "settings"}},
			Policy: &override.Policy{OverrideRules: []override.Rule{{
				ClusterSelector: &override.ClusterSelector{ClusterSelectorTerms: []placement.ClusterSelectorTerm{}},
				JSONPatchOverrides: []override.Patch{{Operation: "replace", Path: "/data/greeting",
					Value: []byte(`"hello ${MEMBER-CLUSTER-NAME} of ${MEMBER-CLUSTER-LABEL-KEY-kubernetes-fleet.io/member-name}, $MEMBER-CLUSTER-NAME"`)}},
			}}},
		},
	}
	again := request.After(result.Status)
	again.World.Overrides = map[override.Reference]engine.Planned[engine.Override]{named.Reference: {Want: &named}}
	preview, err := again.Preview(w.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, cluster := range preview.Clusters {
		want := "hello " + cluster.Name + " of " + cluster.Name + ", $MEMBER-CLUSTER-NAME"
		for _, o := range cluster.Objects {
			if o.Name == "settings" && len(o.Differences) == 1 && o.Differences[0].InHub == any(want) {
				shown = append(shown, cluster.Name)
			}
		}
	}
	if !slices.Equal(shown, w.Members) {
		t.Errorf("the preview shows the values on %v only: %+v", shown, preview.Clusters)
	}
	if named, err := e.ApplyOverride(w.Context(), named, nil); err != nil {
		t.Fatal(err)
	} else {
		defer func() {
			if err := e.DeleteOverride(w.Context(), named.Override); err != nil {
				t.Error(err)
			}
		}()
	}
	again.World = engine.World{}
	for _, member := range w.Members {
		want := "hello " + member + " of " + member + ", $MEMBER-CLUSTER-NAME"
		w.Eventually(member+" has the value that the preview shows", func() bool {
			return w.Value(member, "v1 ConfigMap $ns-app/settings", "data", "greeting") == want
		})
	}
	if preview, err = again.Preview(w.Context(), e); err != nil || preview.Pending() {
		t.Errorf("something is left to do: %+v, %v", preview, err)
	}
}
