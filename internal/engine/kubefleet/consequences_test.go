package kubefleet_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/member"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// depending is a placement on all members that takes over pre-existing objects, and an envelope in the Namespace that it selects.
type depending struct {
	*enginetest.World
	engine  *kubefleet.Engine
	request enginetest.Request
	kept    engine.Envelope
}

func newDepending(t *testing.T) *depending {
	t.Helper()
	return newDependingOn(t, func(*depending) {})
}

// newDependingOn calls prepare before the placement is applied.
func newDependingOn(t *testing.T, prepare func(d *depending)) *depending {
	t.Helper()
	w := fleet.World(t, 2)
	w.Put(w.Env.Hub, "{apiVersion: v1, kind: Namespace, metadata: {name: $ns}}")
	d := &depending{World: w, request: enginetest.Request{Name: w.Name, Spec: placement.Spec{
		ResourceSelectors: []placement.ResourceSelector{{Version: "v1", Kind: "Namespace", Name: w.Name}},
		Policy:            on(w.Members...), Strategy: new(takingOver(placement.TakeOverAlways)),
	}}}
	d.connect()
	d.DeleteAtEnd(d.request)
	prepare(d)
	d.kept = apply(w, d.engine, d.enveloping("a"), nil)
	d.request = d.request.After(d.Apply(d.request).Status)
	return d
}

// enveloping returns the envelope with a quota for each name.
func (d *depending) enveloping(names ...string) envelope.Spec {
	out := envelope.Spec{Namespace: d.Name, Name: d.Name, Manifests: map[string]string{}}
	for _, name := range names {
		out.Manifests[name+".yaml"] = quota(name)
	}
	return out
}

func (d *depending) connect() {
	d.Helper()
	found := d.Engine()
	connected, is := found.(*kubefleet.Engine)
	if !is {
		d.Fatalf("the engine is a %T", found)
	}
	d.engine = connected
}

func quota(name string) string {
	return fmt.Sprintf("{apiVersion: v1, kind: ResourceQuota, metadata: {name: %s}, spec: {hard: {pods: \"5\"}}}", name)
}

// planting creates a quota of another owner on a member.
func (d *depending) planting(member, name string) {
	d.Put(member, "{apiVersion: v1, kind: ResourceQuota, metadata: {name: "+name+", namespace: $ns}, spec: {hard: {pods: \"1\"}}}")
}

func (d *depending) enveloped(want *envelope.Spec) engine.World {
	reference := engine.Reference{Namespace: d.Name, Name: d.Name}
	return engine.World{Envelopes: map[engine.Reference]engine.Planned[envelope.Spec]{reference: {Want: want}}}
}

func (d *depending) consequences(change engine.World, expected engine.Expectations) []engine.Consequence {
	d.Helper()
	found, err := d.engine.PreviewChange(d.Context(), change, expected)
	if err != nil {
		d.Fatal(err)
	}
	for _, c := range found {
		if c.Err != nil {
			d.Fatal(c.Placement, c.Err)
		}
	}
	return found
}

// actions returns the predicted actions on objects, by placement, cluster and object.
func actions(found []engine.Consequence) map[string]string {
	out := map[string]string{}
	for _, consequence := range found {
		for _, cluster := range consequence.Preview.Clusters {
			for _, o := range cluster.Objects {
				out[fmt.Sprintf("%s %s %s", consequence.Placement, cluster.Name, o.Name)] = string(o.Action)
			}
		}
	}
	return out
}

func expect(found []engine.Consequence) engine.Expectations {
	out := engine.Expectations{}
	for _, c := range found {
		out[c.Placement] = engine.Expect(c.Preview)
	}
	return out
}

