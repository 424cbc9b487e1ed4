package hubs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/crds"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// serve has the hub serve those versions of the kinds that the engine speaks that are wanted.
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

// spoken are the kinds that are written and read here.
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

// awaitServed waits until the hub serves what it is to serve, and no more.
func (h *hub) awaitServed(want map[string]bool) {
	h.Helper()
	cluster := connect(env.Hub, env.Kubeconfig)
	defer cluster.Close()
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
		if err == nil && len(missing) == 0 {
			return
		}
		if time.Now().After(deadline) {
			h.Fatalf("the hub serves these, or not, and is not to: %v, %v", missing, err)
		}
	}
}

// Whatever versions a hub serves, with and without envelopes of its own: what is written is stored, is read back as it was written, is
// written once, and is removed.
func TestVersions(t *testing.T) {
	h := newHub(t)
	t.Cleanup(func() { h.serve(func(string, string) bool { return true }) })
	only := func(version string) func(kind, served string) bool {
		return func(kind, served string) bool { return served == version || unversioned[kind] }
	}
	for i, row := range []struct {
		name   string
		serves func(kind, version string) bool
		speaks string
		keeps  []string
	}{
		{"both", func(string, string) bool { return true }, "v1beta1", []string{"ResourceEnvelope", "ClusterResourceEnvelope"}},
		{"only v1beta1", only("v1beta1"), "v1beta1", []string{"ResourceEnvelope", "ClusterResourceEnvelope"}},
		{"only v1", only("v1"), "v1", []string{"ResourceEnvelope", "ClusterResourceEnvelope"}},
		{"no envelopes", func(kind, _ string) bool { return kind != "ResourceEnvelope" && kind != "ClusterResourceEnvelope" }, "v1beta1", []string{"ConfigMap"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			h := h.part(t)
			h.serve(row.serves)
			h.life(fmt.Sprint("versions-", i), row.speaks, row.keeps)
		})
	}
}

// unversioned are kinds that have no v1, as published.
var unversioned = map[string]bool{"ResourceEnvelope": true, "ClusterResourceEnvelope": true}

// life is that of one thing of each kind.
func (h *hub) life(name, speaks string, keeps []string) {
	h.Helper()
	e := h.engine()
	h.put(content(name))
	h.join(e)
	want := engine.Member{Spec: registration()}
	read, err := e.ReadMember(h.Context(), memberName, &want)
	if diff := cmp.Diff(want.Spec, read.Spec); diff != "" || err != nil {
		h.Error(err, diff)
	}

	spec := envelope.Spec{Namespace: name, Name: "envelope", Manifests: map[string]string{
		"quota.yaml": "apiVersion: v1\nkind: ResourceQuota\nmetadata:\n  name: quota\n  namespace: " + name + "\nspec:\n  hard:\n    pods: \"5\"\n",
		"role.yaml":  "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata:\n  name: " + name + "\n",
	}}
	enveloped, err := e.ApplyEnvelope(h.Context(), spec, nil)
	if err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() { _ = h.engineAt(env.Kubeconfig).DeleteEnvelope(context.Background(), enveloped) })
	var kinds []string
	for _, object := range enveloped.Objects {
		kinds = append(kinds, object.Kind)
	}
	if !slices.Equal(kinds, keeps) {
		h.Errorf("the envelope is kept in %v", kinds)
	}
	again, err := e.ReadEnvelope(h.Context(), engine.Reference{Namespace: name, Name: "envelope"}, &enveloped)
	if diff := cmp.Diff(spec.Manifests, again.Spec.Manifests); diff != "" || err != nil {
		h.Error(err, diff)
	}

	o := greeting(name)
	if _, err := e.ApplyOverride(h.Context(), o, nil); err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() { _ = h.engineAt(env.Kubeconfig).DeleteOverride(context.Background(), o) })
	kept, err := e.ReadOverride(h.Context(), o.Reference, &o)
	if diff := cmp.Diff(o.Namespaced, kept.Namespaced); diff != "" || err != nil {
		h.Error(err, diff)
	}

	p := placing(name)
	p.Spec.Strategy = &placement.Strategy{ApplyStrategy: &placement.ApplyStrategy{WhenToTakeOver: placement.TakeOverIfNoDiff}}
	h.refuses(e, p, speaks)
	preview, err := e.Preview(h.Context(), p, engine.PreviewOptions{Create: true})
	if err != nil || !preview.Pending() {
		h.Fatalf("%+v, %v", preview, err)
	}
	p = h.place(e, p)
	placed, err := env.Client(memberName)
	if err != nil {
		h.Fatal(err)
	}
	settings, err := placed.Get(h.Context(), "v1", "ConfigMap", name, "settings")
	if err != nil {
		h.Fatal(err)
	}
	if data, _, _ := unstructured.NestedString(settings.Object, "data", "greeting"); data != "overridden" {
		h.Errorf("on the member: %v", settings)
	}
	recorded, err := e.ReadPlacement(h.Context(), p)
	if err != nil {
		h.Fatal(err)
	}
	if diff := cmp.Diff(p.Spec, recorded.Spec); diff != "" {
		h.Error(diff)
	}
	if found := fixture.ParseRef("placement.kubernetes-fleet.io/" + speaks + " ClusterResourcePlacement " + name); h.stored(found) == nil {
		h.Errorf("the hub has no %s", found)
	}

	h.Reset()
	if _, err := h.engine().Preview(h.Context(), p, engine.PreviewOptions{}); err != nil {
		h.Error(err)
	}
	ofFleet := slices.DeleteFunc(h.asked(), func(r clusters.Request) bool {
		return !strings.Contains(r.Path, "kubernetes-fleet.io") || strings.Contains(r.Path, "/namespaces/")
	})
	if len(ofFleet) > 8 { // and one for who the hub is
		h.Errorf("a plan asks %d times: %v", len(ofFleet), ofFleet)
	}

	h.Reset()
	second := h.engine()
	_, errMember := second.ApplyMember(h.Context(), want, &want)
	_, errEnvelope := second.ApplyEnvelope(h.Context(), spec, &enveloped)
	_, errOverride := second.ApplyOverride(h.Context(), o, &o)
	_, errPlacement := second.ApplyPlacement(h.Context(), p, engine.ApplyOptions{WaitUntilAvailable: true})
	if err := errors.Join(errMember, errEnvelope, errOverride, errPlacement); err != nil {
		h.Error(err)
	}
	h.idle("a second apply writes")
}

