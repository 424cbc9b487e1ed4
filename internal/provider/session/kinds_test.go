package session

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

var widgetKind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}

// definition is the preview of a placement that defines a kind on a cluster.
func definition(cluster string) *engine.Preview {
	id := manifest.Identifier{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition", Name: "widgets.example.com"}
	return &engine.Preview{
		Placement: "definition", Definitions: engine.Definitions{id.Key(): {widgetKind}},
		Clusters: []engine.ClusterPreview{
			{Name: cluster, Picked: true, Objects: []engine.ObjectPreview{{Identifier: id, Action: takeover.ActionCreate}}},
			{Name: "refused", Picked: true, Objects: []engine.ObjectPreview{{Identifier: id, Action: takeover.ActionLeaveAlone}}},
			{Name: "other", Objects: []engine.ObjectPreview{{Identifier: id, Action: takeover.ActionCreate}}},
		},
	}
}

// lacking is the preview of a placement with an object of the kind on clusters that do not serve the kind.
func lacking(clusters ...string) *engine.Preview {
	out := &engine.Preview{Placement: "widgets"}
	for _, name := range clusters {
		object := engine.ObjectPreview{
			Identifier: manifest.Identifier{Group: "example.com", Version: "v1", Kind: "Widget", Name: "one"}, Action: takeover.ActionReject, Unserved: true,
		}
		out.Clusters = append(out.Clusters, engine.ClusterPreview{Name: name, Picked: true, Objects: []engine.ObjectPreview{object, object}})
	}
	return out
}

// A placement that is planned after the one that defines a kind is previewed with the kind.
func TestKindIsBrought(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &Session{}
		if s.PlanKinds(t.Context(), definition("member-1"), new(s.World())) {
			t.Error("the definition is previewed again, although it lacks no kind")
		}
		world := engine.World{} // as it was before
		if !s.PlanKinds(t.Context(), lacking("member-1", "member-2"), &world) {
			t.Error("the preview is not made again")
		}
		if world.ProviderOfKind("member-1", widgetKind) != "definition" || world.ProviderOfKind("member-2", widgetKind)+world.ProviderOfKind("refused", widgetKind)+world.ProviderOfKind("other", widgetKind) != "" {
			t.Errorf("the kinds are %v", world.Kinds)
		}
		later := lacking("member-2")
		if s.PlanKinds(t.Context(), later, &world) {
			t.Error("the preview is made again without new kinds")
		}
		if got := later.Elsewhere; len(got) != 1 || got[0].Placement != "definition" || got[0].Kind != widgetKind || !slices.Equal(got[0].Clusters, []string{"member-2"}) {
			t.Errorf("kinds defined on other clusters: %v", got)
		}
		s.PlacementApplied("definition")
		if got := s.World().ProviderOfKind("member-1", widgetKind); got != "" {
			t.Errorf("after the apply, %q still defines the kind", got)
		}
	})
}

// TestDefiner checks that the session returns the other placement that defines a kind.
func TestDefiner(t *testing.T) {
	t.Parallel()
	s := &Session{}
	s.Define("definition", []schema.GroupVersionKind{widgetKind})
	for name, want := range map[string]string{"widgets": "definition", "definition": ""} {
		if got := s.Definer(name, widgetKind); got != want {
			t.Errorf("for %s: %q", name, got)
		}
	}
	if got := s.Definer("widgets", schema.GroupVersionKind{Kind: "Other"}); got != "" {
		t.Errorf("for another kind: %q", got)
	}
}

