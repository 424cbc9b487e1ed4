package provider

import (
	"context"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/membercluster"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/stagedupdate"
)

// unchangedEngine is an engine on which everything is as last written.
type unchangedEngine struct{ fullEngine }

func (unchangedEngine) ReadMember(_ context.Context, _ string, prior *engine.Member) (engine.Member, error) {
	out := *prior
	out.Spec.Annotations = nil // as a hub returns an empty map
	return out, nil
}

func (unchangedEngine) ReadUpdateStrategy(_ context.Context, _ engine.Reference, prior *engine.UpdateStrategy) (engine.UpdateStrategy, error) {
	return *prior, nil
}

// TestRefreshKeepsNullElements checks that a refresh keeps a null element in the state. Otherwise every plan would add the element again.
func TestRefreshKeepsNullElements(t *testing.T) {
	text := func(value any) tftypes.Value { return tftypes.NewValue(tftypes.String, value) }
	for name, c := range map[string]struct {
		resource   resource.Resource
		attributes map[string]map[string]tftypes.Value
	}{
		"fleet_member_cluster": {membercluster.New(), map[string]map[string]tftypes.Value{
			".labels": {"a": text("b"), "n": text(nil)}, ".annotations": {"n": text(nil)},
		}},
		"fleet_staged_update_strategy": {stagedupdate.NewStrategy(), map[string]map[string]tftypes.Value{
			".stages.label_selector.match_labels": {"a": text("b"), "n": text(nil)},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			var described resource.SchemaResponse
			c.resource.Schema(t.Context(), resource.SchemaRequest{}, &described)
			state := completeRaw(t, described.Schema)
			for at, value := range c.attributes {
				state = withValue(t, state, at, value)
			}
			response, err := newServer(t, unchangedEngine{}).ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: name, CurrentState: encode(t, state)})
			requireSuccess(t, err, response.Diagnostics)
			read, err := response.NewState.Unmarshal(state.Type())
			if err != nil {
				t.Fatal(err)
			}
			for at := range c.attributes {
				if got, want := valueAt(t, read, at), valueAt(t, state, at); !got.Equal(want) {
					t.Errorf("%s is %s, want %s", at, got, want)
				}
			}
		})
	}
}

// valueAt returns the value at a path.
func valueAt(t *testing.T, raw tftypes.Value, at string) (out tftypes.Value) {
	t.Helper()
	err := tftypes.Walk(raw, func(here *tftypes.AttributePath, v tftypes.Value) (bool, error) {
		if formatPath(here) == at {
			out = v
		}
		return formatPath(here) != at, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