func (h *hub) stored(ref fixture.Ref) *unstructured.Unstructured {
	h.Helper()
	u, err := h.client.Find(h.Context(), ref)
	if err != nil {
		h.Fatal(err)
	}
	return u
}

// greeting is an override of what content has.
func greeting(name string) engine.Override {
	return engine.Override{
		Reference: override.Reference{Namespace: name, Name: "greeting"},
		Namespaced: &override.Spec{
			ResourceSelectors: []override.Selector{{Version: "v1", Kind: "ConfigMap", Name: "settings"}},
			Policy: &override.Policy{OverrideRules: []override.Rule{{
				ClusterSelector:    &override.ClusterSelector{ClusterSelectorTerms: []placement.ClusterSelectorTerm{}},
				JSONPatchOverrides: []override.Patch{{Operation: "replace", Path: "/data/greeting", Value: []byte(`"overridden"`)}},
			}}},
		},
	}
}

// refuses fails the test unless what v1 has no fields for is refused in the plan and in the apply, at the argument, and before anything is
// written. v1beta1 has them.
func (h *hub) refuses(e engine.Engine, p engine.Placement, speaks string) {
	h.Helper()
	h.Reset()
	for at, strategy := range map[string]placement.Strategy{
		"strategy.delete_strategy":      {DeleteStrategy: &placement.DeleteStrategy{PropagationPolicy: placement.AbandonObjects}},
		"strategy.report_back_strategy": {ReportBackStrategy: &placement.ReportBackStrategy{Type: placement.ReportBackMirror, Destination: "WorkAPI"}},
	} {
		p.Spec.Strategy = &strategy
		_, err := e.Preview(h.Context(), p, engine.PreviewOptions{Create: true})
		if limitation, is := errors.AsType[*engine.LimitationError](err); is != (speaks == "v1") || is && limitation.Path.String() != at {
			h.Errorf("the plan with %s: %v", at, err)
		}
		if speaks != "v1" {
			continue
		}
		_, err = e.ApplyPlacement(h.Context(), p, engine.ApplyOptions{Create: true})
		if limitation, is := errors.AsType[*engine.LimitationError](err); !is || limitation.Path.String() != at {
			h.Errorf("the apply with %s: %v", at, err)
		}
	}
	if speaks == "v1" {
		careless := registration()
		careless.Name, careless.DeleteOptions = "careless", &member.DeleteOptions{ValidationMode: member.SkipValidation}
		careless.Identity = &member.Identity{Kind: member.User, Name: "agent"}
		_, err := e.ApplyMember(h.Context(), engine.Member{Spec: careless}, nil)
		if limitation, is := errors.AsType[*engine.LimitationError](err); !is || limitation.Path.String() != "delete_options" {
			h.Errorf("a member with delete_options: %v", err)
		}
	}
	h.idle("what is refused is written")
}
