package report

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

// TestContradictions checks that each contradiction has its own line, and that the last line counts the lines that do not fit.
func TestContradictions(t *testing.T) {
	t.Parallel()
	found := &engine.ContradictionError{}
	for i := range 100 {
		found.Contradictions = append(found.Contradictions, engine.Contradiction{
			Cluster: "member-1", Problem: "the plan did not show the deletion",
			Identifier: manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "app", Name: fmt.Sprint("c", i)},
		})
	}
	var diags diag.Diagnostics
	Error(&diags, path.Root("name"), "The placement \"app\" could not be changed", errors.Join(found))
	const shown = plain.MaxLines - 3 // without the title, the last line, and the empty line before a section
	want := []string{found.Title()}
	for i := range shown {
		want = append(want, fmt.Sprintf(`  ConfigMap app/c%d on cluster "member-1": the plan did not show the deletion`, i))
	}
	want = append(want, fmt.Sprintf("  ... and %d more lines", len(found.Contradictions)-shown))
	if diff := cmp.Diff(want, strings.Split(diags[0].Detail(), "\n")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestExistsAdvice checks that a run shows the general advice about existing objects only once, and for each object the ID with which to import it.
func TestExistsAdvice(t *testing.T) {
	t.Parallel()
	given := map[string]bool{}
	first := func(text string) bool {
		defer func() { given[text] = true }()
		return !given[text]
	}
	for i, name := range []string{"a", "b"} {
		var diags diag.Diagnostics
		exists := &engine.ExistsError{What: "The placement", Where: "member-1", Import: name}
		ErrorOnce(&diags, path.Root("name"), "The placement cannot be previewed", exists, first)
		detail := diags[0].Detail()
		if strings.Contains(detail, "deposed") != (i == 0) || !strings.Contains(detail, fmt.Sprintf("Import it (ID %q)", name)) {
			t.Error(detail)
		}
	}
}

// TestUnconnected checks that a member without a connection is not called unsupported.
func TestUnconnected(t *testing.T) {
	t.Parallel()
	var diags diag.Diagnostics
	Limitations(&diags, []engine.Limitation{
		engine.Unconnected(placement.At("name"), "member-9", "Add one."), {Path: placement.At("strategy"), Message: "There is no strategy."},
	})
	if diags[0].Summary() != `The provider has no connection to the member "member-9"` || diags[1].Summary() != "Not supported by this engine: strategy" {
		t.Error(diags)
	}
}
