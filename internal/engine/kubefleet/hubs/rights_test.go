package hubs

import (
	"strings"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/rights"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

// as returns an engine whose account has the rights in a file on the hub, and read access on the member. Its requests are recorded.
func (h *hub) as(file string) *kubefleet.Engine {
	h.Helper()
	return h.engineAt(rights.Kubeconfig(h.T, env, map[string]rights.Account{
		env.Hub:    {File: "kubefleet/" + file, Namespace: "terraform", Name: strings.TrimSuffix(file, ".yaml")},
		memberName: {File: "kubefleet/member.yaml", Namespace: "terraform", Name: "member"},
	}))
}

// TestDocumentedRights checks that the documented rights suffice: the rights for plans to plan, and the rights for applies to do everything.
func TestDocumentedRights(t *testing.T) {
	h := newHub(t)
	planner, applier := h.part(t).as("hub-plan.yaml"), h.part(t).as("hub-apply.yaml")
	const name = "rights"
	h.put(content(name))
	h.leave()
	h.join(applier)
	p := placing(name)
	plans := func(p engine.Placement, create bool) *engine.Preview {
		t.Helper()
		preview, err := planner.Preview(t.Context(), p, engine.PreviewOptions{Create: create})
		if err != nil {
			t.Fatal(err)
		}
		for _, cluster := range preview.Clusters {
			if cluster.Err != nil || len(cluster.Objects) == 0 {
				t.Errorf("%s: %d objects, %v", cluster.Name, len(cluster.Objects), cluster.Err)
			}
		}
		return preview
	}
	plans(p, true)
	if _, err := planner.ApplyPlacement(t.Context(), p, engine.ApplyOptions{Create: true}); !kube.IsForbidden(err) {
		t.Errorf("who may plan applies: %v", err)
	}
	p = h.place(applier, p)
	o := greeting(name)
	if _, err := applier.ApplyOverride(t.Context(), o, nil); err != nil {
		t.Error(err)
	}
	e, err := applier.ApplyEnvelope(t.Context(), envelope.Spec{Namespace: name, Name: "envelope", Manifests: map[string]string{
		"quota.yaml": "{apiVersion: v1, kind: ResourceQuota, metadata: {name: quota, namespace: " + name + "}, spec: {hard: {pods: 5}}}",
	}}, nil)
	if err != nil {
		t.Error(err)
	}
	if access, err := applier.AgentAccess(t.Context(), memberName, time.Hour); err != nil || access.Token == "" {
		t.Error(err)
	}
	p.Spec.Strategy = &placement.Strategy{ApplyStrategy: &placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverIfNoDiff}}
	plans(p, false)
	p = h.place(applier, p)
	h.narrow("terraform-hub-plan-objects")
	h.narrow("terraform-hub-apply-objects")
	h.reads(planner, p, o)
	if err := applier.DeleteOverride(t.Context(), o); err != nil {
		t.Error(err)
	}
	if err := applier.DeleteEnvelope(t.Context(), e); err != nil {
		t.Error(err)
	}
	if _, err := applier.DeletePlacement(t.Context(), p, engine.DeleteOptions{}); err != nil {
		t.Error(err)
	}
	if err := applier.DeleteMember(t.Context(), engine.Member{Spec: registration()}); err != nil {
		t.Error(err)
	}
}

// reads fails the test unless the planner can read everything.
func (h *hub) reads(planner engine.Engine, p engine.Placement, o engine.Override) {
	h.Helper()
	for what, read := range map[string]func() error{
		"member":    func() error { _, err := planner.ReadMember(h.Context(), memberName, nil); return err },
		"members":   func() error { _, err := planner.ListMembers(h.Context()); return err },
		"placement": func() error { _, err := planner.ReadPlacement(h.Context(), p); return err },
		"override":  func() error { _, err := planner.ReadOverride(h.Context(), o.Reference, nil); return err },
		"envelope": func() error {
			_, err := planner.ReadEnvelope(h.Context(), engine.Reference{Namespace: p.Name, Name: "envelope"}, nil)
			return err
		},
		"removal": func() error {
			preview, err := planner.PreviewDelete(h.Context(), p, engine.DeleteOptions{})
			if err == nil && !preview.Pending() {
				h.Errorf("nothing is removed: %+v", preview)
			}
			return err
		},
	} {
		if err := read(); err != nil {
			h.Errorf("%s: %v", what, err)
		}
	}
}

// narrow removes from an account the right to read all kinds that placements may select. Only the listed rights on KubeFleet's own kinds remain.
func (h *hub) narrow(role string) {
	h.Helper()
	ref := fixture.Ref{APIVersion: "rbac.authorization.k8s.io/v1", Kind: "ClusterRole", Name: role}
	if err := h.client.Merge(h.Context(), ref, []byte(`{"rules":[]}`), "", false); err != nil {
		h.Fatal(err)
	}
}

// An account with read access to everything on the hub and on the members gets a complete plan, and no apply.
func TestReadersPlan(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	t.Parallel()
	h := newHub(t)
	const name = "readers"
	h.put(content(name))
	h.join(h.engine())
	readers := clusterset.New(h.connectAs(env.Hub, clusters.Readonly), map[string]*kube.Cluster{memberName: h.connectAs(memberName, clusters.Readonly)}, 0)
	reader, err := kubefleet.New(readers)
	if err != nil {
		t.Fatal(err)
	}
	p := placing(name)
	preview, err := reader.Preview(t.Context(), p, engine.PreviewOptions{Create: true})
	if err != nil || len(preview.Clusters) != 1 || preview.Clusters[0].Err != nil || len(preview.Clusters[0].Objects) != 2 {
		t.Fatalf("%+v, %v", preview, err)
	}
	if _, err := reader.ApplyPlacement(t.Context(), p, engine.ApplyOptions{Create: true}); !kube.IsForbidden(err) {
		t.Errorf("who may only read applies: %v", err)
	}
	p = h.place(h.engine(), p)
	p.Spec.RevisionHistoryLimit = new(int32(5))
	if preview, err = reader.Preview(t.Context(), p, engine.PreviewOptions{}); err != nil || preview.Clusters[0].Err != nil {
		t.Errorf("%+v, %v", preview, err)
	}
	if preview, err = reader.PreviewDelete(t.Context(), p, engine.DeleteOptions{}); err != nil || !preview.Pending() {
		t.Errorf("%+v, %v", preview, err)
	}
}

// connectAs returns a client of a cluster in another context.
func (h *hub) connectAs(name string, as func(string) string) *kube.Cluster {
	if !env.Has(as(name)) {
		h.Skip("these clusters have no such user")
	}
	cluster := kube.NewCluster(name, connection.Connection{ConfigPath: env.Kubeconfig, ConfigContext: as(name)}, kube.Options{ShareFor: -1}, nil)
	h.Cleanup(cluster.Close)
	return cluster
}
