package configurations

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/cli"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/app"
)

// unavailable are the providers and backends whose blocks the tests cannot validate, because they download nothing. TestBlocks of package documents parses
// these blocks.
var unavailable = []string{"azapi", "azurerm", "helm", "kubectl", "kubernetes", "kustomization"}

// newCompleter returns a completer with the schemas of the provider.
func newCompleter(t *testing.T) Completer {
	t.Helper()
	all, err := app.NewServer("test").GetProviderSchema(t.Context(), &tfprotov6.GetProviderSchemaRequest{})
	if err != nil || len(all.Diagnostics) > 0 {
		t.Fatalf("schemas: %v, %v", err, all)
	}
	schemas := map[string]map[string]*tfprotov6.Schema{
		"resource": all.ResourceSchemas, "data": all.DataSourceSchemas, "ephemeral": all.EphemeralResourceSchemas,
	}
	return Completer{
		Modules: filepath.Join(documents.Root(t), "examples", "modules"),
		Required: func(kind, typeName string) []string {
			schema := schemas[kind][typeName]
			if schema == nil {
				return nil // terraform validate reports the type
			}
			var out []string
			for _, attribute := range schema.Block.Attributes {
				if attribute.Required {
					out = append(out, attribute.Name)
				}
			}
			return out
		},
	}
}

// validate runs terraform validate. It returns the output, and whether the configuration is valid.
func validate(t *testing.T, c Configuration) (out string, valid bool) {
	t.Helper()
	binary, err := cli.Terraform(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	mirror, err := workspace.Mirror()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range c.Files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w, err := workspace.New(t.Context(), binary, mirror, dir, dir)
	if err != nil {
		return err.Error(), false
	}
	if c.HasModules {
		if out, err := w.Run(t.Context(), nil, "init", "-no-color"); err != nil {
			return out, false
		}
	}
	args := []string{"validate", "-no-color"}
	if c.IsQuery {
		args = append(args, "-query")
	}
	out, err = w.Run(t.Context(), nil, args...)
	return out, err == nil
}

// describe returns the files of a configuration for a failed test.
func describe(c Configuration) string {
	var out strings.Builder
	for _, name := range []string{ownFile, testFile, queryFile, pageFile, stubFile} {
		if text := c.Files[name]; text != "" {
			fmt.Fprintf(&out, "--- %s\n%s", name, text)
		}
	}
	return out.String()
}

// TestConfigurations validates every configuration in README, docs and the READMEs of examples.
func TestConfigurations(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	completer := newCompleter(t)
	leftOut := map[string]bool{}
	for _, page := range documents.Pages(t) {
		blocks := slices.DeleteFunc(documents.Blocks(t, page), func(b documents.Block) bool { return !b.IsConfiguration() })
		var texts []string
		for _, b := range blocks {
			texts = append(texts, b.Text)
		}
		for i, b := range blocks {
			c, err := completer.Complete(texts, i)
			if err != nil {
				t.Errorf("%s:%d: %v", page, b.Line, err)
				continue
			}
			for _, provider := range c.LeftOut {
				leftOut[provider] = true
			}
			if c.IsEmpty {
				continue
			}
			t.Run(fmt.Sprintf("%s:%d", page, b.Line), func(t *testing.T) {
				t.Parallel()
				if out, valid := validate(t, c); !valid {
					t.Errorf("%s\n%s", out, describe(c))
				}
			})
		}
	}
	for _, provider := range unavailable {
		if !leftOut[provider] {
			t.Errorf("no configuration uses the provider %s", provider)
		}
		delete(leftOut, provider)
	}
	for provider := range leftOut {
		t.Errorf("%s is not a known provider", provider)
	}
}

// TestWrongConfigurations checks that terraform validate finds the faults of a completed part, the last one of its page.
func TestWrongConfigurations(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	completer := newCompleter(t)
	for name, c := range map[string]struct {
		page []string
		want string
	}{
		"an attribute of a stub": {[]string{`output "a" { value = fleet_crp.web.problem }`}, "Unsupported attribute"},
		"an argument":            {[]string{`waits = true`}, "Unsupported argument"},
		"a type":                 {[]string{`output "a" { value = fleet_placement.web.name }`}, "Invalid resource type"},
		"a value":                {[]string{`strategy = { apply_strategy = { when_to_take_over = "Sometimes" } }`}, "Sometimes"},
		"the scope of another block": {[]string{`
check "a" {
  data "fleet_crp" "web" { name = "web" }
  assert {
    condition     = data.fleet_crp.web.name == "web"
    error_message = "a"
  }
}`, `output "a" { value = data.fleet_crp.web.name }`}, "Reference to scoped resource"},
		"an import of an instance": {[]string{`
import {
  to       = fleet_crp.web["a"]
  id       = "a"
  provider = fleet
}`}, "not compatible with config"},
		"a query": {[]string{`
list "fleet_crp" "web" {
  provider = fleet
  config { selector = "a" }
}`}, "Unsupported argument"},
		"a test": {[]string{`
mock_provider "fleet" {}
run "a" { comand = plan }`}, "Unsupported argument"},
		"a part beside another provider": {[]string{`
provider "azapi" {}
resource "fleet_crp" "web" { names = azapi_resource.web.id }`}, "Unsupported argument"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			complete, err := completer.Complete(c.page, len(c.page)-1)
			if err != nil {
				t.Fatal(err)
			}
			if out, valid := validate(t, complete); valid || !strings.Contains(strings.Join(strings.Fields(out), " "), c.want) {
				t.Errorf("valid: %v, want %q in:\n%s\n%s", valid, c.want, out, describe(complete))
			}
		})
	}
}
