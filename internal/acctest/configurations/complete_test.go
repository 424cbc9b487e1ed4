package configurations

import (
	"slices"
	"strings"
	"testing"
)

// completed completes the last part of a page.
func completed(t *testing.T, page ...string) Configuration {
	t.Helper()
	out, err := Completer{
		Modules:  "/modules",
		Required: func(string, string) []string { return []string{"name"} },
	}.Complete(page, len(page)-1)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestComplete checks what is added to a part and what is left out.
func TestComplete(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		page []string
		file string
		want []string
		not  []string
	}{
		"the nearest declaration of the page": {
			page: []string{"locals {\n  a = 1\n}", "locals {\n  a = var.b\n  c = 3\n}", `output "a" { value = local.a }`},
			file: pageFile, want: []string{"a = var.b"}, not: []string{"c = 3", "a = 1"},
		},
		"what that declaration refers to": {
			page: []string{"locals {\n  a = var.b\n}", `output "a" { value = local.a }`},
			file: stubFile, want: []string{`variable "b"`},
		},
		"the required arguments of a stub": {
			page: []string{`output "a" { value = data.fleet_crp.web.status }`},
			file: stubFile, want: []string{`data "fleet_crp" "web"`, "name = var.any"}, not: []string{"for_each"},
		},
		"several instances": {
			page: []string{`output "a" { value = [for m in fleet_member_cluster.member : m.name] }`},
			file: stubFile, want: []string{"for_each"},
		},
		"an ellipsis": {
			page: []string{"data \"fleet_crp\" \"web\" {\n  # ...\n  wait = 1\n}"},
			file: ownFile, want: []string{"name = var.any\n", "wait = 1"}, not: []string{"# ..."},
		},
		"references to other providers": {
			page: []string{"resource \"azapi_resource\" \"a\" {}\nresource \"fleet_crp\" \"a\" {\n  name = azapi_resource.a.id\n  depends_on = [azapi_resource.a]\n}"},
			file: ownFile, want: []string{"name = var.any\n", "depends_on = [terraform_data.any]"}, not: []string{"azapi"},
		},
		"other providers": {
			page: []string{"terraform {\n  required_providers {\n    azapi = { source = \"Azure/azapi\" }\n    fleet = { source = \"terraform-fleet/fleet\" }\n  }\n}"},
			file: ownFile, want: []string{"fleet = {"}, not: []string{"azapi"},
		},
		"modules": {
			page: []string{"module \"a\" {\n  source = \"../modules/federate\"\n}"},
			file: ownFile, want: []string{`source = "/modules/federate"`},
		},
		"files": {
			page: []string{`output "a" { value = [for f in fileset("${path.module}/app", "**/*.yaml") : f] }`},
			file: "app/any.yaml", want: []string{"name: any"},
		},
		"tests": {
			page: []string{"run \"a\" {\n  module {\n    source = \"./tests/a\"\n  }\n}"},
			file: testFile, want: []string{"run"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := completed(t, c.page...).Files[c.file]
			for _, want := range c.want {
				if !strings.Contains(got, want) {
					t.Errorf("no %q in:\n%s", want, got)
				}
			}
			for _, not := range c.not {
				if strings.Contains(got, not) {
					t.Errorf("%q in:\n%s", not, got)
				}
			}
		})
	}
}

// TestLeftOut checks that the providers of blocks that are left out are reported.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	got := completed(t, "removed {\n  from = kubectl_manifest.a\n  lifecycle {\n    destroy = false\n  }\n}\nprovider \"helm\" {}\n")
	if !got.IsEmpty || !slices.Equal(got.LeftOut, []string{"helm", "kubectl"}) {
		t.Errorf("%+v", got)
	}
}
