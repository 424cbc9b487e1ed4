package kubefleet_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// TestSensitiveValuesInStatus checks that neither an apply nor a refresh shows a sensitive value of an override that the hub reports in a difference, even if
// the overrides cannot be read. In that case they also return the objects whose values are withheld, and the reason.
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
	if result.Withheld != nil {
		t.Errorf("the apply withholds %+v", result.Withheld)
	}
	request = request.After(result.Status)
	read, err := request.Read(w.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	check("the refresh", read.Status)
	if read.Withheld != nil {
		t.Errorf("the refresh withholds %+v", read.Withheld)
	}
	withholds := func(what string, withheld *engine.Withheld) {
		t.Helper()
		want := w.Expand(`ConfigMap $ns-app/settings on cluster "` + w.Members[0] + `"`)
		if withheld == nil || engine.Some(withheld.About) != want || !strings.Contains(withheld.Err.Error(), "list ResourceOverride") {
			t.Errorf("%s withholds %+v, want %s", what, withheld, want)
		}
	}
	var written atomic.Bool // the prediction needs the overrides
	end := w.Inject(clusters.Fault{Context: w.Env.Hub, Status: http.StatusForbidden, Match: func(r clusters.Request) bool {
		if r.Write() {
			written.Store(true)
		}
		return written.Load() && strings.HasSuffix(r.Path, "/resourceoverrides")
	}})
	request.Spec.RevisionHistoryLimit = new(int32(3))
	result, err = request.Apply(w.Context(), w.Engine())
	end()
	if err != nil {
		t.Fatal(err)
	}
	check("an apply that cannot read the overrides", result)
	withholds("an apply that cannot read the overrides", result.Withheld)
	w.Inject(clusters.Fault{Context: w.Env.Hub, Status: http.StatusForbidden, Match: func(r clusters.Request) bool {
		return strings.HasSuffix(r.Path, "/resourceoverrides")
	}})
	if read, err = request.Read(w.Context(), w.Engine()); err != nil {
		t.Fatal(err)
	}
	check("a refresh that cannot read the overrides", read.Status)
	withholds("a refresh that cannot read the overrides", read.Withheld)
}
