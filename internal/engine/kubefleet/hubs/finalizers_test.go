package hubs

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
)

// A run or an override can be recreated immediately, although the hub agent sets a finalizer on it.
func TestReplacedAtOnce(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	e := h.engine()
	run := engine.UpdateRun{
		Reference: engine.Reference{Name: "again"}, Spec: stagedupdate.Run{PlacementName: "nowhere", StrategyName: "none", State: stagedupdate.Started},
	}
	o := deletion("again")
	for kind, one := range map[string]struct{ create, remove func() error }{
		"ClusterStagedUpdateRun again": {
			func() error {
				_, _, err := e.ApplyUpdateRun(t.Context(), run, engine.RunOptions{Create: true})
				return err
			},
			func() error { return e.DeleteUpdateRun(t.Context(), run) },
		},
		"ClusterResourceOverride " + o.Name: {
			func() error {
				_, err := e.ApplyOverride(t.Context(), o, nil)
				return err
			},
			func() error { return e.DeleteOverride(t.Context(), o) },
		},
	} {
		ref := fixture.ParseRef("placement.kubernetes-fleet.io/v1beta1 " + kind)
		for range 2 {
			if err := one.create(); err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			h.finalized(ref)
			if err := one.remove(); err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
		}
	}
}

// deletion is an override that deletes a Namespace.
func deletion(name string) engine.Override {
	return engine.Override{Reference: override.Reference{Name: name}, Cluster: &override.ClusterSpec{
		ClusterResourceSelectors: []placement.ResourceSelector{{Version: "v1", Kind: "Namespace", Name: name}},
		Policy:                   &override.Policy{OverrideRules: []override.Rule{{OverrideType: override.Delete}}},
	}}
}

// finalized waits until the hub agent has set its finalizer on an object.
func (h *hub) finalized(ref fixture.Ref) {
	h.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		live, err := h.client.Find(h.Context(), ref)
		if err == nil && live != nil && len(live.GetFinalizers()) > 0 {
			return
		}
		if time.Now().After(deadline) {
			h.Fatalf("%s has no finalizer: %v, %v", ref.Name, err, h.agents.LastError())
		}
	}
}

// TestHeldByFinalizer checks that the error about an object that is not deleted in time says what blocks the deletion and what to do.
func TestHeldByFinalizer(t *testing.T) {
	h := newHub(t)
	name := strings.Repeat("held-", 10) + "held" // too long for the hub's agent to process
	h.put("{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterResourceOverride, metadata: {name: held, finalizers: [example.com/hold]}, " +
		"spec: {clusterResourceSelectors: [{group: '', version: v1, kind: Namespace, name: held}], policy: {overrideRules: [{overrideType: Delete}]}}}\n---\n" +
		"{apiVersion: cluster.kubernetes-fleet.io/v1beta1, kind: MemberCluster, metadata: {name: " + name + ", finalizers: [example.com/hold]}, " +
		"spec: {identity: {kind: User, name: held, apiGroup: rbac.authorization.k8s.io}}}")
	e := h.engine()
	e.SetPace(kubefleet.Pace{Pace: controlplane.Pace{Interval: 50 * time.Millisecond, Silence: 3 * time.Second}})
	prior := deletion("held")
	ended := func(ctx context.Context, end func(ctx context.Context) error, ref, advice string) {
		t.Helper()
		if err := end(ctx); err == nil || !strings.Contains(err.Error(), "example.com/hold") || !strings.Contains(err.Error(), advice) {
			t.Errorf("%v", err)
		}
		if err := h.client.Merge(t.Context(), fixture.ParseRef(ref), []byte(`{"metadata":{"finalizers":[]}}`), "", false); err != nil {
			t.Fatal(err)
		}
		if err := end(t.Context()); err != nil {
			t.Error(err)
		}
	}
	ended(t.Context(), func(ctx context.Context) error { return e.DeleteOverride(ctx, prior) },
		"placement.kubernetes-fleet.io/v1beta1 ClusterResourceOverride held", "The hub agent")
	limited, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	spec := member.Spec{Name: name, Identity: &member.Identity{Kind: member.User, Name: "held"}}
	ended(limited, func(ctx context.Context) error { return e.DeleteMember(ctx, engine.Member{Spec: spec}) },
		"cluster.kubernetes-fleet.io/v1beta1 MemberCluster "+name, "timeouts.delete")
}

// TestUnfollowedRun checks that a run is written even if the hub does not report its status in time, and that the error says so.
func TestUnfollowedRun(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	e := h.engine()
	e.SetPace(kubefleet.Pace{Pace: controlplane.Pace{Interval: 50 * time.Millisecond, Silence: time.Second}})
	run := engine.UpdateRun{
		Reference: engine.Reference{Name: "unfollowed"}, Spec: stagedupdate.Run{PlacementName: "nowhere", StrategyName: "none", State: stagedupdate.Started},
	}
	var written atomic.Bool
	undo := h.Inject(clusters.Fault{Context: env.Hub, Refuse: true, Match: func(r clusters.Request) bool {
		return r.Method == http.MethodGet && written.Load() || r.Method == http.MethodPost && written.Swap(true)
	}})
	_, status, err := e.ApplyUpdateRun(t.Context(), run, engine.RunOptions{Create: true, Wait: true})
	if _, unfollowed := errors.AsType[*engine.UnfollowedError](err); !unfollowed || status == nil {
		t.Errorf("%+v, %v", status, err)
	}
	undo()
	if err := h.engine().DeleteUpdateRun(t.Context(), run); err != nil {
		t.Error(err)
	}
}
