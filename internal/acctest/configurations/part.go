package configurations

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// providerSource is the source address of the provider.
const providerSource = "terraform-fleet/fleet"

// source is the text of a configuration.
type source struct {
	text []byte
	body *hclsyntax.Body
}

func parse(text string) (source, error) {
	file, diags := hclsyntax.ParseConfig([]byte(text), "block.tf", hcl.InitialPos)
	if diags.HasErrors() {
		return source{}, diags
	}
	body, is := file.Body.(*hclsyntax.Body)
	if !is {
		return source{}, fmt.Errorf("a body of type %T", file.Body)
	}
	return source{text: []byte(text), body: body}, nil
}

// localNames returns the names of the provider in the configuration.
func (s source) localNames() []string {
	out := []string{"fleet"}
	for _, block := range s.body.Blocks {
		for _, nested := range block.Body.Blocks {
			if nested.Type != "required_providers" {
				continue
			}
			for name, attribute := range nested.Body.Attributes {
				value, _ := attribute.Expr.Value(nil)
				if value.Type().IsObjectType() && value.Type().HasAttribute("source") && value.GetAttr("source").RawEquals(cty.StringVal(providerSource)) {
					out = append(out, name)
				}
			}
		}
	}
	return out
}

// part is a top-level block of a source, or one of its attributes.
type part struct {
	text []byte
	// at is the place in the text.
	at hcl.Range
	// block is nil for an attribute.
	block     *hclsyntax.Block
	attribute *hclsyntax.Attribute
	// isLocal: the attribute is a local value, and not a top-level attribute of the source.
	isLocal bool
}

// parts returns the parts of a source in the order of its text.
func (s source) parts() []part {
	var out []part
	for _, block := range s.body.Blocks {
		if block.Type == "locals" {
			for _, attribute := range block.Body.Attributes {
				out = append(out, part{text: s.text, at: attribute.SrcRange, attribute: attribute, isLocal: true})
			}
			continue
		}
		out = append(out, part{text: s.text, at: block.Range(), block: block})
	}
	for _, attribute := range s.body.Attributes {
		out = append(out, part{text: s.text, at: attribute.SrcRange, attribute: attribute})
	}
	slices.SortFunc(out, func(a, b part) int { return a.at.Start.Byte - b.at.Start.Byte })
	return out
}

func (p part) isOf(blockType string) bool { return p.block != nil && p.block.Type == blockType }

// isTest reports whether the part belongs to a file of terraform test.
func (p part) isTest() bool {
	return p.isOf("run") || p.isOf("mock_provider") || p.isOf("variables") || p.block != nil && strings.HasPrefix(p.block.Type, "override_")
}

// declares returns the addresses that a part declares. A data source in a check counts too, so that terraform validate reports references to it from outside
// the check.
func (p part) declares() []string {
	switch {
	case p.block == nil && p.isLocal:
		return []string{"local." + p.attribute.Name}
	case p.block == nil:
		return nil
	}
	labels := strings.Join(p.block.Labels, ".")
	switch p.block.Type {
	case "variable":
		return []string{"var." + labels}
	case "resource":
		return []string{labels}
	case "module", "data", "ephemeral", "action":
		return []string{p.block.Type + "." + labels}
	case "check":
		var out []string
		for _, nested := range p.block.Body.Blocks {
			if nested.Type == "data" {
				out = append(out, "data."+strings.Join(nested.Labels, "."))
			}
		}
		return out
	default:
		return nil
	}
}

// typeOf returns the type of the resources with an address, and "" for variables, local values and modules.
func typeOf(address string) string {
	steps := strings.Split(address, ".")
	switch steps[0] {
	case "var", "local", "module":
		return ""
	case "data", "ephemeral", "action":
		return steps[1]
	default:
		return steps[0]
	}
}

// reference is a reference to an address.
type reference struct {
	address string
	// at is the place of the whole reference in the text.
	at hcl.Range
	// each: the reference is to several instances, or to one of them.
	each bool
	// isDependency: the reference is in depends_on, which accepts no variable.
	isDependency bool
	// isImport: the reference is the target of an import. Terraform can generate a missing target.
	isImport bool
}

// contents is what a part refers to.
type contents struct {
	references []reference
	// files are the files in the configuration's folder that functions read.
	files []string
	// modules are the places of the sources of modules.
	modules []*hclsyntax.Attribute
}

// read returns what the part refers to.
func (p part) read() contents {
	var out contents
	if p.block == nil {
		out.readExpression(p.attribute, "")
		return out
	}
	out.readBody(p.block.Type, p.block.Body)
	return out
}

