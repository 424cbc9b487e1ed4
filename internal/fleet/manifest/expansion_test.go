package manifest

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

const head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"

// aliased returns a document in which many aliases refer to one anchor.
func aliased(anchor string, aliases int) string {
	return head + "x: &a " + anchor + "\ny:\n" + strings.Repeat("- *a\n", aliases)
}

func TestAliasesAreBounded(t *testing.T) {
	nested := head + "a0: &a0 [1,2,3]\n"
	for i := range 12 {
		nested += fmt.Sprintf("a%d: &a%d [%s*a%d]\n", i+1, i+1, strings.Repeat(fmt.Sprintf("*a%d, ", i), 9), i)
	}
	for name, text := range map[string]string{
		"a long text":     aliased(strings.Repeat("v", 200<<10), 4000),
		"a list":          aliased("["+strings.Repeat("1,", 100<<10)+"1]", 4000),
		"a mapping":       aliased("{z: "+strings.Repeat("v", 200<<10)+"}", 4000),
		"merged":          head + "x: &a {z: " + strings.Repeat("v", 200<<10) + "}\ny:\n" + strings.Repeat("- {<<: *a}\n", 4000),
		"anchor in alias": nested,
		"many anchors":    head + "x: [&a " + strings.Repeat("v", 100<<10) + ", &b " + strings.Repeat("w", 100<<10) + "]\ny:\n" + strings.Repeat("- [*a, *b]\n", 2000),
		"a key":           head + "x: &a " + strings.Repeat("v", 100<<10) + "\ny:\n" + strings.Repeat("- {*a : 1}\n", 2000),
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := Parse("text", text)
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), "aliases expand to more than 4 MiB") {
				t.Errorf("got %v", err)
			}
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 64<<20 {
				t.Errorf("%d MiB were allocated", allocated>>20)
			}
			if _, err := Canonical(text); err == nil {
				t.Error("the text has a canonical form")
			}
		})
	}
}

func TestAliasesWithinBounds(t *testing.T) {
	for name, text := range map[string]string{
		"few":         aliased("{a: 1, b: [x, y]}", 100),
		"long":        aliased(strings.Repeat("v", 100<<10), 20),
		"merged":      head + "x: &a {k: v}\ny: {<<: *a, z: 1}\n",
		"no aliases":  head + "data:\n  a: |\n    " + strings.Repeat("rock & roll * ", 50_000),
		"cron":        head + "data: {a: \"*/5 * * * *\", b: \"a && b\"}\n" + "c: " + strings.Repeat("x", 1<<20),
		"many pieces": head + "y:\n" + strings.Repeat("- &a {k: v, l: [1, 2, 3]}\n- *a\n", 2000),
	} {
		t.Run(name, func(t *testing.T) {
			if objects, err := Parse("text", text); err != nil || len(objects) != 1 {
				t.Errorf("got %v, %v", len(objects), err)
			}
		})
	}
	_, err := Parse("text", aliased(strings.Repeat("v", 200<<10), 4000)+"z: [\n")
	if err == nil || !strings.HasPrefix(err.Error(), "text: document 1: line ") {
		t.Errorf("got %v", err)
	}
}
