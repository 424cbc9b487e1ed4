package protocol

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// block is a block of a configuration.
type block struct {
	// kind is "provider", "resource" or "data". typeName is the type of a resource or a data source.
	kind, typeName, name string
	body                 hcl.Body
}

// address returns Terraform's address of the block.
func (b block) address() string {
	switch b.kind {
	case "provider":
		return "provider[\"" + b.name + "\"]"
	case "data":
		return "data." + b.typeName + "." + b.name
	default:
		return b.typeName + "." + b.name
	}
}

// allowed are the blocks that a configuration may have.
var allowed = &hcl.BodySchema{Blocks: []hcl.BlockHeaderSchema{
	{Type: "provider", LabelNames: []string{"name"}},
	{Type: "resource", LabelNames: []string{"type", "name"}},
	{Type: "data", LabelNames: []string{"type", "name"}},
}}

// parse parses a configuration. It returns the blocks in the order of the text.
func parse(text string) (provider *block, others []block, diags hcl.Diagnostics) {
	file, diags := hclsyntax.ParseConfig([]byte(text), "main.tf", hcl.InitialPos)
	if diags.HasErrors() {
		return nil, nil, diags
	}
	content, diags := file.Body.Content(allowed)
	for _, found := range content.Blocks {
		if found.Type == "provider" {
			provider = &block{kind: found.Type, name: found.Labels[0], body: found.Body}
			continue
		}
		others = append(others, block{kind: found.Type, typeName: found.Labels[0], name: found.Labels[1], body: found.Body})
	}
	return provider, others, diags
}

// scope has the values that expressions may refer to, by address.
type scope map[string]cty.Value

// functions are the Terraform functions that configurations may call.
var functions = map[string]function.Function{"jsonencode": stdlib.JSONEncodeFunc}

// context returns the scope for the evaluation of expressions. Expressions refer to values by address, such as fleet_crp.web or data.fleet_crp.web.
func (s scope) context() *hcl.EvalContext {
	resources, data := map[string]map[string]cty.Value{}, map[string]map[string]cty.Value{}
	for address, value := range s {
		into := resources
		rest, isData := strings.CutPrefix(address, "data.")
		if isData {
			into = data
		}
		typeName, name, _ := strings.Cut(rest, ".")
		if into[typeName] == nil {
			into[typeName] = map[string]cty.Value{}
		}
		into[typeName][name] = value
	}
	variables := objects(resources)
	variables["data"] = cty.ObjectVal(objects(data))
	return &hcl.EvalContext{Variables: variables, Functions: functions}
}

func objects(of map[string]map[string]cty.Value) map[string]cty.Value {
	out := map[string]cty.Value{}
	for name, fields := range of {
		out[name] = cty.ObjectVal(fields)
	}
	return out
}

// unknown returns the scope for the validation of a configuration: the values of all blocks are unknown.
func unknown(blocks []block) scope {
	out := scope{}
	for _, b := range blocks {
		out[b.address()] = cty.DynamicVal
	}
	return out
}
