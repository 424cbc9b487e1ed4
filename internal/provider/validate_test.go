package provider

import (
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

// TestConnectionErrors checks that an error in a connection is reported once, at an argument whose line Terraform finds, with the whole path in the
// text.
func TestConnectionErrors(t *testing.T) {
	kubeconfig := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(kubeconfig, []byte("{apiVersion: v1, kind: Config, users: [{name: me, user: {token: hunter2}}], "+
		"clusters: [{name: c, cluster: {server: 'https://c'}}], contexts: [{name: one, context: {cluster: c, user: me}}, "+
		"{name: two, context: {cluster: c, user: lost}}]}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		connection connection.Connection
		says       string
	}{
		"empty":    {connection.Connection{}, `members["m"] is empty. Set config_path, or host with credentials; `},
		"context":  {connection.Connection{ConfigPath: kubeconfig}, `members["m"].config_context: kubeconfig ` + kubeconfig + " has 2 contexts"},
		"user":     {connection.Connection{ConfigPath: kubeconfig, ConfigContext: "two"}, `members["m"].config_context: Context "two"`},
		"no login": {connection.Connection{Host: "https://c"}, `members["m"]: There are no credentials`},
		"token":    {connection.Connection{Host: "https://c", Token: "hunter2\nhunter2"}, `members["m"].token: token contains a line break`},
		"exec":     {connection.Connection{Host: "https://c", Exec: &connection.Exec{APIVersion: "v0", Command: "c"}}, `members["m"].exec.api_version: `},
	} {
		t.Run(name, func(t *testing.T) {
			var diags diag.Diagnostics
			Config{Members: map[string]connection.Connection{"m": c.connection}}.checkConnections(&diags)
			if len(diags) != 1 {
				t.Fatalf("%d diagnostics: %v", len(diags), diags)
			}
			at, ok := diags[0].(diag.DiagnosticWithPath)
			if !ok || !at.Path().Equal(path.Root("members")) || !strings.HasSuffix(diags[0].Summary(), ` the member "m"`) {
				t.Errorf("%v", diags[0])
			}
			if text := diags[0].Detail(); !strings.HasPrefix(text, c.says) || strings.Contains(text, "hunter2") {
				t.Errorf("%q does not begin with %q", text, c.says)
			}
		})
	}
}

func TestRequestRate(t *testing.T) {
	for value, valid := range map[float64]bool{-1: true, 0.1: true, 50: true, 0: false, -5: false, 0.05: false, -0.5: false, 1e6: true, 1e7: false} {
		var response validator.NumberResponse
		qpsValidator{}.ValidateNumber(t.Context(), validator.NumberRequest{Path: path.Root("qps"), ConfigValue: types.NumberValue(big.NewFloat(value))}, &response)
		if (len(response.Diagnostics) == 0) != valid || len(response.Diagnostics) > 1 {
			t.Errorf("%v: %v", value, response.Diagnostics)
		}
		if value == 0 && response.Diagnostics[0].Detail() != "qps is 0, and must be at least 0.1, or -1 for no limit." {
			t.Error(response.Diagnostics[0].Detail())
		}
	}
}
