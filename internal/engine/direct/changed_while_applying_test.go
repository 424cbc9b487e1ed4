package direct_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// updating returns the request with an apply type that overwrites values of others, and with the number or percentage of clusters that are updated at a time.
func updating(request enginetest.Request, how placement.ApplyType, maxUnavailable string) enginetest.Request {
	strategy := placement.ApplyStrategy{Type: how}
	if how == placement.ServerSideApply {
		strategy.ServerSideApplyConfig = &placement.ServerSideApplyConfig{Force: new(true)}
	}
	request = request.Strategy(strategy)
	request.Spec.Strategy.RollingUpdate = &placement.RollingUpdate{MaxUnavailable: maxUnavailable, UnavailablePeriodSeconds: new(int64(1))}
	return request
}

// TestObjectChangesDuringRollout checks that a rolling update does not write an object that another client changes while the apply writes to an earlier cluster,
// and that the next plan shows the change.
func TestObjectChangesDuringRollout(t *testing.T) {
	t.Parallel()
	const manifest = "{apiVersion: v1, kind: ConfigMap, metadata: {name: %s}, data: {value: '%d', other: placed}}"
	for _, how := range applyTypes {
		for key, placed := range map[string]string{"value": "2", "other": "placed"} {
			w := newWorld(t)
			name := strings.ToLower("later-" + string(how)[:6] + "-" + key)
			object := "v1 ConfigMap " + name
			request := updating(w.newRequest(name, fmt.Sprintf(manifest, name, 1)), how, "1")
			w.DeleteAtEnd(request)
			request = request.After(w.Apply(request).Status).With(w.Manifests(fmt.Sprintf(manifest, name, 2)))
			request.Expected = w.expect(request)
			w.Inject(clusters.Fault{
				Match: onPath("member-1", http.MethodPatch, "/configmaps/"+name), Hook: runOnce(func() { w.Edit("member-2", object, "{data: {"+key+": theirs}}") }),
			})
			result, err := request.Apply(t.Context(), w.Engine())
			if err != nil {
				t.Fatal(err)
			}
			if got := w.value("member-1", name); got != "2" {
				t.Errorf("%s %s: member-1 has %q", how, key, got)
			}
			if theirs, value := w.Value("member-2", object, "data", key), w.value("member-2", name); theirs != "theirs" || value == "2" {
				t.Errorf("%s %s: the other client's value is %q, and the value is %q", how, key, theirs, value)
			}
			w.Contains(failures(result.Status, "member-2")[name], "ChangedSincePlan", "changed since the plan")

			request = request.After(result.Status)
			request.Expected = nil
			request.Expected = w.expect(request)
			w.checkComplete(w.Apply(request).Status)
			if got := w.Value("member-2", object, "data", key); got != placed {
				t.Errorf("%s %s: after the next apply, the value is %q", how, key, got)
			}
		}
	}
}

// TestStatusChangesDuringUpdate checks that an update does not fail if a controller writes the status before many of the attempts, and that it fails in the end
// if the controller never stops.
func TestStatusChangesDuringUpdate(t *testing.T) {
	t.Parallel()
	for _, how := range applyTypes {
		for _, changes := range []int{10, 100} {
			if changes == 100 && testing.Short() { // make test-all runs it
				continue
			}
			w := newWorld(t)
			request := updating(w.newRequest("busy", scaledDeployment("1")), how, "100%")
			w.DeleteAtEnd(request)
			request = request.After(w.Apply(request).Status).With(w.Manifests(scaledDeployment("2")))
			request.Expected = w.expect(request)
			var struck atomic.Int32
			w.Inject(clusters.Fault{
				Match: onPath("member-1", http.MethodPatch, "/deployments/scaled"), Times: changes, Hook: func(clusters.Request) {
					w.EditAs("member-1", autoscaler, "status", scaled, fmt.Sprintf("{status: {collisionCount: %d}}", struck.Add(1)))
				},
			})
			result, err := request.Apply(t.Context(), w.Engine())
			if err != nil {
				t.Fatal(err)
			}
			failure, isUpdated := failures(result.Status, "member-1")["scaled"], strings.Contains(jsonOf(t, w.Must("member-1", scaled).Object["spec"]), "a:2")
			isFailed, got := strings.HasPrefix(failure, "ManifestApplyFailed"), int(struck.Load())
			switch {
			case changes == 10 && (isFailed || !isUpdated || got != changes):
				t.Errorf("%s: after %d changes, updated is %t, and the failure is %q", how, got, isUpdated, failure)
			case changes == 100 && (!isFailed || isUpdated || got == changes):
				t.Errorf("%s: after %d changes without end, updated is %t, and the failure is %q", how, got, isUpdated, failure)
			}
		}
	}
}

// TestStatusChangesAfterMigration checks that the first server-side update of an object does not fail if a controller writes the status between the migration of
// the managedFields and the apply: the migration makes the placement the owner of the defaults that its creation has set.
func TestStatusChangesAfterMigration(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := updating(w.newRequest("migrated", scaledDeployment("1")), placement.ServerSideApply, "100%")
	w.DeleteAtEnd(request)
	request = request.After(w.Apply(request).Status).With(w.Manifests(scaledDeployment("2")))
	request.Expected = w.expect(request)
	isApply := func(r clusters.Request) bool {
		return onPath("member-1", http.MethodPatch, "/deployments/scaled")(r) && r.Query.Has("force")
	}
	w.Inject(clusters.Fault{Match: isApply, Times: 1, Hook: runOnce(func() { w.EditAs("member-1", autoscaler, "status", scaled, "{status: {collisionCount: 1}}") })})
	status := w.Apply(request).Status
	if got := jsonOf(t, w.Must("member-1", scaled).Object["spec"]); !strings.Contains(got, "a:2") {
		t.Errorf("the Deployment was not updated: %s: %s", failures(status, "member-1")["scaled"], got)
	}
}
