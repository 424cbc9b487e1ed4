package kube

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

func TestWhatANamespaceWaitsFor(t *testing.T) {
	live := fromYAML(t, `
apiVersion: v1
kind: Namespace
metadata: {name: web, deletionTimestamp: "2026-01-02T03:04:05Z", finalizers: [a/b]}
status:
  conditions:
  - {type: NamespaceContentRemaining, status: "True", message: "Some resources are remaining: pods. has 2 resource instances"}
  - {type: NamespaceDeletionDiscoveryFailure, status: "False", message: "All resources successfully discovered"}
`)
	err := newStillThereError("m-1", RefOf(live), live)
	assertErrorContains(t, err, "terminating since 2026-01-02T03:04:05Z", "finalizers a/b", "pods. has 2 resource instances")
	if len(err.Remaining) != 1 {
		t.Error(err.Remaining)
	}
}

func TestWaitingOutlastsShortFailures(t *testing.T) {
	fake := startFake(t)
	var calls atomic.Int32
	fake.on("GET "+configMapsPath+"/a", func(w http.ResponseWriter, r *http.Request) {
		switch calls.Add(1) {
		case 1:
			writeJSON(w, 200, configMap("a"))
		case 2:
			http.Error(w, "no", 500)
		default:
			notFound("a")(w, r)
		}
	})
	cluster := fake.cluster(t)
	ref := Ref{GVK: configMapGVK, Namespace: "default", Name: "a"}
	if err := cluster.WaitGone(testContext(t), ref, ""); err != nil {
		t.Error(err)
	}

	fake.on("GET "+configMapsPath+"/a", func(w http.ResponseWriter, _ *http.Request) {
		if calls.Add(1)%2 == 0 {
			writeJSON(w, 200, configMap("a"))
			return
		}
		http.Error(w, "no", 500)
	})
	calls.Store(1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	assertErrorContains(t, cluster.WaitGone(ctx, ref, ""), "it still exists, and is not being deleted")

	fake.on("GET "+configMapsPath+"/a", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, 403, status(403, "Forbidden", `User "u" cannot get`, nil))
	})
	if err := cluster.WaitGone(testContext(t), ref, ""); !IsForbidden(err) {
		t.Error("an error that waiting cannot fix:", err)
	}
}
