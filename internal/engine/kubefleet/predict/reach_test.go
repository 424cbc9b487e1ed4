package predict

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// TestCanReach checks which placements a change of an envelope or an override may affect.
func TestCanReach(t *testing.T) {
	t.Parallel()
	const placements = "placement.kubernetes-fleet.io"
	selecting := func(selectors ...placement.ResourceSelector) engine.Placement {
		return engine.Placement{Reference: engine.Reference{Name: "p"}, Spec: placement.Spec{ResourceSelectors: selectors}}
	}
	namespace := func(name string) placement.ResourceSelector {
		return placement.ResourceSelector{Version: "v1", Kind: "Namespace", Name: name}
	}
	role := placement.ResourceSelector{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "ClusterRole", Name: "reader"}
	in := func(namespace string) engine.Placement {
		return engine.Placement{Reference: engine.Reference{Namespace: namespace, Name: "p"}, Spec: placement.Spec{
			ResourceSelectors: []placement.ResourceSelector{{Group: placements, Version: "v1beta1", Kind: "ResourceEnvelope"}},
		}}
	}
	clusterEnvelopes := selecting(placement.ResourceSelector{Group: placements, Version: "v1beta1", Kind: "ClusterResourceEnvelope", Name: "e"})
	enveloped := engine.World{Envelopes: map[engine.Reference]engine.Planned[envelope.Spec]{{Namespace: "app", Name: "e"}: {}}}
	of := func(only *override.PlacementReference, selectors ...placement.ResourceSelector) override.Overrides {
		return override.Overrides{Cluster: []override.ClusterResourceOverride{{Name: "o", Spec: override.ClusterSpec{
			Placement: only, ClusterResourceSelectors: selectors,
		}}}}
	}
	namespaced := override.Overrides{Namespaced: []override.ResourceOverride{{Namespace: "app", Name: "o"}}}
	for name, c := range map[string]struct {
		placement engine.Placement
		change    engine.World
		changed   override.Overrides
		want      bool
	}{
		"envelope, its namespace":               {selecting(role, namespace("app")), enveloped, override.Overrides{}, true},
		"envelope, another namespace":           {selecting(namespace("web")), enveloped, override.Overrides{}, false},
		"envelope, namespaces by label":         {selecting(namespace("")), enveloped, override.Overrides{}, true},
		"envelope, cluster-scoped envelopes":    {clusterEnvelopes, enveloped, override.Overrides{}, true},
		"envelope, placement beside it":         {in("app"), enveloped, override.Overrides{}, true},
		"envelope, placement elsewhere":         {in("web"), enveloped, override.Overrides{}, false},
		"override, its namespace":               {selecting(namespace("app")), engine.World{}, namespaced, true},
		"override, another namespace":           {selecting(namespace("web")), engine.World{}, namespaced, false},
		"override, placement beside it":         {in("app"), engine.World{}, namespaced, true},
		"cluster override of a namespace":       {selecting(namespace("app")), engine.World{}, of(nil, namespace("app")), true},
		"cluster override, another namespace":   {selecting(namespace("web")), engine.World{}, of(nil, namespace("app")), false},
		"cluster override, namespace of it":     {in("app"), engine.World{}, of(nil, namespace("app")), true},
		"cluster override of an object":         {selecting(role), engine.World{}, of(nil, role), true},
		"cluster override of an envelope's":     {clusterEnvelopes, engine.World{}, of(nil, role), true},
		"cluster override of another object":    {selecting(namespace("app")), engine.World{}, of(nil, role), false},
		"cluster override of another placement": {selecting(role), engine.World{}, of(&override.PlacementReference{Name: "q"}, role), false},
		"nothing":                               {selecting(role), engine.World{}, override.Overrides{}, false},
	} {
		if got := canReach(c.placement, c.change, c.changed); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestMayReach checks that a change that is not completely known may affect every placement, unless it is the change of an envelope in another namespace.
func TestMayReach(t *testing.T) {
	t.Parallel()
	p := engine.Placement{Reference: engine.Reference{Name: "p"}, Spec: placement.Spec{
		ResourceSelectors: []placement.ResourceSelector{{Version: "v1", Kind: "Namespace", Name: "app"}},
	}}
	envelopes := func(namespace string) engine.World {
		return engine.World{Envelopes: map[engine.Reference]engine.Planned[envelope.Spec]{{Namespace: namespace, Name: "e"}: {Partial: true}}}
	}
	for name, c := range map[string]struct {
		change engine.World
		want   bool
	}{
		"envelope, its namespace":     {envelopes("app"), true},
		"envelope, another namespace": {envelopes("web"), false},
		"envelope without a name":     {engine.World{Unnamed: []string{engine.KindEnvelope}}, true},
		"override":                    {engine.World{Overrides: map[override.Reference]engine.Planned[engine.Override]{{Name: "o"}: {Partial: true}}}, true},
	} {
		if got := MayReach(p, c.change); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
