package hubs

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

const placementAPI = "placement.kubernetes-fleet.io/v1beta1 "

// A placement that somebody has deleted and made anew since the plan is neither changed nor deleted, and a refresh tells of it.
func TestReplacedPlacement(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	h.put(`{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterResourcePlacement, metadata: {name: theirs},
 spec: {resourceSelectors: [{group: "", version: v1, kind: Namespace, name: theirs}]}}`)
	p := placing("theirs")
	recorded, err := h.engine().ReadPlacement(t.Context(), p)
	if err != nil || recorded.Warning != "" {
		t.Fatalf("%+v, %v", recorded, err)
	}
	p.Prior = new(placement.Status{HubUID: recorded.Status.HubUID, UID: "another"})
	if recorded, err = h.engine().ReadPlacement(t.Context(), p); err != nil || !strings.Contains(recorded.Warning, "is not the one that this state knows") {
		t.Errorf("%+v, %v", recorded, err)
	}
	h.Reset()
	if _, err := h.engine().ApplyPlacement(t.Context(), p, engine.ApplyOptions{}); err == nil || !strings.Contains(err.Error(), "made it anew") {
		t.Error(err)
	}
	if _, err := h.engine().DeletePlacement(t.Context(), p, engine.DeleteOptions{}); err == nil || !strings.Contains(err.Error(), "made it anew") {
		t.Error(err)
	}
	h.idle("what is theirs is written")
}

// What somebody has deleted and made anew since it was read is neither changed nor deleted, whatever it is. What is as it was read is.
func TestReplacedObjects(t *testing.T) {
	h := newHub(t)
	h.put(strings.ReplaceAll(`{apiVersion: v1, kind: Namespace, metadata: {name: $name}}
---
{apiVersion: cluster.kubernetes-fleet.io/v1beta1, kind: MemberCluster, metadata: {name: $name}, spec: {identity: {kind: User, name: $name, apiGroup: rbac.authorization.k8s.io}}}
---
{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterStagedUpdateStrategy, metadata: {name: $name}, spec: {stages: [{name: all}]}}
---
{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterStagedUpdateRun, metadata: {name: $name}, spec: {placementName: none, stagedRolloutStrategyName: none}}
---
{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterResourcePlacementDisruptionBudget, metadata: {name: $name}, spec: {maxUnavailable: 1}}`,
		"$name", "replaced"))
	e, ctx, name := h.engine(), t.Context(), engine.Reference{Name: "replaced"}
	o := greeting("replaced")
	kept, err := e.ApplyOverride(ctx, o, nil)
	if err != nil || kept.UID == "" {
		t.Fatalf("%+v, %v", kept, err)
	}
	m, err := e.ReadMember(ctx, "replaced", nil)
	if err != nil || m.UID == "" {
		t.Fatalf("%+v, %v", m, err)
	}
	member, strategy, run := m, engine.UpdateStrategy{Reference: name, UID: "another"}, engine.UpdateRun{Reference: name, UID: "another"}
	budget := engine.DisruptionBudget{Name: "replaced", UID: "another"}
	member.UID, o.UID = "another", "another"
	changed := member
	changed.Spec.Labels = map[string]string{"region": "west"}
	h.Reset()
	_, applied := e.ApplyMember(ctx, changed, &member)
	_, overridden := e.ApplyOverride(ctx, o, &o)
	_, ran := e.ApplyUpdateRun(ctx, run, engine.RunOptions{})
	for what, err := range map[string]error{
		"a changed member": applied, "a deleted member": e.DeleteMember(ctx, member), "a changed override": overridden, "a deleted override": e.DeleteOverride(ctx, o),
		"a changed strategy": e.ApplyUpdateStrategy(ctx, strategy, &strategy), "a deleted strategy": e.DeleteUpdateStrategy(ctx, strategy),
		"a changed run": ran, "a deleted run": e.DeleteUpdateRun(ctx, run),
		"a changed budget": e.ApplyDisruptionBudget(ctx, budget, &budget), "a deleted budget": e.DeleteDisruptionBudget(ctx, budget),
	} {
		if err == nil || !strings.Contains(err.Error(), "made it anew") {
			t.Errorf("%s: %v", what, err)
		}
	}
	h.idle("what is theirs is written")
	read, err := e.ReadOverride(ctx, o.Reference, nil)
	if err != nil || read.UID != kept.UID {
		t.Errorf("%+v, %v", read, err)
	}
	readBudget, err := e.ReadDisruptionBudget(ctx, "replaced", nil)
	if err != nil || readBudget.UID == "" {
		t.Errorf("%+v, %v", readBudget, err)
	}
	o.UID = ""
	for _, err := range []error{e.DeleteOverride(ctx, kept.Override), e.DeleteDisruptionBudget(ctx, readBudget), e.DeleteOverride(ctx, o)} {
		if err != nil {
			t.Error(err)
		}
	}
}

// An eviction that nobody waits for any more is not left to be executed later.
func TestUndecidedEviction(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	limited, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	// The hub is asked, and nobody hears what it says. The first read is before the write.
	var reads atomic.Int64
	h.Inject(clusters.Fault{Context: env.Hub, Status: http.StatusServiceUnavailable, Match: func(r clusters.Request) bool {
		return r.Method == http.MethodGet && strings.Contains(r.Path, "evictions/") && reads.Add(1) > 1 && limited.Err() == nil
	}})
	err := h.engine().Evict(limited, engine.Eviction{Placement: "nobodys", Cluster: memberName})
	if err == nil || !strings.Contains(err.Error(), "withdrawn") {
		t.Error(err)
	}
	left, err := h.client.List(t.Context(), strings.TrimSpace(placementAPI), "ClusterResourcePlacementEviction", "", "")
	if err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// An approval cannot be taken back: one whose answer is lost, or that the hub refuses to serve at first, is not told as none.
func TestStruckApprovals(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	for name, fault := range map[string]clusters.Fault{
		"lost": {LoseResponse: true}, "conflict": {Status: http.StatusConflict}, "busy": {Status: http.StatusServiceUnavailable},
	} {
		h.put(strings.ReplaceAll(`{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterStagedUpdateRun, metadata: {name: $run},
 spec: {placementName: nobodys, stagedRolloutStrategyName: none}}
---
{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterApprovalRequest, metadata: {name: $run-after-canary},
 spec: {parentStageRollout: $run, targetStage: canary}}`, "$run", name))
		struck := h.strike(fault, 1, clusters.Writes)
		_, approved, err := h.engine().ApproveStage(t.Context(), engine.StageApproval{Run: engine.Reference{Name: name}, Stage: "canary"})
		if err != nil || !approved || !struck() {
			t.Errorf("%s: %v, %v", name, approved, err)
		}
		u, err := h.client.Find(t.Context(), fixture.ParseRef(placementAPI+"ClusterApprovalRequest "+name+"-after-canary"))
		if err != nil || u == nil || u.Object["status"] == nil {
			t.Errorf("%s: %v, %v", name, u, err)
		}
	}
}
