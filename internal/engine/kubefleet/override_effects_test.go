package kubefleet_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

// TestOverrideEffects checks how the preview of an override shows its effects on placed objects, that the hub stores which of its values are sensitive, and
// that a preview does not contain these.
func TestOverrideEffects(t *testing.T) {
	t.Parallel()
	w := fleet.World(t, 3)
	e := w.Engine()
	request, result := placed(t, w)
	overriding := func(sensitive bool) engine.Override {
		return engine.Override{
			Reference: override.Reference{Namespace: w.Expand("$ns-app"), Name: "effects"},
			Namespaced: &override.Spec{
				Placement: &override.PlacementReference{Name: w.Name}, ResourceSelectors: []override.Selector{{Version: "v1", Kind: "ConfigMap", Name: "settings"}},
				Policy: &override.Policy{OverrideRules: []override.Rule{{
					ClusterSelector:    &override.ClusterSelector{ClusterSelectorTerms: []placement.ClusterSelectorTerm{}},
					JSONPatchOverrides: []override.Patch{{Operation: "replace", Path: "/data/greeting", Value: []byte(`"planted"`), Sensitive: sensitive}},
				}}},
			},
		}
	}
	effects := func(want *engine.Override) []string {
		t.Helper()
		change := engine.World{Overrides: map[override.Reference]engine.Planned[engine.Override]{overriding(true).Reference: {Want: want}}}
		found, err := e.(engine.OverrideEffects).PreviewOverrides(w.Context(), change)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, p := range found.Placements {
			for _, c := range p.Clusters {
				for _, o := range c.Objects {
					out = append(out, fmt.Sprintf("%s %s: %s %v", p.Placement, c.Name, o.Differences[0].Field, o.Differences[0].InHub))
				}
			}
		}
		return out
	}
	expected := func(value string) []string {
		var out []string
		for _, member := range w.Members {
			out = append(out, fmt.Sprintf("%s %s: data.greeting %s", w.Name, member, value))
		}
		return out
	}
	plain, sensitive := overriding(false), overriding(true)
	if got := effects(&plain); !slices.Equal(got, expected("planted")) {
		t.Errorf("got %q", got)
	}
	if got := effects(&sensitive); !slices.Equal(got, expected(diff.Redacted)) {
		t.Errorf("a sensitive value: %q", got)
	}
	kept, err := e.ApplyOverride(w.Context(), sensitive, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := e.DeleteOverride(w.Context(), kept.Override); err != nil {
			t.Error(err)
		}
	}()
	again := request.After(result.Status)
	preview, err := again.Preview(w.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprintf("%+v", preview.Clusters); strings.Contains(text, "planted") {
		t.Errorf("the preview shows the value: %s", text)
	}
	if got := effects(nil); slices.ContainsFunc(got, func(line string) bool { return !strings.Contains(line, diff.Redacted) }) || len(got) != len(w.Members) {
		t.Errorf("without the override: %q", got)
	}
	for _, want := range []engine.Override{sensitive, plain} { // the mark is removed, too
		if kept, err = e.ApplyOverride(w.Context(), want, &kept.Override); err != nil {
			t.Fatal(err)
		}
		read, err := e.ReadOverride(w.Context(), want.Reference, nil)
		if err != nil || len(read.Namespaced.Policy.Sensitive()) != len(want.Namespaced.Policy.Sensitive()) {
			t.Errorf("an import: %+v, %v", read.Namespaced, err)
		}
		if _, err := again.Apply(w.Context(), e); err != nil { // the apply does not wait for a snapshot that only the mark would change
			t.Fatal(err)
		}
	}
}
