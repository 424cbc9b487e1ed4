package html

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// TestEncode checks that encoded JSON is ASCII without markup, and that it decodes to the same text. Terraform normalizes strings: a combining character must
// not follow a character of the encoding.
func TestEncode(t *testing.T) {
	for _, text := range []string{"</script>", "<!--", "&lt;", `"\`, "<\u0327", "\"\u0338", "e\u0301 \u00e9", "\u2028\u2029\u202e", "\x00\x7f", "\U0001f6a2"} {
		got, err := encode([]string{text})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range got {
			if r < ' ' || r >= 0x7f || strings.ContainsRune("<>&", r) {
				t.Errorf("%q is encoded as %s, with %q", text, got, r)
			}
		}
		var decoded []string
		if err := json.Unmarshal([]byte(got), &decoded); err != nil || len(decoded) != 1 || decoded[0] != text {
			t.Errorf("%q is decoded as %q: %v", text, decoded, err)
		}
	}
}

// valid has one object on the first of two clusters.
const valid = `{"fleet_report":2,"placement":"p","clusters":[{"name":"a","picked":"yes"},{"name":"b","picked":"no"}],"texts":["create","Namespace n","Owner","x"],` +
	`"details":[[2,3]],"fields":[[3,3,3,3,7]],"effects":{"actions":[0],"weighs":[0],"details":[[0]],"fields":[[0]]},"outcomes":[[0]],"objects":[1],"cells":[[1,1,0,1]]}`

// TestParse checks that data with an index outside of its table, or of another format, is an error.
func TestParse(t *testing.T) {
	if _, err := parse(valid); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct{ old, changed, want string }{
		"no JSON":            {"{", "[", "not a report_data"},
		"another object":     {`"fleet_report":2,`, "", "not a report_data"},
		"another format":     {`"fleet_report":2`, `"fleet_report":1`, "it has format 1, and this version of the provider reads format 2"},
		"unknown member":     {`"placement":`, `"place":`, `unknown field "place"`},
		"text after it":      {`[[1,1,0,1]]}`, `[[1,1,0,1]]} x`, "not a report_data"},
		"second value":       {`[[1,1,0,1]]}`, `[[1,1,0,1]]}{}`, "not a report_data"},
		"detail":             {`[[2,3]]`, `[[2,4]]`, "index 4"},
		"field":              {`[[3,3,3,3,7]]`, `[[-1,3,3,3,7]]`, "index -1"},
		"columns":            {`"weighs":[0]`, `"weighs":[]`, "0 rows instead of 1"},
		"action":             {`"actions":[0]`, `"actions":[9]`, "index 9"},
		"details of effects": {`"details":[[0]]`, `"details":[[1]]`, "index 1"},
		"fields of effects":  {`"fields":[[0]]`, `"fields":[[1]]`, "index 1"},
		"outcome":            {`"outcomes":[[0]]`, `"outcomes":[[1]]`, "index 1"},
		"object":             {`"objects":[1]`, `"objects":[4]`, "index 4"},
		"cells missing":      {`[[1,1,0,1]]`, `[]`, "0 rows instead of 1"},
		"cell":               {`[[1,1,0,1]]`, `[[2,1,0,1]]`, "index 2"},
		"cells too long":     {`[[1,1,0,1]]`, `[[1,3]]`, "index 2"},
		"cells too short":    {`[[1,1,0,1]]`, `[[1,1]]`, "0 rows instead of 1"},
		"run without length": {`[[1,1,0,1]]`, `[[1,1,0]]`, "rows instead of"},
		"negative run":       {`[[1,1,0,1]]`, `[[1,-1,0,3]]`, "index -2"},
	} {
		text := strings.Replace(valid, c.old, c.changed, 1)
		if _, err := parse(text); text == valid || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v instead of %q", what, err, c.want)
		}
	}
}

// FuzzPage checks that no data changes the page outside of its JSON.
func FuzzPage(f *testing.F) {
	f.Add(valid, "x")
	f.Add(valid, "</script><script>")
	f.Add(strings.Replace(valid, `"p"`, `"DATA_TEXT"`, 1), "SCRIPT_TEXT")
	empty, err := Page(nil)
	if err != nil {
		f.Fatal(err)
	}
	before, after, _ := strings.Cut(empty, "[]</script>")
	f.Fuzz(func(t *testing.T, data, text string) {
		page, err := Page([]string{strings.Replace(data, `"x"`, string(must(json.Marshal(text))), 1)})
		if err != nil {
			return
		}
		packed, found := strings.CutPrefix(page, before)
		packed, closed := strings.CutSuffix(packed, "</script>"+after)
		if !found || !closed || strings.ContainsAny(packed, "<>&\u2028") {
			t.Errorf("the page is not the empty page with other data:\n%s", page)
		}
	})
}

func must(text []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return text
}

// TestActionsAreKnown checks that the page has a sign for each action, and no sign twice.
func TestActionsAreKnown(t *testing.T) {
	text, err := files.ReadFile("actions.js")
	if err != nil {
		t.Fatal(err)
	}
	signs := map[string]bool{}
	for _, word := range append(takeover.Action("").Values(), restart, unavailable, overwrite, again) {
		_, after, found := strings.Cut(string(text), `["`+word+`", "`)
		sign, _, _ := strings.Cut(after, `"`)
		if !found || signs[sign] {
			t.Errorf("actions.js has no entry for %s, or its sign %q twice", word, sign)
		}
		signs[sign] = true
	}
}
