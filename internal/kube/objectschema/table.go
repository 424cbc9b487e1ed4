package objectschema

import (
	_ "embed"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
)

// text is the table of the built-in kinds, in paragraphs. The first paragraph lists the kinds in client-go, and the second the kinds that
// client-go does not have. Every other paragraph describes a structure: its name, then its fields with their types. See [table.parseType].
//
//go:embed table.txt
var text string

type table struct {
	kinds      map[schema.GroupVersionKind]*node
	typed      map[schema.GroupVersionKind]*node
	structures map[string]*structure
}

var readTable = sync.OnceValue(func() *table {
	paragraphs := strings.Split(strings.TrimSuffix(text, "\n"), "\n\n")
	t := &table{
		kinds: map[schema.GroupVersionKind]*node{}, typed: map[schema.GroupVersionKind]*node{},
		structures: make(map[string]*structure, len(paragraphs)),
	}
	for _, paragraph := range paragraphs[2:] {
		name, lines, _ := strings.Cut(paragraph, "\n")
		t.structures[name] = &structure{table: t, lines: lines}
	}
	for line := range strings.SplitSeq(paragraphs[0], "\n") {
		kind, known := t.parseKind(line)
		t.kinds[kind], t.typed[kind] = known, known
	}
	for line := range strings.SplitSeq(paragraphs[1], "\n") {
		kind, known := t.parseKind(line)
		t.kinds[kind] = known
	}
	return t
})

// parseKind parses a line like "apps/v1 Deployment io.k8s.api.apps.v1.Deployment".
func (t *table) parseKind(line string) (schema.GroupVersionKind, *node) {
	apiVersion, rest, _ := strings.Cut(line, " ")
	kind, structure, _ := strings.Cut(rest, " ")
	return schema.FromAPIVersionAndKind(apiVersion, kind), t.parseType(structure)
}

var forms = map[string]diff.Form{
	"any": diff.FormAny, "map": diff.FormMap, "list": diff.FormList, "text": diff.FormText, "bytes": diff.FormBytes,
	"boolean": diff.FormBoolean, "number": diff.FormNumber, "quantity": diff.FormQuantity,
}

// parseField parses the type of a field. A leading * means that the API server stores zero values.
func (t *table) parseField(expression string) *node {
	expression, kept := strings.CutPrefix(expression, "*")
	n := t.parseType(expression)
	n.dropped = !kept
	return n
}

// parseType parses a type:
//
//	text                    a form; any other word names a structure
//	map! text               atomic; followed by the type of the elements
//	list[port,protocol=TCP] io.k8s.api.core.v1.ServicePort
//	                        merged by these keys, with their defaults; list[] is a set
//	list text @merge:name   strategies and key of a strategic merge patch
func (t *table) parseType(expression string) *node {
	expression, patch, _ := strings.Cut(expression, " @")
	word, inner, hasInner := strings.Cut(expression, " ")
	n := &node{}
	strategies, mergeKey, _ := strings.Cut(patch, ":")
	if n.mergeKey = mergeKey; strategies != "" {
		n.strategies = strings.Split(strategies, ",")
	}
	word, n.atomic = strings.CutSuffix(word, "!")
	if list, keys, isKeyed := strings.Cut(strings.TrimSuffix(word, "]"), "["); isKeyed {
		word = list
		for key := range strings.SplitSeq(keys, ",") {
			field, absent, _ := strings.Cut(key, "=")
			n.keys = append(n.keys, diff.MergeKey{Field: field, Absent: absent})
		}
	}
	if form, is := forms[word]; is {
		n.form = form
	} else {
		n.form, n.structure = diff.FormStructure, t.structures[word]
	}
	if hasInner {
		n.inner = t.parseType(inner)
	}
	return n
}
