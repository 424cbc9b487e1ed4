package report

import "strings"

// maxFlow is how many characters a line of names has, unless one name alone is longer.
const maxFlow = 150

// flow writes names one after the other, behind a head, in as few lines as possible. Lines after the first are indented.
func flow(head, indent string, names []string) []string {
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

// alikeNames groups names by a text that applies to them, in the order in which the texts were added first.
type alikeNames struct {
	order []string
	of    map[string][]string
}

func (a *alikeNames) add(text, name string) {
	if a.of == nil {
		a.of = map[string][]string{}
	}
	if a.of[text] == nil {
		a.order = append(a.order, text)
	}
	a.of[text] = append(a.of[text], name)
}

// abridge writes the kind and the namespace of successive objects once: "ConfigMap web/a, b, Secret web/c".
func abridge(names []string) []string {
	out := make([]string, len(names))
	last := ""
	for i, name := range names {
		prefix := name[:strings.LastIndexAny(name, " /")+1]
		if strings.Contains(name, fromEnvelope) {
			prefix = ""
		}
		if out[i] = name; prefix == last && strings.HasSuffix(prefix, "/") {
			out[i] = strings.TrimPrefix(name, prefix)
		}
		last = prefix
	}
	return out
}
