package manifest

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// FuzzParse checks that no text causes a panic, that objects are complete and can be copied, and that errors consist of known words.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", "---\n---\n", "{", "a: *b", "a: &a [*a]", "\t", "a: !!binary x", "? {a: b}\n", "%YAML 9\n---\n", "...\nx", "--- x",
		"apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: A, metadata: {name: a}}]",
		`{"apiVersion":"v1","kind":"A","metadata":{"name":"a"}}`, "<<: {a: 1}\na: 2", "a: .inf", "1: a\n\"1\": b",
	} {
		f.Add(text)
	}
	// Every error consists of these words and of numbers; "text" is the source.
	words := regexp.MustCompile(`^[a-zA-Z0-9 :;,.'"!\[\]{}<>/()*$\\?_-]*$`)
	f.Fuzz(func(t *testing.T, text string) {
		objects, err := Parse("text", text)
		if err != nil {
			for line := range strings.Lines(err.Error()) {
				if !strings.HasPrefix(line, "text: document ") || !words.MatchString(strings.TrimSpace(line)) {
					t.Errorf("got %q", err)
				}
			}
			return
		}
		for _, o := range objects {
			if o.Kind == "" || o.Version == "" || o.Name == "" {
				t.Errorf("incomplete: %+v", o.Identifier)
			}
			if o.Content.DeepCopy(); o.Hash() == "" {
				t.Error("no hash")
			}
		}
	})
}

// FuzzCanonical checks that a canonical text is JSON, and that its own canonical text is a list with this JSON as the only document.
func FuzzCanonical(f *testing.F) {
	for _, text := range []string{"a: 1", "a: [", "- 1\n---\n- 2", `{"b":1,"a":{"c":null}}`, "a: 1.0", "a: 0x10", "yes: no"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		canonical, err := Canonical(text)
		if err != nil {
			if canonical != text {
				t.Errorf("got %q", canonical)
			}
			return
		}
		if !json.Valid([]byte(canonical)) {
			t.Fatalf("not JSON: %q", canonical)
		}
		again, err := Canonical(canonical)
		if err != nil || again != "["+canonical+"]" {
			t.Errorf("got %q, %v; want %q as one document", again, err, canonical)
		}
	})
}
