package report

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// An apply warns about the values that its status lacks, with their objects and the reason.
func TestWithheld(t *testing.T) {
	t.Parallel()
	object := manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "web", Name: "settings"}
	withheld := &engine.Withheld{
		About: []engine.Reported{{Cluster: "member-1", Object: &object}, {Cluster: "member-2"}}, Err: errors.New("cannot list ResourceOverride\x1b[2J"),
	}
	var diags, none diag.Diagnostics
	Outcome(&diags, "web", &engine.Result{Withheld: withheld}, nil, Asked{External: true})
	Withheld(&none, "web", nil)
	if len(diags) != 1 || len(none) != 0 {
		t.Fatalf("%v, %v", diags, none)
	}
	text := diags[0].Summary() + "\n" + diags[0].Detail()
	for _, want := range []string{`Placement "web": values`, `ConfigMap web/settings on cluster "member-1", cluster "member-2".`, "cannot list ResourceOverride", "refresh"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if strings.ContainsRune(text, 0x1b) {
		t.Errorf("it says\n%q", text)
	}
	for i := range 20 {
		withheld.About = append(withheld.About, engine.Reported{Cluster: strings.Repeat("m", 253), Object: &manifest.Identifier{Kind: "ConfigMap", Name: fmt.Sprint(i)}})
	}
	diags = nil
	if Withheld(&diags, "web", withheld); !strings.Contains(diags[0].Detail(), "granting the right") {
		t.Errorf("a warning about many objects does not say what to do:\n%s", diags[0].Detail())
	}
}
