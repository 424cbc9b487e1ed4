package hubs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// TestVersions checks for hubs that serve v1, v1beta1 or both, and for a hub without the kinds of envelopes, that an object is stored, reads as it was written,
// and is written only once.
func TestVersions(t *testing.T) {
	h := newHub(t)
	t.Cleanup(func() { h.serve(func(string, string) bool { return true }) })
	only := func(version string) func(kind, served string) bool {
		return func(kind, served string) bool { return served == version || unversioned[kind] }
	}
	for i, row := range []struct {
		// all reports that only make test-all runs the case: other tests cover such a hub.
		all    bool
		name   string
		serves func(kind, version string) bool
		speaks string
		keeps  []string
	}{
		{true, "both", func(string, string) bool { return true }, "v1beta1", []string{"ResourceEnvelope", "ClusterResourceEnvelope"}},
		{true, "only v1beta1", only("v1beta1"), "v1beta1", []string{"ResourceEnvelope", "ClusterResourceEnvelope"}},
		{false, "only v1", only("v1"), "v1", []string{"ResourceEnvelope", "ClusterResourceEnvelope"}},
		{false, "no envelopes", func(kind, _ string) bool { return kind != "ResourceEnvelope" && kind != "ClusterResourceEnvelope" }, "v1beta1", []string{"ConfigMap"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			if row.all && testing.Short() {
				t.Skip("make test-all runs it")
			}
			h := h.part(t)
			h.leave()
			h.serve(row.serves)
			h.life(fmt.Sprint("versions-", i), row.speaks, row.keeps)
		})
	}
}

// unversioned are the published kinds without a v1.
var unversioned = map[string]bool{"ResourceEnvelope": true, "ClusterResourceEnvelope": true}

// life creates and reads one object of each kind, and checks that a second apply writes nothing.
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
	enveloped := h.envelops(e, name, keeps)
	o := h.overrides(e, name)
	p := h.places(e, name, speaks)

	h.Reset()
	second := h.engine()
	_, errMember := second.ApplyMember(h.Context(), want, &want)
	_, errEnvelope := second.ApplyEnvelope(h.Context(), enveloped.Spec, &enveloped)
	_, errOverride := second.ApplyOverride(h.Context(), o, &o)
	_, errPlacement := second.ApplyPlacement(h.Context(), p, engine.ApplyOptions{WaitUntilAvailable: true})
	if err := errors.Join(errMember, errEnvelope, errOverride, errPlacement); err != nil {
		h.Error(err)
	}
	h.idle("a second apply writes")
}

// envelops fails the test unless a written envelope is stored in these kinds and reads as it was written.
func (h *hub) envelops(e engine.Engine, name string, keeps []string) engine.Envelope {
	h.Helper()
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
	asked := spec
	asked.WireFormat = envelope.FormatResourceEnvelope
	_, _, err = e.EnvelopeSelectors(h.Context(), asked)
	if _, missing := errors.AsType[*engine.NotServedError](err); missing != slices.Contains(keeps, "ConfigMap") {
		h.Errorf("asked for a ResourceEnvelope: %v", err)
	}
	again, err := e.ReadEnvelope(h.Context(), engine.Reference{Namespace: name, Name: "envelope"}, &enveloped)
	if diff := cmp.Diff(spec.Manifests, again.Spec.Manifests); diff != "" || err != nil {
		h.Error(err, diff)
	}
	return enveloped
}

// overrides fails the test unless a written override reads as it was written.
func (h *hub) overrides(e engine.Engine, name string) engine.Override {
	h.Helper()
	o := greeting(name)
	if _, err := e.ApplyOverride(h.Context(), o, nil); err != nil {
		h.Fatal(err)
	}
	h.Cleanup(func() { _ = h.engineAt(env.Kubeconfig).DeleteOverride(context.Background(), o) })
	kept, err := e.ReadOverride(h.Context(), o.Reference, &o)
	if diff := cmp.Diff(o.Namespaced, kept.Namespaced); diff != "" || err != nil {
		h.Error(err, diff)
	}
	return o
}

// places places the overridden objects. The placement on the hub must read as it was written, in the version that is used.
func (h *hub) places(e *kubefleet.Engine, name, speaks string) engine.Placement {
	h.Helper()
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
	if _, err := h.engine().Preview(h.Context(), p, engine.PreviewOptions{Unchanged: true}); err != nil {
		h.Error(err)
	}
	ofFleet := slices.DeleteFunc(h.asked(), func(r clusters.Request) bool {
		return !strings.Contains(r.Path, "kubernetes-fleet.io") || strings.Contains(r.Path, "/namespaces/")
	})
	if len(ofFleet) > 5 { // two for the kinds of overrides
		h.Errorf("a plan asks %d times: %v", len(ofFleet), ofFleet)
	}
	return p
}

func (h *hub) stored(ref fixture.Ref) *unstructured.Unstructured {
	h.Helper()
	u, err := h.client.Find(h.Context(), ref)
	if err != nil {
		h.Fatal(err)
	}
	return u
}

// greeting is an override of the object in content.
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

// refuses fails the test unless fields that v1 does not have are rejected at their argument, in the plan and in the apply, before anything is written.
// v1beta1 has these fields.
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
	careless := registration()
	careless.DeleteOptions = &member.DeleteOptions{ValidationMode: member.SkipValidation}
	refused := e.ServesMember(h.Context(), careless)
	if limitation, is := errors.AsType[*engine.LimitationError](refused); is != (speaks == "v1") || is && limitation.Path.String() != "delete_options" {
		h.Errorf("the plan of a member with delete_options: %v", refused)
	}
	if speaks == "v1" {
		careless.Name = "careless"
		careless.Identity = &member.Identity{Kind: member.User, Name: "agent"}
		_, err := e.ApplyMember(h.Context(), engine.Member{Spec: careless}, nil)
		if limitation, is := errors.AsType[*engine.LimitationError](err); !is || limitation.Path.String() != "delete_options" {
			h.Errorf("a member with delete_options: %v", err)
		}
	}
	h.idle("what is refused is written")
}
