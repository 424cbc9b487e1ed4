package protocol

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/zclconf/go-cty/cty"
)

// unreachable is a provider configuration that makes no connections.
const unreachable = "provider \"fleet\" {\n  engine = \"direct\"\n  preview = \"Off\"\n" +
	"  members = { member-1 = { host = \"https://127.0.0.1:1\", token = \"t\" } }\n}\n"

// Errors of a configuration have Terraform's wording.
func TestErrorsOfTerraform(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ blocks, want string }{
		"wrong argument": {`resource "fleet_crp" "p" { nam = "a" }`, `An argument named "nam" is not expected here`},
		"missing":        {`resource "fleet_crp" "p" {}`, `The argument "name" is required`},
		"nested":         {"resource \"fleet_crp\" \"p\" {\n  name = \"p\"\n  resource_selectors = [{ group = \"\" }]\n}", `attributes? "kind".* (is|are) required`},
		"nested type":    {"resource \"fleet_crp\" \"p\" {\n  name = \"p\"\n  policy = \"PickAll\"\n}", `(?s)Incorrect attribute value type.*"policy"`},
		"wrong type":     {`resource "fleet_nonesuch" "p" {}`, `does not support resource type "fleet_nonesuch"`},
		"wrong data":     {`data "fleet_nonesuch" "p" {}`, `does not support data source "fleet_nonesuch"`},
		"no such block":  {`resource "fleet_crp" "p" { name = fleet_crp.q.name }`, `(?s)with fleet_crp\.p.*does not have an attribute named "q"`},
		"computed":       {"resource \"fleet_crp\" \"p\" {\n  name = \"p\"\n  phase = \"Available\"\n}", `Can't configure a value for "phase"`},
		"count":          {"resource \"fleet_crp\" \"p\" {\n  name = \"p\"\n  count = 2\n}", `"count" is not expected`},
		"for_each":       {"resource \"fleet_crp\" \"p\" {\n  name = \"p\"\n  for_each = {}\n}", `"for_each" is not expected`},
		"lifecycle":      {"resource \"fleet_crp\" \"p\" {\n  name = \"p\"\n  lifecycle {}\n}", `"lifecycle" are not expected`},
		"module":         {`module "m" {}`, `"module" are not expected`},
		"no HCL":         {`resource {`, `Error: `},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rejects(t, New().Plan(t.Context(), unreachable+c.blocks), c.want)
		})
	}
}

// A null is omitted, a reference has the value of an earlier block, and a computed value is unknown until the provider sets it.
func TestReferences(t *testing.T) {
	t.Parallel()
	const configuration = unreachable + `
resource "fleet_crp" "first" {
  name                   = "first"
  revision_history_limit = null
  manifests              = { "cm.yaml" = jsonencode({ apiVersion = "v1", kind = "ConfigMap", metadata = { name = "first", namespace = "default" } }) }
  depends_on             = [nothing.at_all]
}
resource "fleet_crp" "second" {
  name      = "${fleet_crp.first.name}-second"
  manifests = fleet_crp.first.manifests
  policy    = { placement_type = "PickFixed", cluster_names = [fleet_crp.first.phase] }
}
`
	got := done(t, New().Plan(t.Context(), configuration))
	first, second := got.Changes["fleet_crp.first"], got.Changes["fleet_crp.second"]
	for _, c := range []struct {
		in    Change
		steps []any
		want  any
	}{
		{first, []any{"revision_history_limit"}, nil},
		{first, []any{"phase"}, Unknown},
		{first, []any{"manifests", "cm.yaml"}, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"first","namespace":"default"}}`},
		{second, []any{"name"}, "first-second"},
		{second, []any{"policy", "cluster_names", 0}, Unknown},
		{second, []any{"policy", "cluster_names", 1}, nil},
	} {
		if got := Lookup(c.in.After, c.steps...); got != c.want {
			t.Errorf("%v: got %v, want %v", c.steps, got, c.want)
		}
	}
	rejects(t, New().Plan(t.Context(), strings.Replace(configuration, "fleet_crp.first.name", "fleet_crp.first.nonesuch", 1)), "nonesuch")
}

// The proposed state keeps the prior values of computed attributes that are not configured. findMisplanned compares a plan with the configuration and the prior
// state.
func TestProposed(t *testing.T) {
	t.Parallel()
	computed := func(name string) *tfprotov6.SchemaAttribute {
		return &tfprotov6.SchemaAttribute{Name: name, Optional: true, Computed: true}
	}
	attributes := []*tfprotov6.SchemaAttribute{
		{Name: "plain", Optional: true}, computed("left"), computed("written"), {Name: "secret", Optional: true, WriteOnly: true},
		{Name: "nested", Optional: true, NestedType: &tfprotov6.SchemaObject{
			Nesting: tfprotov6.SchemaObjectNestingModeSingle, Attributes: []*tfprotov6.SchemaAttribute{computed("left"), computed("written")},
		}},
	}
	null, old, text := cty.NullVal(cty.String), cty.StringVal("old"), cty.StringVal("new")
	object := func(plain, left, written, secret cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{
			"plain": plain, "left": left, "written": written, "secret": secret,
			"nested": cty.ObjectVal(map[string]cty.Value{"left": left, "written": written}),
		})
	}
	got := proposed(attributes, object(old, old, old, null), object(null, null, text, text))
	if want := object(null, old, text, null); !got.RawEquals(want) {
		t.Errorf("got %#v", got)
	}
	if wrong := findMisplanned(attributes, object(text, null, null, null), object(old, old, old, null), object(cty.StringVal("other"), old, old, null)); wrong == "" {
		t.Error("a plan that differs from the configuration is accepted")
	}
	if wrong := findMisplanned(attributes, object(text, null, null, null), object(old, old, old, null), object(old, old, old, null)); wrong != "" {
		t.Error(wrong)
	}
}

// Known values of a plan must not change in the apply.
func TestContradiction(t *testing.T) {
	t.Parallel()
	list := func(of ...cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{"list": cty.ListVal(of), "map": cty.MapVal(map[string]cty.Value{"key": of[0]})})
	}
	a, b, unknown := cty.StringVal("a"), cty.StringVal("b"), cty.UnknownVal(cty.String)
	for _, c := range []struct {
		planned, applied cty.Value
		want             string
	}{
		{list(a, b), list(a, b), ""},
		{list(a, unknown), list(a, b), ""},
		{list(unknown, unknown), list(b, a), ""},
		{list(a, b), list(a, a), `x["list"][1] was "b" and is "a"`},
		{list(a, unknown), list(a), `x["list"] had 2 elements and has 1`},
		{list(a, unknown), list(b, a), `x["list"][0] was "a" and is "b"`},
		{list(a), cty.NullVal(list(a).Type()), `x was {"list":["a"],"map":{"key":"a"}} and is null`},
		{cty.ListValEmpty(cty.String), cty.NullVal(cty.List(cty.String)), `x was [] and is null`},
		{cty.MapVal(map[string]cty.Value{"key": a}), cty.MapVal(map[string]cty.Value{"other": a}), `x["key"] was "a" and is null`},
		{list(unknown), cty.NullVal(list(a).Type()), "x was map[list:[(known after apply)] map:map[key:(known after apply)]] and is null"},
	} {
		if got := contradiction(c.planned, c.applied, "x"); got != c.want {
			t.Errorf("%s and %s: %q, want %q", show(c.planned), show(c.applied), got, c.want)
		}
	}
}
