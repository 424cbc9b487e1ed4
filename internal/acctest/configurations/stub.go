package configurations

import (
	"fmt"
	"path"
	"regexp"
	"strings"
)

// anyVariable is a variable with an unknown value of an unknown type, which is valid wherever a value is.
const anyVariable = "variable \"any\" {\n  type = any\n}\n"

// unknown returns an expression with an unknown value that replaces a reference.
func (c *completion) unknown(r reference) string {
	if r.isDependency {
		c.stubs["terraform_data.any"] = "resource \"terraform_data\" \"any\" {}\n"
		return "terraform_data.any"
	}
	c.stubs["var.any"] = anyVariable
	return "var.any"
}

// stub returns the declaration of an address.
func (c *completion) stub(r reference) string {
	steps := strings.Split(r.address, ".")
	switch steps[0] {
	case "var":
		return fmt.Sprintf("variable %q {\n  type = any\n}\n", steps[1])
	case "local":
		c.stubs["var.any"] = anyVariable
		return fmt.Sprintf("locals {\n  %s = var.any\n}\n", steps[1])
	case "data", "ephemeral", "action":
	default:
		steps = append([]string{"resource"}, steps...)
	}
	out := fmt.Sprintf("%s %q %q {\n", steps[0], steps[1], steps[2])
	if r.each {
		out += "  for_each = toset([\"any\"])\n"
	}
	return out + c.arguments(c.Required(steps[0], steps[1])) + "}\n"
}

func (c *completion) arguments(names []string) string {
	out := ""
	for _, name := range names {
		c.stubs["var.any"] = anyVariable
		out += "  " + name + " = var.any\n"
	}
	return out
}

// ellipsis is a comment for arguments that a block on a page does not repeat.
var ellipsis = regexp.MustCompile(`(?m)^\s*# \.\.\.$\n?`)

// fillEllipsis replaces an ellipsis by the required arguments that the block does not have.
func (c *completion) fillEllipsis(p part, text string) string {
	if !ellipsis.MatchString(text) || len(p.block.Labels) != 2 {
		return text
	}
	var missing []string
	for _, name := range c.Required(p.block.Type, p.block.Labels[0]) {
		if p.block.Body.Attributes[name] == nil {
			missing = append(missing, name)
		}
	}
	return ellipsis.ReplaceAllLiteralString(text, c.arguments(missing))
}

// fileStub returns the content of a file that a configuration reads. The objects in different files have different names.
func fileStub(name string) string {
	switch extension := path.Ext(name); extension {
	case ".yaml", ".yml":
		return fmt.Sprintf("{apiVersion: v1, kind: Namespace, metadata: {name: %s}}\n", strings.TrimSuffix(path.Base(name), extension))
	case ".json":
		return "[]\n"
	default:
		return ""
	}
}
