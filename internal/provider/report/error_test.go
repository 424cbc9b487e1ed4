package report

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// TestContradictions checks that each contradiction has a line, and that those for which there is no room are counted.
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
	lines := strings.Split(diags[0].Detail(), "\n")
	want := `  ConfigMap app/c1 on cluster "member-1": the plan did not show the deletion`
	if len(lines) > maxLines || lines[0] != found.Title() || lines[2] != want || !strings.Contains(lines[len(lines)-1], "more lines") {
		t.Error(diags[0].Detail())
	}
}
