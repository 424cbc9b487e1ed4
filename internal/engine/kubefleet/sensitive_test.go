package kubefleet_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// TestSensitiveValuesInStatus checks that neither an apply nor a refresh shows the sensitive value of an override that the hub reports in a difference, also
// if the overrides cannot be read.
func TestSensitiveValuesInStatus(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 1)
	w.Put(w.Env.Hub, app)
	w.Put(w.Members[0], strings.Replace(app, "hello", "theirs", 1))
	e := w.Engine()
	sensitive := engine.Override{
		Reference: override.Reference{Namespace: w.Expand("$ns-app"), Name: "sensitive"},
		Namespaced: &override.Spec{
			ResourceSelectors: []override.Selector{{Version: "v1", Kind: "ConfigMap", Name: "settings"}},
			Policy: &override.Policy{OverrideRules: []override.Rule{{
				ClusterSelector: &override.ClusterSelector{ClusterSelectorTerms: []placement.ClusterSelectorTerm{}},
				JSONPatchOverrides: []override.Patch{{
					Operation: override.Replace, Path: "/data/greeting", Value: []byte(`"planted on ${MEMBER-CLUSTER-LABEL-KEY-region}"`), Sensitive: true,
				}},
			}}},
		},
	}
	if _, err := e.ApplyOverride(w.Context(), sensitive, nil); err != nil {
		t.Fatal(err)
	}
	request := placing(w).Strategy(placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverIfNoDiff})
	request.Spec.Policy = on(w.Members...)
	w.DeleteAtEnd(request)
	result, err := request.Apply(w.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string, found any) {
		t.Helper()
		data, err := json.Marshal(found)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(data); strings.Contains(text, "planted") || !strings.Contains(text, "/data/greeting") || !strings.Contains(text, diff.Redacted) {
			t.Errorf("%s: %s", what, text)
		}
	}
	check("the apply", result)
	request = request.After(result.Status)
	read, err := request.Read(w.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	check("the refresh", read.Status)
	w.Inject(clusters.Fault{Context: w.Env.Hub, Status: http.StatusForbidden, Match: func(r clusters.Request) bool {
		return strings.HasSuffix(r.Path, "/resourceoverrides")
	}})
	if read, err = request.Read(w.Context(), w.Engine()); err != nil {
		t.Fatal(err)
	}
	check("a refresh that cannot read the overrides", read.Status)
}
