package hubs

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/crds"
)

// serve makes the hub serve only the wanted versions of the kinds in spoken.
func (h *hub) serve(wanted func(kind, version string) bool) {
	h.Helper()
	definitions, err := crds.Definitions()
	if err != nil {
		h.Fatal(err)
	}
	want := map[string]bool{}
	for _, definition := range definitions {
		kind := crds.Kind(definition)
		if !spoken[kind.Kind] {
			continue
		}
		live, err := h.client.Find(context.Background(), fixture.RefOf(definition))
		if err != nil {
			h.Fatal(err)
		}
		h.change(live, wanted)
		for _, version := range crds.Versions(definition) {
			want[kind.WithVersion(version.Name).String()] = wanted(kind.Kind, version.Name)
		}
	}
	h.awaitServed(want)
	h.agents.Rediscover()
}

// spoken are the kinds whose served versions the tests change.
var spoken = map[string]bool{
	"MemberCluster": true, "ClusterResourcePlacement": true, "ClusterResourceBinding": true, "ClusterResourceSnapshot": true,
	"ClusterSchedulingPolicySnapshot": true, "Work": true, "ClusterResourceOverride": true, "ResourceOverride": true, "ResourceEnvelope": true,
	"ClusterResourceEnvelope": true,
}

func (h *hub) change(definition *unstructured.Unstructured, wanted func(kind, version string) bool) {
	h.Helper()
	versions, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions")
	changed := false
	for _, item := range versions {
		version := item.(map[string]any)
		served := wanted(crds.Kind(definition).Kind, version["name"].(string))
		changed = changed || version["served"] != served
		version["served"] = served
	}
	if !changed {
		return
	}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"versions": versions}})
	if err != nil {
		h.Fatal(err)
	}
	if err := h.client.Merge(context.Background(), fixture.RefOf(definition), patch, "", false); err != nil {
		h.Fatal(err)
	}
}

// awaitServed waits until the hub serves exactly the wanted kinds in several consecutive responses: an API server publishes the changes of several
// definitions one after the other.
func (h *hub) awaitServed(want map[string]bool) {
	h.Helper()
	cluster := connect(env.Hub, env.Kubeconfig)
	defer cluster.Close()
	alike := 0
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(250 * time.Millisecond) {
		cluster.ResetDiscovery()
		kinds, err := cluster.Kinds(context.Background())
		served := map[string]bool{}
		for _, kind := range kinds {
			for _, version := range kind.Versions {
				kind.Version = version
				served[kind.GVK().String()] = true
			}
		}
		missing := slices.DeleteFunc(slices.Sorted(maps.Keys(want)), func(gvk string) bool { return served[gvk] == want[gvk] })
		if alike++; err != nil || len(missing) > 0 {
			alike = 0
		}
		if alike == 4 {
			return
		}
		if time.Now().After(deadline) {
			h.Fatalf("the hub serves these kinds although it should not, or does not serve them: %v, %v", missing, err)
		}
	}
}