// noReferences are the attributes, by the type of their block, whose values look like references but need no declaration.
var noReferences = map[string][]string{
	"variable":  {"type"},
	"resource":  {"provider"},
	"data":      {"provider"},
	"ephemeral": {"provider"},
	"action":    {"provider"},
	"list":      {"provider"},
	"import":    {"provider"},
	"module":    {"providers"},
	"run":       {"providers"},
	"lifecycle": {"ignore_changes"},
	"moved":     {"from", "to"},
	"removed":   {"from"},
}

func (c *contents) readBody(blockType string, body *hclsyntax.Body) {
	for name, attribute := range body.Attributes {
		switch {
		case slices.Contains(noReferences[blockType], name):
		case blockType == "module" && name == "source":
			c.modules = append(c.modules, attribute)
		default:
			c.readExpression(attribute, blockType)
		}
	}
	for _, block := range body.Blocks {
		c.readBody(block.Type, block.Body)
	}
}

func (c *contents) readExpression(attribute *hclsyntax.Attribute, blockType string) {
	several := map[hcl.Range]bool{}
	mark := func(e hclsyntax.Expression) { several[e.Range()] = true }
	if attribute.Name == "for_each" {
		mark(attribute.Expr)
	}
	_ = hclsyntax.VisitAll(attribute.Expr, func(node hclsyntax.Node) hcl.Diagnostics {
		switch node := node.(type) {
		case *hclsyntax.ForExpr:
			mark(node.CollExpr)
		case *hclsyntax.SplatExpr:
			mark(node.Source)
		case *hclsyntax.IndexExpr:
			mark(node.Collection)
		case *hclsyntax.FunctionCallExpr:
			if file := localFile(node); file != "" {
				c.files = append(c.files, file)
			}
		}
		return nil
	})
	for _, traversal := range attribute.Expr.Variables() {
		address, rest := addressOf(traversal)
		if address == "" {
			continue
		}
		_, indexed := firstStep(rest).(hcl.TraverseIndex)
		c.references = append(c.references, reference{
			address: address, at: traversal.SourceRange(), each: indexed || len(rest) == 0 && several[traversal.SourceRange()],
			isDependency: attribute.Name == "depends_on", isImport: blockType == "import",
		})
	}
}

func firstStep(traversal hcl.Traversal) hcl.Traverser {
	if len(traversal) == 0 {
		return nil
	}
	return traversal[0]
}

// addressOf returns the address to which an expression refers, and the steps after it. The address is empty for values that Terraform itself defines.
func addressOf(traversal hcl.Traversal) (address string, rest hcl.Traversal) {
	steps := 2
	switch traversal.RootName() {
	case "each", "self", "count", "path", "terraform", "run":
		return "", nil
	case "data", "ephemeral", "action":
		steps = 3
	}
	if len(traversal) < steps {
		return "", nil
	}
	names := []string{traversal.RootName()}
	for _, step := range traversal[1:steps] {
		attribute, is := step.(hcl.TraverseAttr)
		if !is {
			return "", nil
		}
		names = append(names, attribute.Name)
	}
	return strings.Join(names, "."), traversal[steps:]
}

// localFile returns the path of a file that a call of a function reads, relative to the configuration's folder. For fileset, it is a file that the pattern
// matches.
func localFile(call *hclsyntax.FunctionCallExpr) string {
	var arguments []string
	for _, argument := range call.Args {
		value, known := text(argument)
		if !known {
			break
		}
		arguments = append(arguments, value)
	}
	switch {
	case call.Name == "fileset" && len(arguments) == 2:
		return path.Join(arguments[0], "any"+path.Ext(arguments[1]))
	case call.Name == "fileset" || len(arguments) == 0:
		return ""
	case call.Name == "templatefile" || strings.HasPrefix(call.Name, "file"):
		return path.Clean(arguments[0])
	default:
		return ""
	}
}

// text returns the value of a string expression. known is false if the expression refers to anything but path.module, path.root and path.cwd.
func text(e hclsyntax.Expression) (value string, known bool) {
	here := cty.StringVal(".")
	found, diags := e.Value(&hcl.EvalContext{Variables: map[string]cty.Value{
		"path": cty.ObjectVal(map[string]cty.Value{"module": here, "root": here, "cwd": here}),
	}})
	if diags.HasErrors() || found.Type() != cty.String || !found.IsWhollyKnown() || found.IsNull() {
		return "", false
	}
	return found.AsString(), true
}