// TestConsequencesOfEnvelope checks that exactly the objects affected by a change of an envelope are previewed, and that the apply must match the preview.
func TestConsequencesOfEnvelope(t *testing.T) {
	t.Parallel()
	d := newDepending(t)
	d.planting("member-2", "b")
	more, none := d.enveloping("a", "b"), d.enveloping("b")
	adds, replaces := d.enveloped(&more), d.enveloped(&none)

	shown := d.consequences(adds, nil)
	want := map[string]string{d.Name + " member-1 b": "create", d.Name + " member-2 b": "take_over"}
	if diff := cmp.Diff(want, actions(shown)); diff != "" {
		t.Error(diff)
	}
	want[d.Name+" member-1 a"], want[d.Name+" member-2 a"] = "prune", "prune"
	if diff := cmp.Diff(want, actions(d.consequences(replaces, nil))); diff != "" {
		t.Error(diff)
	}
	if found := d.consequences(d.enveloped(new(d.enveloping("a"))), nil); len(found) > 0 {
		t.Errorf("an unchanged envelope changes %v", actions(found))
	}
	if got := actions(d.consequences(d.enveloped(nil), nil)); got[d.Name+" member-1 a"] != "prune" {
		t.Errorf("the removal of the envelope does %v", got)
	}

	// An agent deletes and recreates an object that moves to another envelope.
	moves := d.enveloped(nil)
	moves.Envelopes[engine.Reference{Namespace: d.Name, Name: "other"}] = engine.Planned[envelope.Spec]{
		Want: &envelope.Spec{Namespace: d.Name, Name: "other", Manifests: d.enveloping("a").Manifests},
	}
	if diff := cmp.Diff(map[string]string{d.Name + " member-1 a": "replace", d.Name + " member-2 a": "replace"}, actions(d.consequences(moves, nil))); diff != "" {
		t.Error(diff)
	}

	expected := expect(shown)
	if err := expected.Verify(d.consequences(adds, expected)); err != nil {
		t.Errorf("nothing has changed: %v", err)
	}
	err := expected.Verify(d.consequences(replaces, expected))
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("placement %q: ResourceQuota %s/a", d.Name, d.Name)) {
		t.Errorf("a deletion that was not shown: %v", err)
	}
	d.planting("member-1", "b")
	if err := expected.Verify(d.consequences(adds, expected)); err == nil || !strings.Contains(err.Error(), "member-1") {
		t.Errorf("an object has appeared on member-1: %v", err)
	}
	if _, err := d.engine.PreviewChange(d.Context(), engine.World{Unnamed: []string{engine.KindEnvelope}}, nil); err == nil || !strings.Contains(err.Error(), "after apply") {
		t.Errorf("an envelope that is not known yet: %v", err)
	}
	if err := (engine.Expectations{}).Verify(d.consequences(adds, engine.Expectations{})); err == nil {
		t.Error("no plan has shown the placement")
	}
}

// TestConsequencesOfInvalidPlacement checks that a placement that selects an unknown kind does not hide the consequences for other placements. It also checks
// that a placement with the same object in two envelopes is previewed if the change removes one of the two.
func TestConsequencesOfInvalidPlacement(t *testing.T) {
	t.Parallel()
	d := newDepending(t)
	d.Put(d.Env.Hub, `{apiVersion: placement.kubernetes-fleet.io/v1beta1, kind: ClusterResourcePlacement, metadata: {name: $ns-invalid}, spec: {resourceSelectors: [
		{group: "", version: v1, kind: Namespace, name: $ns}, {group: example.org, version: v1, kind: Unknown, name: a}]}}`)
	defer func() { // the agents have to remove it
		const invalid = "placement.kubernetes-fleet.io/v1beta1 ClusterResourcePlacement $ns-invalid"
		d.Remove(d.Env.Hub, invalid)
		d.AwaitGone(d.Env.Hub, invalid)
	}()
	more := d.enveloping("a", "b")
	if got := actions(d.consequences(d.enveloped(&more), nil)); len(got) != len(d.Members) {
		t.Errorf("%v", got)
	}

	second := envelope.Spec{Namespace: d.Name, Name: "second", Manifests: map[string]string{"a.yaml": quota("a")}}
	apply(d.World, d.engine, second, nil)
	d.planting("member-2", "b")
	fixed := d.enveloping("b") // after this change, each quota is in only one envelope
	want := map[string]string{d.Name + " member-2 b": "take_over", d.Name + " member-1 b": "create"}
	got := actions(d.consequences(d.enveloped(&fixed), nil))
	for key, action := range want {
		if got[key] != action {
			t.Errorf("%s: %q", key, got[key])
		}
	}
}