// TestNamespaceIsCreated checks that a placement that is planned after the one that creates a Namespace is previewed with the Namespace, until the latter is
// applied.
func TestNamespaceIsCreated(t *testing.T) {
	t.Parallel()
	on := func(placement string, object engine.ObjectPreview) *engine.Preview {
		return &engine.Preview{Placement: placement, Clusters: []engine.ClusterPreview{{Name: "member-1", Picked: true, Objects: []engine.ObjectPreview{object}}}}
	}
	home := on("home", engine.ObjectPreview{Identifier: manifest.Identifier{Version: "v1", Kind: "Namespace", Name: "shop"}, Action: takeover.ActionCreate})
	guest := on("guest", engine.ObjectPreview{
		Identifier: manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "shop", Name: "a"}, Action: takeover.ActionReject, LacksNamespace: true,
	})
	synctest.Test(t, func(t *testing.T) {
		s := &Session{}
		s.PlanKinds(t.Context(), home, new(s.World()))
		if got := s.World().Namespaces["member-1"]["shop"]; got != "home" {
			t.Errorf("%q creates the Namespace", got)
		}
		world := engine.World{} // as it was before
		if !s.PlanKinds(t.Context(), guest, &world) || s.PlanKinds(t.Context(), guest, &world) {
			t.Errorf("the preview is not made again once, with %v", world.Namespaces)
		}
		s.PlacementApplied("home")
		if got := s.World().Namespaces["member-1"]["shop"]; got != "" {
			t.Errorf("after the apply, %q still creates the Namespace", got)
		}
	})
}

// A placement that lacks a kind waits while others are planned. If the placement that defines the kind is planned later, its preview lists the kind as
// supplied.
func TestKindIsSupplied(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &Session{}
		end := s.Work()
		go func() {
			defer end()
			time.Sleep(time.Second)
			s.PlanKinds(t.Context(), definition("member-1"), &engine.World{})
		}()
		defer s.Work()()
		world := engine.World{}
		if !s.PlanKinds(t.Context(), lacking("member-1", "member-2"), &world) || world.ProviderOfKind("member-1", widgetKind) == "" {
			t.Errorf("the kinds are %v", world.Kinds)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		s := &Session{}
		if s.PlanKinds(t.Context(), lacking("member-1", "member-2"), &engine.World{}) {
			t.Error("the preview is made again, although no placement defines the kind")
		}
		later := definition("member-1")
		s.PlanKinds(t.Context(), later, &engine.World{})
		if len(later.Supplies) != 1 || later.Supplies[0].Placement != "widgets" || !slices.Equal(later.Supplies[0].Clusters, []string{"member-1"}) {
			t.Errorf("supplies %+v", later.Supplies)
		}
	})
}

// An apply waits for a kind until servingTime after the apply of the placement that defines it. Without such a placement, it waits for
// arrivalGrace, or for arrivalLimit while another operation is in progress.
func TestMayArrive(t *testing.T) {
	t.Parallel()
	kinds := []schema.GroupVersionKind{widgetKind}
	wait := func(mayArrive func([]schema.GroupVersionKind) bool) time.Duration {
		began := time.Now()
		for mayArrive(kinds) {
			time.Sleep(100 * time.Millisecond)
		}
		return time.Since(began)
	}
	for name, c := range map[string]struct {
		// meanwhile starts the other operations of the run, which last until the test ends.
		meanwhile func(s *Session, ends <-chan struct{})
		want      time.Duration
	}{
		"nothing": {func(*Session, <-chan struct{}) {}, arrivalGrace},
		"another apply": {func(s *Session, ends <-chan struct{}) {
			defer s.ApplyPlacement("other")()
			<-ends
		}, arrivalLimit},
		"the definition": {func(s *Session, _ <-chan struct{}) {
			s.Define("definition", kinds)
			defer s.ApplyPlacement("definition")()
			time.Sleep(time.Minute)
		}, time.Minute + servingTime},
		"itself": {func(s *Session, _ <-chan struct{}) { s.Define("widgets", kinds) }, arrivalGrace},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s, ends := &Session{}, make(chan struct{})
				defer close(ends)
				defer s.ApplyPlacement("widgets")()
				go c.meanwhile(s, ends)
				synctest.Wait()
				if got := wait(s.MayArrive("widgets")); got < c.want || got > c.want+time.Second {
					t.Errorf("waits for %v, want %v", got, c.want)
				}
			})
		})
	}
}
