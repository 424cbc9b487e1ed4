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
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/disruption"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/stagedupdate"
)

const placementAPI = "placement.kubernetes-fleet.io/v1beta1 "

// A placement that another user recreated is rejected, whether or not the hub's UID is known.
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
	h.Reset()
	for _, hubUID := range []string{recorded.Status.HubUID, ""} {
		p.Prior = new(placement.Status{HubUID: hubUID, UID: "another"})
		_, read := h.engine().ReadPlacement(t.Context(), p)
		_, previewed := h.engine().Preview(t.Context(), p, engine.PreviewOptions{})
		_, applied := h.engine().ApplyPlacement(t.Context(), p, engine.ApplyOptions{})
		_, deleted := h.engine().DeletePlacement(t.Context(), p, engine.DeleteOptions{})
		for what, err := range map[string]error{"read": read, "preview": previewed, "apply": applied, "delete": deleted} {
			if replaced, is := errors.AsType[*engine.ReplacedError](err); !is || replaced.Known != "another" || replaced.Found != recorded.Status.UID {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	h.idle("what is theirs is written")
}

// An apply returns the same UID as a read. A deletion succeeds with this UID, and without one.
func TestKnownObjects(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	e, ctx := h.engine(), t.Context()
	h.put(`{apiVersion: v1, kind: Namespace, metadata: {name: known}}`)
	o := greeting("known")
	override, err := e.ApplyOverride(ctx, o, nil)
	if err != nil || override.UID == "" {
		t.Fatalf("%+v, %v", override, err)
	}
	budget, err := e.ApplyDisruptionBudget(ctx, engine.DisruptionBudget{Name: "known", Spec: disruption.Budget{MinAvailable: "1"}}, nil)
	if err != nil || budget.UID == "" {
		t.Fatalf("%+v, %v", budget, err)
	}
	run, status, err := e.ApplyUpdateRun(ctx, engine.UpdateRun{
		Reference: engine.Reference{Name: "known"}, Spec: stagedupdate.Run{PlacementName: "none", StrategyName: "none"},
	}, engine.RunOptions{Create: true})
	if err != nil || status == nil || run.UID == "" {
		t.Fatalf("%+v, %+v, %v", run, status, err)
	}
	readOverride, errOverride := e.ReadOverride(ctx, o.Reference, &override.Override)
	readBudget, errBudget := e.ReadDisruptionBudget(ctx, "known", &budget)
	readRun, _, errRun := e.ReadUpdateRun(ctx, run.Reference, &run)
	if err := errors.Join(errOverride, errBudget, errRun); err != nil || readOverride.UID != override.UID || readBudget.UID != budget.UID || readRun.UID != run.UID {
		t.Errorf("%q %q %q, %v", readOverride.UID, readBudget.UID, readRun.UID, err)
	}
	o.UID = "" // without a known UID, the name decides
	for _, err := range []error{e.DeleteOverride(ctx, override.Override), e.DeleteDisruptionBudget(ctx, budget), e.DeleteUpdateRun(ctx, run), e.DeleteOverride(ctx, o)} {
		if err != nil {
			t.Error(err)
		}
	}
}

// An eviction is deleted when its apply ends, so that it is not executed later.
func TestUndecidedEviction(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	limited, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	// The hub stores the eviction, but reads of it fail until the time limit. The first read, before the write, succeeds.
	var reads atomic.Int64
	h.Inject(clusters.Fault{Context: env.Hub, Status: http.StatusServiceUnavailable, Match: func(r clusters.Request) bool {
		return r.Method == http.MethodGet && strings.Contains(r.Path, "evictions/") && reads.Add(1) > 1 && limited.Err() == nil
	}})
	err := h.engine().Evict(limited, engine.Eviction{Placement: "nobodys", Cluster: memberName})
	if err == nil || !strings.Contains(err.Error(), "deletes the eviction") {
		t.Error(err)
	}
	left, err := h.client.List(t.Context(), strings.TrimSpace(placementAPI), "ClusterResourcePlacementEviction", "", "")
	if err != nil || len(left) > 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// An approval cannot be revoked. If the response to an approval is lost, or the hub cannot serve the first attempt, the approval must not be reported as
// missing.
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
