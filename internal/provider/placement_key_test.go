package provider

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/crp"
)

// plannedPlacement returns a complete placement, the same placement with an unknown status, its configuration, and a null value.
func plannedPlacement(t *testing.T) (raw, planned, config, null tftypes.Value) {
	t.Helper()
	var described resource.SchemaResponse
	crp.New().Schema(t.Context(), resource.SchemaRequest{}, &described)
	raw = withValue(t, completeRaw(t, described.Schema), ".manifests."+word, "{apiVersion: v1, kind: Namespace, metadata: {name: a}}")
	raw = withValue(t, withValue(t, raw, ".expected_preview", nil), ".strategy.apply_strategy.comparison_option", "PartialComparison")
	return raw, withValue(t, raw, ".phase", tftypes.UnknownValue), placementConfig(t, raw), tftypes.NewValue(raw.Type(), nil)
}

// requireHidden fails the test if a text contains the key.
func requireHidden(t *testing.T, key engine.Key, texts ...string) {
	t.Helper()
	for _, form := range []string{string(key), hex.EncodeToString(key), base64.StdEncoding.EncodeToString(key)} {
		for _, text := range texts {
			if strings.Contains(text, form) {
				t.Errorf("the key is in %s", text)
			}
		}
	}
}

// TestKeyOfAPlacement checks that every later operation receives the key that a create generates, and that the key is in no attribute and no
// diagnostic.
func TestKeyOfAPlacement(t *testing.T) {
	var received engine.Placement
	server := newServer(t, recordingEngine{received: &received})
	raw, planned, config, null := plannedPlacement(t)
	state, private := applyResource(t, server, null, planned, config, nil)
	key := received.Key
	if len(key) != 32 || received.KeyIsNew {
		t.Fatalf("a create has a key of %d bytes, new: %v", len(key), received.KeyIsNew)
	}
	check := func(operation string, diags []*tfprotov6.Diagnostic) {
		t.Helper()
		if !bytes.Equal(received.Key, key) || received.KeyIsNew {
			t.Errorf("%s has another key, or one that is new: %v", operation, received.KeyIsNew)
		}
		for _, d := range diags {
			requireHidden(t, key, d.Summary, d.Detail)
		}
		requireHidden(t, key, state.String(), fmt.Sprintf("%+v", received))
		received = engine.Placement{}
	}
	read, err := server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: "fleet_crp", CurrentState: encode(t, state), Private: private})
	requireSuccess(t, err, read.Diagnostics)
	check("a read", read.Diagnostics)
	private = read.Private
	change, err := server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: "fleet_crp", PriorState: encode(t, state), ProposedNewState: encode(t, planned), Config: encode(t, config), PriorPrivate: private,
	})
	requireSuccess(t, err, change.Diagnostics)
	check("a plan", change.Diagnostics)
	state, private = applyResource(t, server, raw, planned, config, private)
	check("an update", nil)
	removal, err := server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: "fleet_crp", PriorState: encode(t, state), ProposedNewState: encode(t, null), Config: encode(t, null), PriorPrivate: private,
	})
	requireSuccess(t, err, removal.Diagnostics)
	check("the plan of a destroy", removal.Diagnostics)
	applyResource(t, server, state, null, null, removal.PlannedPrivate)
	check("a destroy", nil)
	if _, _ = applyResource(t, server, null, planned, config, nil); bytes.Equal(received.Key, key) {
		t.Error("another placement has the same key")
	}
}

// TestKeyOfAnImportedPlacement checks that an imported placement has no key until an apply generates one.
func TestKeyOfAnImportedPlacement(t *testing.T) {
	var received engine.Placement
	server := newServer(t, recordingEngine{received: &received})
	_, planned, config, _ := plannedPlacement(t)
	imported, err := server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: "fleet_crp", ID: "web"})
	requireSuccess(t, err, imported.Diagnostics)
	private, state := imported.ImportedResources[0].Private, imported.ImportedResources[0].State
	refresh := func() []*tfprotov6.Diagnostic {
		t.Helper()
		read, err := server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: "fleet_crp", CurrentState: state, Private: private})
		requireSuccess(t, err, read.Diagnostics)
		private, state = read.Private, read.NewState
		return read.Diagnostics
	}
	for _, warns := range []bool{true, false} {
		reported := ""
		for _, d := range refresh() {
			reported += d.Summary + d.Detail
		}
		if len(received.Key) > 0 || strings.Contains(reported, "Trusted without verification") != warns {
			t.Errorf("a read has a key of %d bytes, and reports %q", len(received.Key), reported)
		}
	}
	before, err := state.Unmarshal(config.Type())
	if err != nil {
		t.Fatal(err)
	}
	_, private = applyResource(t, server, before, planned, config, private)
	key := received.Key
	if len(key) != 32 || !received.KeyIsNew {
		t.Fatalf("the first apply has a key of %d bytes, new: %v", len(key), received.KeyIsNew)
	}
	refresh()
	if !bytes.Equal(received.Key, key) || received.KeyIsNew {
		t.Error("the key has changed, or is new still")
	}
}
