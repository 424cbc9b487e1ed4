package configurations

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// Configuration is a complete configuration.
type Configuration struct {
	// Files are the contents of its files, by path.
	Files map[string]string
	// LeftOut are the providers of other authors and the state backends whose blocks are left out, sorted.
	LeftOut []string
	// IsEmpty: the part has only blocks that are left out.
	IsEmpty bool
	// IsQuery: terraform validate needs -query to read the part.
	IsQuery bool
	// HasModules: the configuration needs its own terraform init.
	HasModules bool
}

// The files of a complete configuration. Those that end in .tf form one configuration for Terraform.
const (
	ownFile   = "part.tf"
	testFile  = "tests/part.tftest.hcl"
	queryFile = "part.tfquery.hcl"
	pageFile  = "page.tf"
	stubFile  = "stubs.tf"
)

// Completer completes parts of configurations.
type Completer struct {
	// Modules is the folder of the repository's modules.
	Modules string
	// Required returns the required attributes of a type. kind is "resource", "data" or "ephemeral".
	Required func(kind, typeName string) []string
}

// completion is a configuration that is being completed.
type completion struct {
	Completer
	Configuration
	// page are the parts that the page declares, by address.
	page map[string]part
	// names are the local names of this provider.
	names []string
	// queue are the parts of the configuration: first its own, then those of the page to which they refer.
	queue    []part
	declared map[string]bool
	stubs    map[string]string
	leftOut  map[string]bool
}

// Complete completes the configuration with the given index. page are all configurations of its page, in their order.
func (c Completer) Complete(page []string, index int) (Configuration, error) {
	sources := make([]source, len(page))
	for i, text := range page {
		var err error
		if sources[i], err = parse(text); err != nil {
			return Configuration{}, err
		}
	}
	out := completion{
		Completer: c, Configuration: Configuration{Files: map[string]string{}}, page: declarations(sources, index), names: sources[index].localNames(),
		declared: map[string]bool{}, stubs: map[string]string{}, leftOut: map[string]bool{},
	}
	for _, p := range sources[index].parts() {
		if out.isOurs(p) {
			out.add(p)
		}
	}
	out.IsEmpty = len(out.queue) == 0
	out.writeParts()
	if !strings.Contains(out.Files[ownFile], "required_providers") {
		out.Files[stubFile] += "terraform {\n  required_providers {\n    fleet = { source = \"" + providerSource + "\" }\n  }\n}\n"
	}
	for _, address := range slices.Sorted(maps.Keys(out.stubs)) {
		out.Files[stubFile] += out.stubs[address]
	}
	out.LeftOut = slices.Sorted(maps.Keys(out.leftOut))
	return out.Configuration, nil
}

// declarations returns the parts of the other sources that declare an address: that of the nearest source before, or else of the nearest one after.
func declarations(sources []source, index int) map[string]part {
	out := map[string]part{}
	nearest := slices.Concat(sources[:index], nil)
	slices.Reverse(nearest)
	for _, s := range append(nearest, sources[index+1:]...) {
		for _, p := range s.parts() {
			for _, address := range p.declares() {
				if _, known := out[address]; !known {
					out[address] = p
				}
			}
		}
	}
	return out
}

func (c *completion) add(p part) {
	c.queue = append(c.queue, p)
	for _, address := range p.declares() {
		c.declared[address] = true
	}
}

// writeParts writes the parts of the queue. Each can add others.
func (c *completion) writeParts() {
	file, own := ownFile, len(c.queue)
	switch {
	case slices.ContainsFunc(c.queue, func(p part) bool { return p.isOf("list") }):
		file, c.IsQuery = queryFile, true
	case slices.ContainsFunc(c.queue, part.isTest):
		file = testFile
	}
	for i := 0; i < len(c.queue); i++ {
		if i == own {
			file = pageFile
		}
		c.Files[file] += c.write(c.queue[i])
	}
}

// edit replaces a range of a text.
type edit struct {
	at   hcl.Range
	text string
}