// TestConsequencesOfOverride checks that the preview of an override covers the placement that the override names, and no other.
func TestConsequencesOfOverride(t *testing.T) {
	t.Parallel()
	d := newDepending(t)
	reference := override.Reference{Name: d.Name}
	deletes := func(placementName string) engine.World {
		spec := &override.ClusterSpec{
			ClusterResourceSelectors: []placement.ResourceSelector{{Version: "v1", Kind: "Namespace", Name: d.Name}},
			Placement:                &override.PlacementReference{Name: placementName},
			Policy:                   &override.Policy{OverrideRules: []override.Rule{{OverrideType: override.Delete, ClusterSelector: &override.ClusterSelector{}}}},
		}
		return engine.World{Overrides: map[override.Reference]engine.Planned[engine.Override]{
			reference: {Want: &engine.Override{Reference: reference, Cluster: spec}},
		}}
	}
	if found := d.consequences(deletes("another"), nil); len(found) > 0 {
		t.Errorf("an override for another placement changes %v", actions(found))
	}
	want := map[string]string{}
	for _, member := range d.Members {
		want[fmt.Sprintf("%s %s %s", d.Name, member, d.Name)], want[fmt.Sprintf("%s %s a", d.Name, member)] = "prune", "prune"
	}
	if diff := cmp.Diff(want, actions(d.consequences(deletes(d.Name), nil))); diff != "" {
		t.Error(diff)
	}
}

// TestConsequencesOfMember checks that the preview covers a member that existing placements pick because of its new labels.
func TestConsequencesOfMember(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 2)
	w.Put(w.Env.Hub, app)
	d := &depending{World: w, request: placing(w)}
	d.connect()
	d.request.Spec.Policy = &placement.Policy{PlacementType: placement.PickAll, Affinity: &placement.Affinity{ClusterAffinity: &placement.ClusterAffinity{
		Required: &placement.ClusterSelector{ClusterSelectorTerms: []placement.ClusterSelectorTerm{
			{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{d.Name: "yes"}}},
		}},
	}}}
	d.request.Spec.Strategy = new(takingOver(placement.TakeOverAlways))
	d.DeleteAtEnd(d.request)
	d.Apply(d.request)
	d.Put("member-2", app)

	labelled := func(labels map[string]string) engine.World {
		return engine.World{Members: map[string]engine.Planned[member.Spec]{"member-2": {Want: &member.Spec{Name: "member-2", Labels: labels}, Was: &member.Spec{Name: "member-2"}}}}
	}
	found := d.consequences(labelled(map[string]string{d.Name: "yes"}), nil)
	for _, action := range actions(found) {
		if action != "take_over" {
			t.Errorf("%v", actions(found))
		}
	}
	if len(found) != 1 || found[0].Placement != d.Name || len(actions(found)) != 2 {
		t.Errorf("%v", actions(found))
	}
	if found := d.consequences(labelled(map[string]string{d.Name: "no"}), nil); len(found) > 0 {
		t.Errorf("a label that no placement selects changes %v", actions(found))
	}
}

// TestConsequencesOfRemovedMember checks that the preview covers the clusters that placements pick in place of a removed member.
func TestConsequencesOfRemovedMember(t *testing.T) {
	t.Parallel()
	d := newDependingOn(t, func(d *depending) {
		d.carryOut(d.label("member-1", "yes"))
		d.request.Spec.Policy = labelled(placement.PickN)(d)
		d.request.Spec.Policy.NumberOfClusters = new(int32(1))
	})
	d.carryOut(d.label("member-2", "yes"))
	d.planting("member-2", "a")
	removed := engine.World{Members: map[string]engine.Planned[member.Spec]{"member-1": {Was: &member.Spec{Name: "member-1"}}}}
	want := map[string]string{d.Name + " member-2 " + d.Name: "take_over", d.Name + " member-2 a": "take_over"}
	got := actions(d.consequences(removed, nil))
	maps.DeleteFunc(got, func(key, _ string) bool { return !strings.HasPrefix(key, d.Name+" ") }) // placements of other tests
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
