package direct_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct"
	envelopes "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/envelope"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

// TestList checks that List lists placements, and members by their labels, and returns an error for collections and filters that the engine does not have.
func TestList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	request := w.newRequest("listed", configMap("listed", "ours"))
	w.DeleteAtEnd(request)
	w.Apply(request)
	e := w.Engine()
	found, err := e.List(t.Context(), engine.AllPlacements, engine.Filter{})
	if err != nil || len(found.Missed) > 0 || !slices.Contains(found.Found, engine.Reference{Name: request.Name}) {
		t.Errorf("placements: %+v, %v", found, err)
	}
	all, err := e.List(t.Context(), engine.AllMembers, engine.Filter{})
	if err != nil || len(all.Found) != len(w.Members) {
		t.Errorf("members: %+v, %v", all, err)
	}
	none, err := e.List(t.Context(), engine.AllMembers, engine.Filter{LabelSelector: "no-member-has-it"})
	if err != nil || len(none.Found) != 0 {
		t.Errorf("members without the label: %+v, %v", none, err)
	}
	for of, filter := range map[engine.Collection]engine.Filter{
		engine.AllPlacements: {LabelSelector: "team=web"}, engine.AllNamespacedPlacements: {}, engine.AllUpdateRuns: {}, engine.AllDisruptionBudgets: {},
	} {
		_, err := e.List(t.Context(), of, filter)
		if _, limited := errors.AsType[*engine.LimitationError](err); !limited {
			t.Errorf("%s: %v", of, err)
		}
	}
}

// TestEnvelopeFormats checks that the engine stores envelopes in ConfigMaps only.
func TestEnvelopeFormats(t *testing.T) {
	t.Parallel()
	hub := kube.NewCluster("hub", connection.Connection{Host: "https://127.0.0.1:1"}, kube.Options{}, nil)
	e := direct.New(clusterset.New(hub, nil, 0), "test")
	for _, format := range envelopes.WireFormat("").Values() {
		refused := format != "Auto" && format != "ConfigMap"
		if got := e.CheckEnvelope(envelopes.Spec{WireFormat: envelopes.WireFormat(format)}); (len(got) == 1) != refused {
			t.Errorf("%s: %v", format, got)
		}
	}
}
