package report

import (
	"encoding/json"
	"flag"
	"fmt"
	stdhtml "html"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/html"
)

var pages = flag.String("pages", "", "a folder to which TestPages writes the pages that the browser test opens")

// dataOf returns the data of a preview, which must be valid.
func dataOf(t *testing.T, preview *engine.Preview, strategy placement.ApplyStrategy, additions Additions) string {
	t.Helper()
	data, err := Data(preview, strategy, additions)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func pageOf(t *testing.T, data ...string) string {
	t.Helper()
	page, err := html.Page(data)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// textsOf returns all strings in JSON, one a line.
func textsOf(t *testing.T, data string) string {
	t.Helper()
	var decoded any
	if err := json.Unmarshal([]byte(data), &decoded); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var collect func(any)
	collect = func(value any) {
		switch value := value.(type) {
		case string:
			b.WriteString(value + "\n")
		case []any:
			for _, element := range value {
				collect(element)
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(value)) {
				collect(value[key])
			}
		}
	}
	collect(decoded)
	return b.String()
}

// insideCode returns the code spans of Markdown.
func insideCode(text string) []string {
	var out []string
	text = codeElement.ReplaceAllStringFunc(text, func(element string) string {
		out = append(out, stdhtml.UnescapeString(strings.TrimSuffix(strings.TrimPrefix(element, "<code>"), "</code>")))
		return ""
	})
	for {
		open := fence.FindString(text)
		_, after, found := strings.Cut(text, open)
		if open == "" || !found {
			return out
		}
		for _, end := range fence.FindAllStringIndex(after, -1) {
			if end[1]-end[0] == len(open) {
				out = append(out, strings.TrimSpace(after[:end[0]]))
				after = after[end[1]:]
				break
			}
		}
		text = after
	}
}

// TestDataHasWhatMarkdownShows checks that a page shows every text from a cluster and from the model that a comment on a pull request shows.
func TestDataHasWhatMarkdownShows(t *testing.T) {
	all := cases()
	maps.Copy(all, handOverCases())
	maps.Copy(all, kindCases())
	spans := 0
	for name, c := range all {
		additions := Additions{WriteOnly: []manifest.Identifier{secret}}
		comment, texts := Markdown(c.preview, c.strategy, additions), textsOf(t, dataOf(t, c.preview, c.strategy, additions))
		for _, span := range insideCode(comment) {
			spans++
			span = strings.TrimSuffix(span, " (deleted by this plan)") // a label says so on the page
			if !strings.Contains(texts, strings.TrimSuffix(strings.Trim(span, `"`), "…")) {
				t.Errorf("%s: the data does not have %q", name, span)
			}
		}
		for line := range strings.SplitSeq(comment, "\n") {
			if advice, is := strings.CutPrefix(line, "> "); is && !strings.Contains(texts, advice) {
				t.Errorf("%s: the data does not have %q", name, advice)
			}
		}
		if strings.Contains(texts, "planted") || !strings.Contains(texts, firstLine(comment)) {
			t.Errorf("%s: the data has no line %q:\n%s", name, firstLine(comment), texts)
		}
		pageOf(t, dataOf(t, c.preview, c.strategy, Additions{}))
	}
	if spans < 1000 {
		t.Errorf("only %d code spans were compared", spans)
	}
}

// firstLine returns the heading of a comment as plain text.
func firstLine(comment string) string {
	line, _, _ := strings.Cut(strings.TrimPrefix(comment, "### "), "\n")
	return strings.ReplaceAll(line, "`", "")
}

// TestDataOfReplacement checks what the data has besides the preview.
func TestDataOfReplacement(t *testing.T) {
	c := cases()["removals"]
	if got := textsOf(t, dataOf(t, c.preview, c.strategy, Additions{Replaces: Retyped})); !strings.Contains(got, "REPLACED: the placement_type changes, so the apply DELETES") {
		t.Errorf("no reason in:\n%s", got)
	}
	data, err := NoData("web", "not planned\x1b")
	if err != nil {
		t.Fatal(err)
	}
	if page := pageOf(t, data); !strings.Contains(page, `"missing":"not planned\\u001b"`) {
		t.Errorf("the page does not say why there is no preview:\n%s", page)
	}
}

// hostileTexts would end an element or a string, or change how the text after them is read.
var hostileTexts = []string{
	"</script><script>document.title='executed'</script>", "<!--<script>", "]]>", `"'\`, "\u2028\u2029", "\u202eabc\u2066", "\x00\x1b[2J", "<\u0338>\u0327", "\u00e9e\u0301",
	"<img src=x onerror=\"document.title='executed'\">", "${x}%{y}", "SCRIPT_TEXT DATA_TEXT $&", "javascript:alert(1)", "\xff\xfe", "__proto__", "\U0001f6a2",
}

// fromHostileClusters is a preview in which every text of a cluster is one of the hostile texts.
func fromHostileClusters() *engine.Preview {
	var clusters []engine.ClusterPreview
	for i, bad := range hostileTexts {
		o := taken(manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "web", Name: bad}, takeover.Owner{Kind: takeover.OwnerHelm, Name: bad}, diff.Difference{
			Field: "data[" + bad + "]", Path: "/data", InHub: bad, HasHub: true, InMember: bad + "!", HasMember: true, Manager: diff.Manager{Name: bad},
		})
		denied := decided(service, takeover.Rejected(takeover.ObstacleAdmission, takeover.ReasonManifestApplyFailed, "denied: "+bad))
		clusters = append(clusters, on(fmt.Sprintf("member-%d%s", i, bad), o, denied))
	}
	out := of(clusters...)
	out.Placement = "hostile" + hostileTexts[0]
	return out
}

// TestHostilePage checks that no text of a cluster leaves its string in the page.
func TestHostilePage(t *testing.T) {
	data := dataOf(t, fromHostileClusters(), strategy(placement.TakeOverAlways), Additions{})
	page := pageOf(t, data)
	empty := pageOf(t)
	for _, markup := range []string{"<script", "</script", "<!--", "<img", "onerror="} {
		if got, want := strings.Count(page, markup), strings.Count(empty, markup); markup != "onerror=" && got != want {
			t.Errorf("%d times %q instead of %d", got, markup, want)
		}
	}
	for _, r := range page {
		if r > 0x7e || r < ' ' && r != '\n' {
			t.Fatalf("the page has the character %U", r)
		}
	}
	// The text in the page is what the report shows.
	texts := textsOf(t, data)
	for _, want := range []string{"</script><script>document.title='executed'</script>", `\u202eabc\u2066`, `\u0000\u001b[2J`, `"'\`, "<\u0338>\u0327"} {
		if !strings.Contains(texts, want) {
			t.Errorf("missing %q", want)
		}
	}
}

// TestPageGolden compares a page of several placements.
func TestPageGolden(t *testing.T) {
	render := func() string {
		var data []string
		for _, name := range []string{"if-no-diff-differs", "nothing-to-do", "update-overwrites", "deleted-since"} {
			c := cases()[name]
			data = append(data, dataOf(t, c.preview, c.strategy, Additions{}))
		}
		return pageOf(t, data...)
	}
	page := render()
	golden(t, "page.html", page)
	if render() != page {
		t.Error("the same previews result in another page")
	}
}

// largeFleet has 100 clusters and 1,000 objects, with another effect or other values on almost every cluster.
func largeFleet() *engine.Preview {
	var clusters []engine.ClusterPreview
	for c := range 100 {
		objects := make([]engine.ObjectPreview, 1000)
		for i := range objects {
			id := manifest.Identifier{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: fmt.Sprintf("team-%d", i%40), Name: fmt.Sprintf("workload-%d", i)}
			scaled := replicas
			scaled.InMember = int64(i*7+c) % 90
			moved := image
			moved.InMember = fmt.Sprintf("registry.example/team/app:1.%d.%d", i, c)
			switch (i*31 + c*17) % 10 {
			case 0, 1, 2:
				objects[i] = does(takeover.ActionCreate, id)[0]
			case 3:
				objects[i] = taken(id, kubectl, scaled, moved)
			case 4:
				objects[i] = met(placement.TakeOverIfNoDiff, id, shop, scaled)
			case 5:
				objects[i] = does(takeover.ActionUpdate, id)[0]
				objects[i].Differences = []diff.Difference{moved}
			default:
				objects[i] = does(takeover.ActionNone, id)[0]
			}
		}
		clusters = append(clusters, on(fmt.Sprintf("member-%03d", c), objects...))
	}
	return of(clusters...)
}

// TestPages checks the size of pages. With -pages, it writes them for the browser test.
func TestPages(t *testing.T) {
	with := strategy(placement.TakeOverIfNoDiff)
	dataWith := func(name string, additions Additions) string {
		c := cases()[name]
		renamed := *c.preview
		renamed.Placement = name
		return dataOf(t, &renamed, c.strategy, additions)
	}
	data := func(name string) string { return dataWith(name, Additions{}) }
	assumed := func(name string) string {
		return dataWith(name, Additions{Assumed: []Assumption{{Member: "member-1", State: engine.AssumeGone}}})
	}
	for name, page := range map[string]struct {
		text string
		most int
	}{
		"small":   {pageOf(t, data("if-no-diff-differs"), data("removals"), data("restart"), data("offline"), data("missing"), data("drift")), 160 << 10},
		"assumed": {pageOf(t, data("if-no-diff-differs"), assumed("if-no-diff-differs"), data("removals"), assumed("removals")), 160 << 10},
		"hostile": {pageOf(t, dataOf(t, fromHostileClusters(), with, Additions{})), 160 << 10},
		"large":   {pageOf(t, dataOf(t, largeFleet(), with, Additions{})), 3 << 20},
	} {
		t.Logf("%s: %d bytes", name, len(page.text))
		if len(page.text) > page.most {
			t.Errorf("%s: %d bytes, more than %d", name, len(page.text), page.most)
		}
		if *pages != "" {
			if err := os.WriteFile(filepath.Join(*pages, name+".html"), []byte(page.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
}