// write returns the text of a part, without what Terraform cannot resolve here, and adds what is missing.
func (c *completion) write(p part) string {
	found := p.read()
	var edits []edit
	for _, r := range found.references {
		if text := c.resolve(r); text != "" {
			edits = append(edits, edit{r.at, text})
		}
	}
	for _, attribute := range found.modules {
		c.HasModules = true
		if source, literal := text(attribute.Expr); literal {
			edits = append(edits, edit{attribute.Expr.Range(), fmt.Sprintf("%q", c.module(source))})
		}
	}
	for _, name := range found.files {
		c.Files[name] = fileStub(name)
	}
	if p.isOf("terraform") {
		edits = append(edits, c.otherProviders(p.block)...)
	}
	out := p.edited(edits)
	switch {
	case p.isLocal:
		return "locals {\n" + out + "\n}\n"
	case p.block == nil: // an argument of a placement. The provider checks most values only if the whole placement is known.
		return fmt.Sprintf("resource \"fleet_crp\" %q {\n  name = \"any\"\n  manifests = { \"any.yaml\" = %q }\n%s\n}\n", p.attribute.Name, fileStub("any.yaml"), out)
	default:
		return c.fillEllipsis(p, out) + "\n"
	}
}

// resolve adds the declaration to which a reference refers. It returns a replacement of the reference if it cannot be declared.
func (c *completion) resolve(r reference) string {
	kind := typeOf(r.address)
	switch declaration, known := c.page[r.address]; {
	case c.declared[r.address]:
	case kind != "" && !c.isOurType(kind):
		return c.unknown(r)
	case known && c.isOurs(declaration):
		c.add(declaration)
	case r.isImport:
	case strings.HasPrefix(r.address, "module."):
		return c.unknown(r)
	default:
		c.declared[r.address] = true
		c.stubs[r.address] = c.stub(r)
	}
	return ""
}

// module returns where Terraform finds a module here.
func (c *completion) module(source string) string {
	for _, prefix := range []string{"github.com/terraform-fleet/terraform-provider-fleet//examples/modules/", "../modules/"} {
		if name, is := strings.CutPrefix(source, prefix); is {
			return filepath.Join(c.Modules, name)
		}
	}
	if strings.HasPrefix(source, "./") {
		c.Files[path.Join(source, "main.tf")] = ""
	}
	return source
}

// otherProviders removes the other providers from a terraform block.
func (c *completion) otherProviders(block *hclsyntax.Block) []edit {
	var out []edit
	for _, nested := range block.Body.Blocks {
		if nested.Type != "required_providers" {
			continue
		}
		for name, attribute := range nested.Body.Attributes {
			if !slices.Contains(c.names, name) {
				c.leftOut[name] = true
				out = append(out, edit{attribute.SrcRange, ""})
			}
		}
	}
	return out
}

// isOurs reports whether Terraform can validate a part without other providers, and without a remote backend, which the Terraform of the tests does not have.
// If it cannot, isOurs records the provider or the backend.
func (c *completion) isOurs(p part) bool {
	if p.block == nil {
		return true
	}
	switch p.block.Type {
	case "terraform":
		for _, nested := range p.block.Body.Blocks {
			if nested.Type == "backend" && nested.Labels[0] != "local" {
				c.leftOut[nested.Labels[0]] = true
				return false
			}
		}
	case "provider":
		if !slices.Contains(c.names, p.block.Labels[0]) {
			c.leftOut[p.block.Labels[0]] = true
			return false
		}
	case "resource", "data", "ephemeral", "action", "list":
		return c.isOurType(p.block.Labels[0])
	case "removed", "import", "moved":
		for _, attribute := range p.block.Body.Attributes {
			if attribute.Name != "from" && attribute.Name != "to" {
				continue
			}
			for _, traversal := range attribute.Expr.Variables() {
				if address, _ := addressOf(traversal); typeOf(address) != "" && !c.isOurType(typeOf(address)) {
					return false
				}
			}
		}
	}
	return true
}

func (c *completion) isOurType(typeName string) bool {
	provider, _, _ := strings.Cut(typeName, "_")
	if provider == "fleet" || provider == "terraform" {
		return true
	}
	c.leftOut[provider] = true
	return false
}

// edited returns the text of the part with replacements.
func (p part) edited(edits []edit) string {
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.at.Start.Byte, b.at.Start.Byte) })
	var out strings.Builder
	at := p.at.Start.Byte
	for _, e := range edits {
		if e.at.Start.Byte < at {
			continue // in a range that is replaced
		}
		out.Write(p.text[at:e.at.Start.Byte])
		out.WriteString(e.text)
		at = e.at.End.Byte
	}
	out.Write(p.text[at:p.at.End.Byte])
	return out.String()
}
