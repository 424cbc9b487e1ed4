package kubefleet

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/disruption"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

// paperHub answers reads of a hub, and stores nothing.
type paperHub struct {
	*Engine
	mu     sync.Mutex
	writes []string
}

// onPaper returns an engine for a hub that has an object of every name, with the UID "theirs". lists are the answers to lists, by the plural of the kind.
func onPaper(t *testing.T, lists map[string]string) *paperHub {
	t.Helper()
	out := &paperHub{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { out.answer(w, r, lists) }))
	t.Cleanup(server.Close)
	cluster := kube.NewCluster("hub", connection.Connection{Host: server.URL, Token: "t"}, kube.Options{}, kube.NewLimiter(0))
	t.Cleanup(cluster.Close)
	out.Engine = &Engine{clusters: clusterset.New(cluster, nil, 0), pace: DefaultPace}
	return out
}

// kinds are the kinds that a paper hub serves, by the plural.
var kinds = map[string]string{
	"memberclusters": "MemberCluster", "clusterresourceoverrides": "ClusterResourceOverride",
	"clusterstagedupdatestrategies": "ClusterStagedUpdateStrategy", "clusterstagedupdateruns": "ClusterStagedUpdateRun",
	"clusterresourceplacementdisruptionbudgets": "ClusterResourcePlacementDisruptionBudget",
	"clusterresourceoverridesnapshots":          "ClusterResourceOverrideSnapshot", "clusterresourcebindings": "ClusterResourceBinding",
}

