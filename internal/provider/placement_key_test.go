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

// placed are a planned placement, with an unknown status, and its configuration.
func placed(t *testing.T) (raw, planned, config, null tftypes.Value) {
	t.Helper()
	var described resource.SchemaResponse
	crp.New().Schema(t.Context(), resource.SchemaRequest{}, &described)
	raw = edited(t, completeRaw(t, described.Schema), ".manifests."+word, "{apiVersion: v1, kind: Namespace, metadata: {name: a}}")
	raw = edited(t, edited(t, raw, ".expected_preview", nil), ".strategy.apply_strategy.comparison_option", "PartialComparison")
	return raw, edited(t, raw, ".phase", tftypes.UnknownValue), placementConfig(t, raw), tftypes.NewValue(raw.Type(), nil)
}

// hidden fails the test if a key is in a text.
func hidden(t *testing.T, key engine.Key, texts ...string) {
	t.Helper()
	for _, form := range []string{string(key), hex.EncodeToString(key), base64.StdEncoding.EncodeToString(key)} {
		for _, text := range texts {
			if strings.Contains(text, form) {
				t.Errorf("the key is in %s", text)
			}
		}
	}
}

// The key that a create makes is that of every later operation, and is in no attribute and no diagnostic.
func TestKeyOfAPlacement(t *testing.T) {
	var told engine.Placement
	server := configured(t, listening{told: &told})
	raw, planned, config, null := placed(t)
	state, private := applied(t, server, null, planned, config, nil)
	key := told.Key
	if len(key) != 32 || told.KeyIsNew {
		t.Fatalf("a create has a key of %d bytes, new: %v", len(key), told.KeyIsNew)
	}
	check := func(operation string, diags []*tfprotov6.Diagnostic) {
		t.Helper()
		if !bytes.Equal(told.Key, key) || told.KeyIsNew {
			t.Errorf("%s has another key, or one that is new: %v", operation, told.KeyIsNew)
		}
		for _, d := range diags {
			hidden(t, key, d.Summary, d.Detail)
		}
		hidden(t, key, state.String(), fmt.Sprintf("%+v", told))
		told = engine.Placement{}
	}
	read, err := server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: "fleet_crp", CurrentState: dynamic(t, state), Private: private})
	succeeded(t, err, read.Diagnostics)
	check("a read", read.Diagnostics)
	private = read.Private
	change, err := server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: "fleet_crp", PriorState: dynamic(t, state), ProposedNewState: dynamic(t, planned), Config: dynamic(t, config), PriorPrivate: private,
	})
	succeeded(t, err, change.Diagnostics)
	check("a plan", change.Diagnostics)
	state, private = applied(t, server, raw, planned, config, private)
	check("an update", nil)
	removal, err := server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: "fleet_crp", PriorState: dynamic(t, state), ProposedNewState: dynamic(t, null), Config: dynamic(t, null), PriorPrivate: private,
	})
	succeeded(t, err, removal.Diagnostics)
	check("the plan of a destroy", removal.Diagnostics)
	applied(t, server, state, null, null, removal.PlannedPrivate)
	check("a destroy", nil)
	if _, _ = applied(t, server, null, planned, config, nil); bytes.Equal(told.Key, key) {
		t.Error("another placement has the same key")
	}
}

// What is imported has no key until an apply makes one.
func TestKeyOfAnImportedPlacement(t *testing.T) {
	var told engine.Placement
	server := configured(t, listening{told: &told})
	_, planned, config, _ := placed(t)
	imported, err := server.ImportResourceState(t.Context(), &tfprotov6.ImportResourceStateRequest{TypeName: "fleet_crp", ID: "web"})
	succeeded(t, err, imported.Diagnostics)
	private, state := imported.ImportedResources[0].Private, imported.ImportedResources[0].State
	refresh := func() []*tfprotov6.Diagnostic {
		t.Helper()
		read, err := server.ReadResource(t.Context(), &tfprotov6.ReadResourceRequest{TypeName: "fleet_crp", CurrentState: state, Private: private})
		succeeded(t, err, read.Diagnostics)
		private, state = read.Private, read.NewState
		return read.Diagnostics
	}
	for _, warns := range []bool{true, false} {
		said := ""
		for _, d := range refresh() {
			said += d.Summary + d.Detail
		}
		if len(told.Key) > 0 || strings.Contains(said, "Trusted without verification") != warns {
			t.Errorf("a read has a key of %d bytes, and says %q", len(told.Key), said)
		}
	}
	before, err := state.Unmarshal(config.Type())
	if err != nil {
		t.Fatal(err)
	}
	_, private = applied(t, server, before, planned, config, private)
	key := told.Key
	if len(key) != 32 || !told.KeyIsNew {
		t.Fatalf("the first apply has a key of %d bytes, new: %v", len(key), told.KeyIsNew)
	}
	refresh()
	if !bytes.Equal(told.Key, key) || told.KeyIsNew {
		t.Error("the key has changed, or is new still")
	}
}
