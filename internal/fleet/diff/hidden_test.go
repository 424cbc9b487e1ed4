package diff

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
)

func TestHidden(t *testing.T) {
	h := NewHidden(
		HiddenField{"/a", "planted"}, HiddenField{"/b", "x"}, HiddenField{"/c/d", "a\"b\nc"}, HiddenField{"/e", int64(7)},
		HiddenField{"/f", map[string]any{"a": []any{"nested", true, nil, ""}}},
	)
	at := func(path string) Difference { return Difference{Path: path, InHub: true, HasHub: true} }
	hidden := func(path string) Difference { return Difference{Path: path, InHub: Redacted, HasHub: true} }
	both := func(hub, member any) Difference {
		return Difference{Path: "/z", InHub: hub, HasHub: true, InMember: member, HasMember: true}
	}
	for name, c := range map[string]struct{ in, want Difference }{
		"another value":      {both("a", int64(8)), both("a", int64(8))},
		"the value":          {both("planted", "old"), both(Redacted, Redacted)},
		"within a text":      {both("a", "user:planted@host"), both(Redacted, Redacted)},
		"quoted in a text":   {both("a", `{"k":"a\"b\nc"}`), both(Redacted, Redacted)},
		"deep in a value":    {both("a", []any{map[string]any{"b": "nested"}}), both(Redacted, Redacted)},
		"a number":           {both(int64(7), int64(8)), both(Redacted, Redacted)},
		"a short text":       {both("x", "y"), both(Redacted, Redacted)},
		"a short text, used": {both("axe", true), both("axe", true)},
		"one side":           {Difference{Path: "/z", InHub: "planted", HasHub: true}, Difference{Path: "/z", InHub: Redacted, HasHub: true}},
		"a hidden field":     {at("/c/d"), hidden("/c/d")},
		"in a hidden field":  {at("/c/d/g"), Difference{Field: "c.d", Path: "/c/d", InHub: Redacted, HasHub: true}},
		"around one":         {at("/c"), hidden("/c")},
		"a longer name":      {at("/c/de"), at("/c/de")},
		"null and booleans":  {both(nil, true), both(nil, true)},
	} {
		if diff := cmp.Diff([]Difference{c.want}, h.Differences([]Difference{c.in})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	in := []placement.PatchDetail{{Path: "/v", ValueInHub: "planted"}, {Path: "/w", ValueInHub: "7", ValueInMember: "8"}, {Path: "/x", ValueInHub: "c"}, {Path: "/a", ValueInMember: "c"}}
	want := []placement.PatchDetail{{Path: "/v", ValueInHub: Redacted}, {Path: "/w", ValueInHub: Redacted, ValueInMember: Redacted}, {Path: "/x", ValueInHub: "c"}, {Path: "/a", ValueInMember: Redacted}}
	if diff := cmp.Diff(want, h.Patches(in)); diff != "" {
		t.Error(diff)
	}
	if in[0].ValueInHub != "planted" {
		t.Error("the patches themselves are changed")
	}
	if got := h.Text(`Invalid value: "planted": axe`); got != `Invalid value: "`+Redacted+`": axe` {
		t.Error(got)
	}
	object := map[string]any{"a": "planted", "g": []any{"x", "axe", "user:planted@host", int64(7), int64(8)}, "c": map[string]any{"d": true, "e": nil}}
	redacted := map[string]any{"a": Redacted, "g": []any{Redacted, "axe", "user:" + Redacted + "@host", Redacted, int64(8)}, "c": map[string]any{"d": Redacted, "e": nil}}
	if diff := cmp.Diff(redacted, h.Redact(object)); diff != "" {
		t.Error(diff)
	}
	if object["a"] != "planted" {
		t.Error("the value itself is changed")
	}
	nested := NewHidden(HiddenField{"/a", "pass"}, HiddenField{"/b", "password123"}, HiddenField{"/c", "for security"})
	overlapping := NewHidden(HiddenField{Path: "/a", Value: []any{"abcdef", "cdefgh", "<&>x"}})
	for text, want := range map[string]string{
		"it is abcdefgh": "it is " + Redacted, "abcdefabcdef.": Redacted + ".", "x: abcde": "x: abcde", "{\"a\":\"\\u003c\\u0026\\u003ex\"}": "{\"a\":\"" + Redacted + "\"}",
	} {
		if got := overlapping.Text(text); got != want {
			t.Errorf("%q becomes %q instead of %q", text, got, want)
		}
	}
	if got := nested.Text("denied: password123, pass"); got != "denied: "+Redacted+", "+Redacted {
		t.Error(got)
	}
	var none Hidden
	if got := none.Differences([]Difference{both("planted", 1)}); !none.IsEmpty() || got[0].InHub != "planted" || none.Text("planted") != "planted" {
		t.Errorf("%v", got)
	}
}

// TestRedactedPaths checks that a hidden field is redacted whatever its value is, because the value can be another secret than the known one.
func TestRedactedPaths(t *testing.T) {
	h := NewHidden(HiddenField{"/a/b", "known"}, HiddenField{"/l/1", "known"})
	for name, value := range map[string]any{
		"text": "other", "number": int64(1), "boolean": true, "list": []any{"x", map[string]any{"k": "v"}}, "map": map[string]any{"k": "v"}, "empty": "",
	} {
		got := h.Redact(map[string]any{"a": map[string]any{"b": value, "c": value}, "l": []any{value, value}})
		want := map[string]any{"a": map[string]any{"b": Redacted, "c": value}, "l": []any{value, Redacted}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestHiddenKeys checks that no output shows the keys of a hidden value.
func TestHiddenKeys(t *testing.T) {
	h := NewHidden(
		HiddenField{"/data", map[string]any{"planted-key": "a", "planted": "b"}},
		HiddenField{"/spec/containers/0/env/-", map[string]any{"name": "PLANTED_NAME", "value": "c"}},
	)
	at := func(field, path string) Difference {
		return Difference{Field: field, Path: path, InHub: "x", HasHub: true}
	}
	oldKey := at("data.planted-old", "/data/planted-old")
	oldKey.InMember, oldKey.HasMember, oldKey.InHub, oldKey.HasHub = "y", true, nil, false
	got := h.Differences([]Difference{
		at("kind", "/kind"), at("data.planted-key", "/data/planted-key"), oldKey, at("spec.containers[name=web].env[name=PLANTED_NAME]", "/spec/containers/0/env/1"),
	})
	want := []Difference{
		at("kind", "/kind"), {Field: "data", Path: "/data", InHub: Redacted, HasHub: true, InMember: Redacted, HasMember: true},
		{Field: "spec.containers[name=web].env[name=" + Redacted + "]", Path: "/spec/containers/0/env/1", InHub: "x", HasHub: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	patches := h.Patches([]placement.PatchDetail{{Path: "/data/planted-key", ValueInHub: "x"}, {Path: "/data/planted", ValueInMember: "y"}, {Path: "/a", ValueInHub: "z"}})
	if diff := cmp.Diff([]placement.PatchDetail{{Path: "/data", ValueInHub: Redacted, ValueInMember: Redacted}, {Path: "/a", ValueInHub: "z"}}, patches); diff != "" {
		t.Error(diff)
	}
	if got := h.Text(`data[planted-key]: Invalid value, name: a-b`); got != "data["+Redacted+"]: Invalid value, name: a-b" {
		t.Error(got)
	}
	if diff := cmp.Diff(map[string]any{"data": Redacted, "kind": "Map"}, h.Redact(map[string]any{"data": map[string]any{"planted": "b"}, "kind": "Map"})); diff != "" {
		t.Error(diff)
	}
}
