package plain

import (
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
)

// maxFlow is the maximum length of a line of names in bytes, unless one name alone is longer.
const maxFlow = 150

// Flow writes a head and names, and wraps them into lines. Lines after the first are indented.
func Flow(head, indent string, names []string) []string {
	var out []string
	line := head
	for i, name := range names {
		if i < len(names)-1 {
			name += ","
		}
		if i > 0 && len(line)+1+len(name) > maxFlow {
			out = append(out, line)
			line = indent + name
			continue
		}
		line += " " + name
	}
	return append(out, line)
}

// Groups are names grouped by a text that applies to them. The texts are in the order in which they were added first.
type Groups struct {
	Texts []string
	Names map[string][]string
}

// Add adds a name to the group of a text.
func (g *Groups) Add(text, name string) {
	if g.Names == nil {
		g.Names = map[string][]string{}
	}
	if g.Names[text] == nil {
		g.Texts = append(g.Texts, text)
	}
	g.Names[text] = append(g.Names[text], name)
}

// AddCluster adds the name of a cluster with a message about it.
func (g *Groups) AddCluster(cluster, message string) {
	g.Add(model.Message(model.Impersonal(message, cluster)), model.Name(cluster))
}

// Size returns the number of names.
func (g *Groups) Size() int {
	n := 0
	for _, names := range g.Names {
		n += len(names)
	}
	return n
}

// Lines adds a line to a section for each text, with its names. If there are more than most names, the line names two and counts the others.
func (g *Groups) Lines(to *Section, indent string, most int) {
	for _, text := range g.Texts {
		to.Add(indent + words.List(g.Names[text], most) + ": " + text)
	}
}

// abridge writes the kind and the namespace of successive namespaced objects once: "ConfigMap web/a, b, Secret web/c".
func abridge(names []string) []string {
	out := slices.Clone(names)
	last := ""
	for i, name := range names {
		prefix := name[:strings.LastIndexAny(name, " /")+1]
		if strings.Contains(name, model.FromEnvelope) {
			prefix = ""
		}
		if prefix == last && strings.HasSuffix(prefix, "/") {
			out[i] = strings.TrimPrefix(name, prefix)
		}
		last = prefix
	}
	return out
}

// Clauses joins the texts that are not empty with semicolons.
func Clauses(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "; ")
}

// Bracketed returns a text in brackets, with a space before them, or "" for none.
func Bracketed(text string) string {
	if text == "" {
		return ""
	}
	return " (" + model.Unbracketed(text) + ")"
}

// Indented returns lines with an indentation.
func Indented(indent string, lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = indent + line
	}
	return out
}