func (h *paperHub) answer(w http.ResponseWriter, r *http.Request, lists map[string]string) {
	if r.Method != http.MethodGet {
		h.mu.Lock()
		h.writes = append(h.writes, r.Method+" "+r.URL.Path)
		h.mu.Unlock()
	}
	w.Header().Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
	if r.URL.Path == "/api" || r.URL.Path == "/apis" {
		_, _ = fmt.Fprintf(w, `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","items":[%s]}`, discovered(r.URL.Path))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/apis/"), "/") // group, version, plural, name
	head := fmt.Sprintf(`"apiVersion":"%s/%s","kind":"%s`, parts[0], parts[1], kinds[parts[2]])
	if len(parts) == 3 {
		_, _ = fmt.Fprintf(w, `{%sList","metadata":{},"items":[%s]}`, head, lists[parts[2]])
		return
	}
	_, _ = fmt.Fprintf(w, `{%s","metadata":{"name":%q,"uid":"theirs"},"spec":{}}`, head, parts[3])
}

func discovered(path string) string {
	if path == "/api" {
		return ""
	}
	resources := map[string][]string{}
	for plural, kind := range kinds {
		group := "placement.kubernetes-fleet.io"
		if kind == "MemberCluster" {
			group = "cluster.kubernetes-fleet.io"
		}
		resources[group] = append(resources[group], fmt.Sprintf(`{"resource":%q,"responseKind":{"group":%q,"version":"v1beta1","kind":%q},"scope":"Cluster","verbs":["get"]}`,
			plural, group, kind))
	}
	var out []string
	for group, all := range resources {
		out = append(out, fmt.Sprintf(`{"metadata":{"name":%q},"versions":[{"version":"v1beta1","resources":[%s]}]}`, group, strings.Join(all, ",")))
	}
	return strings.Join(out, ",")
}

// Reading, changing or deleting an object that another user recreated returns an error and writes nothing. Two reads accept the object: one with a state
// without a UID, and one of a member with adopt_existing.
func TestReplacedObjects(t *testing.T) {
	t.Parallel()
	ctx, name := t.Context(), engine.Reference{Name: "web"}
	operations := func(h *paperHub, uid string) map[string]error {
		m := engine.Member{UID: uid, Spec: member.Spec{Name: "web", Identity: &member.Identity{Kind: member.User, Name: "web"}}}
		o := engine.Override{Reference: override.Reference{Name: "web"}, UID: uid, Cluster: &override.ClusterSpec{}}
		s := engine.UpdateStrategy{Reference: name, UID: uid, Spec: stagedupdate.Strategy{Stages: []stagedupdate.Stage{{Name: "all"}}}}
		r := engine.UpdateRun{Reference: name, UID: uid, Spec: stagedupdate.Run{PlacementName: "web", StrategyName: "web"}}
		b := engine.DisruptionBudget{Name: "web", UID: uid, Spec: disruption.Budget{MaxUnavailable: "1"}}
		_, readMember := h.ReadMember(ctx, "web", &m)
		_, readOverride := h.ReadOverride(ctx, o.Reference, &o)
		_, readStrategy := h.ReadUpdateStrategy(ctx, name, &s)
		_, _, readRun := h.ReadUpdateRun(ctx, name, &r)
		_, readBudget := h.ReadDisruptionBudget(ctx, "web", &b)
		_, changedMember := h.ApplyMember(ctx, m, &m)
		_, changedOverride := h.ApplyOverride(ctx, o, &o)
		_, changedStrategy := h.ApplyUpdateStrategy(ctx, s, &s)
		_, _, changedRun := h.ApplyUpdateRun(ctx, r, engine.RunOptions{})
		_, changedBudget := h.ApplyDisruptionBudget(ctx, b, &b)
		return map[string]error{
			"a read member": readMember, "a changed member": changedMember, "a deleted member": h.DeleteMember(ctx, m),
			"a read override": readOverride, "a changed override": changedOverride, "a deleted override": h.DeleteOverride(ctx, o),
			"a read strategy": readStrategy, "a changed strategy": changedStrategy, "a deleted strategy": h.DeleteUpdateStrategy(ctx, s),
			"a read run": readRun, "a changed run": changedRun, "a deleted run": h.DeleteUpdateRun(ctx, r),
			"a read budget": readBudget, "a changed budget": changedBudget, "a deleted budget": h.DeleteDisruptionBudget(ctx, b),
		}
	}
	h := onPaper(t, nil)
	for what, err := range operations(h, "ours") {
		replaced, is := errors.AsType[*engine.ReplacedError](err)
		if !is || replaced.Known != "ours" || replaced.Found != "theirs" || replaced.Object != name || replaced.Import != name || replaced.Cluster != "hub" {
			t.Errorf("%s: %v", what, err)
		}
	}
	if len(h.writes) > 0 {
		t.Errorf("what is theirs is written: %v", h.writes)
	}
	if b, err := h.ReadDisruptionBudget(ctx, "web", &engine.DisruptionBudget{}); err != nil || b.UID != "theirs" {
		t.Errorf("%+v, %v", b, err)
	}
	if m, err := h.ReadMember(ctx, "web", nil); err != nil || m.UID != "theirs" {
		t.Errorf("%+v, %v", m, err)
	}
	adopted := &engine.Member{UID: "ours", Spec: member.Spec{Name: "web", AdoptExisting: new(true)}}
	if m, err := h.ReadMember(ctx, "web", adopted); err != nil || m.UID != "theirs" {
		t.Errorf("one of another system: %+v, %v", m, err)
	}
}

// A cluster is not behind with an override that the hub has tried to apply and that failed, although the status does not show this.
func TestFailedOverrideIsNoneLeftBehind(t *testing.T) {
	t.Parallel()
	const latest = `{"metadata":{"name":"o-1","labels":{"kubernetes-fleet.io/parent-resource-override":"o","kubernetes-fleet.io/is-latest-snapshot":"true"}},` +
		`"spec":{"overrideSpec":{"clusterResourceSelectors":[{"group":"","version":"v1","kind":"Namespace","name":"web"}]},"overrideHash":""}}`
	failed := placement.Status{Clusters: map[string]placement.ClusterStatus{"a": {Conditions: []placement.Condition{
		{Type: placement.Scheduled, Status: placement.True}, {Type: placement.RolloutStarted, Status: placement.True},
		{Type: placement.Overridden, Status: placement.False, Reason: string(placement.PhaseOverriddenFailed)},
	}}}}
	for tried, want := range map[string][]string{`["o-1"]`: nil, `["o-0"]`: {"a"}, `[]`: {"a"}} {
		h := onPaper(t, map[string]string{
			"clusterresourceoverridesnapshots": latest,
			"clusterresourcebindings":          `{"metadata":{"name":"b"},"spec":{"state":"Bound","targetCluster":"a","clusterResourceOverrideSnapshots":` + tried + `}}`,
		})
		inForce, err := hub.LatestOverrides(t.Context(), h.clusters.Hub, false)
		if err != nil {
			t.Fatal(err)
		}
		o := overrides{of: engine.Reference{Name: "web"}, all: inForce.Overrides, on: map[string][]override.Reference{"a": {{Name: "o"}}}}
		if got, err := o.clustersBehind(t.Context(), h.Engine, failed); err != nil || !slices.Equal(got, want) {
			t.Errorf("tried with %s: behind are %v, %v", tried, got, err)
		}
	}
}
