package documents

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	// inlineLink matches the target of [text](target) and ![text](target "title").
	inlineLink = regexp.MustCompile(`\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)`)
	// definedLink matches the target of a line [name]: target.
	definedLink = regexp.MustCompile(`(?m)^ {0,3}\[[^\]]+\]:\s+<?([^\s>]+)`)
	inlineCode  = regexp.MustCompile("`[^`\n]*`")
	heading     = regexp.MustCompile(`(?m)^#{1,6}\s+(.+?)\s*#*$`)
	identifier  = regexp.MustCompile(`<[a-z]+\s[^>]*\b(?:id|name)="([^"]+)"`)
	linkText    = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	scheme      = regexp.MustCompile(`^[a-z][a-z0-9+.-]*:`)

	// ours matches a link to a file or a folder of this repository on GitHub, without the fragment.
	ours = regexp.MustCompile(`^https://(?:github\.com/terraform-fleet/terraform-provider-fleet/(?:blob|tree|raw)|raw\.githubusercontent\.com/terraform-fleet/terraform-provider-fleet)/main/(.*)$`)
	// oursInRegistry matches a link to a page of docs/ in the registry.
	oursInRegistry = regexp.MustCompile(`^https://registry\.terraform\.io/providers/terraform-fleet/fleet/latest/docs/?(.*)$`)
)

// links returns the targets of a page's links.
func links(text string) []string {
	text, _ = split("", text)
	text = inlineCode.ReplaceAllString(text, "")
	var out []string
	for _, pattern := range []*regexp.Regexp{inlineLink, definedLink} {
		for _, found := range pattern.FindAllStringSubmatch(text, -1) {
			out = append(out, found[1])
		}
	}
	return out
}

// anchors returns the fragments that a page has: those of its headings, as GitHub and the registry derive them, and those of its HTML.
func anchors(text string) map[string]bool {
	text, _ = split("", text)
	out := map[string]bool{}
	for _, found := range heading.FindAllStringSubmatch(text, -1) {
		name := anchor(found[1])
		unique := name
		for i := 1; out[unique]; i++ {
			unique = fmt.Sprintf("%s-%d", name, i)
		}
		out[unique] = true
	}
	for _, found := range identifier.FindAllStringSubmatch(text, -1) {
		out[found[1]] = true
	}
	return out
}

// anchor returns the fragment of a heading.
func anchor(text string) string {
	text = linkText.ReplaceAllString(text, "$1")
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		default:
			return -1
		}
	}, text)
}

// linkChecker checks links. Its map has the anchors of the pages that it has read.
type linkChecker map[string]map[string]bool

// broken returns why a link of a page does not resolve, and "" if it does. page is relative to the root. It does not open links to other sites.
func (c linkChecker) broken(t *testing.T, page, link string) string {
	t.Helper()
	target, fragment, _ := strings.Cut(link, "#")
	path := ""
	switch {
	case ours.MatchString(target):
		path = ours.FindStringSubmatch(target)[1]
	case oursInRegistry.MatchString(target):
		if path = oursInRegistry.FindStringSubmatch(target)[1]; path == "" {
			path = "index"
		}
		path = "docs/" + path + ".md"
	case scheme.MatchString(target):
		return ""
	case target == "":
		path = page
	case strings.HasPrefix(target, "/"):
		return "a path without a host is not relative to the repository"
	default:
		path = filepath.ToSlash(filepath.Join(filepath.Dir(page), filepath.FromSlash(target)))
		if strings.HasPrefix(page, "docs/") && !strings.HasPrefix(path, "docs/") {
			return "the registry has only docs/: link to the file on GitHub"
		}
	}
	full := filepath.Join(Root(t), filepath.FromSlash(path))
	info, err := os.Stat(full)
	switch {
	case err != nil:
		return path + " does not exist"
	case info.IsDir() && strings.HasPrefix(page, "docs/") && !scheme.MatchString(target):
		return "the registry shows no folders"
	case fragment == "":
		return ""
	case filepath.Ext(path) != ".md":
		return "only pages have anchors"
	}
	if c[path] == nil {
		c[path] = anchors(Read(t, full))
	}
	if !c[path][fragment] {
		return path + " has no heading #" + fragment
	}
	return ""
}

// TestLinks checks that every link to a file of this repository resolves, on GitHub and for docs/ also in the registry.
func TestLinks(t *testing.T) {
	t.Parallel()
	checked, checker := 0, linkChecker{}
	for _, page := range Pages(t) {
		for _, link := range links(Read(t, filepath.Join(Root(t), filepath.FromSlash(page)))) {
			checked++
			if reason := checker.broken(t, page, link); reason != "" {
				t.Errorf("%s: %s: %s", page, link, reason)
			}
		}
	}
	if checked < 300 {
		t.Errorf("only %d links", checked)
	}
}

// TestBrokenLinks checks that TestLinks reports each kind of broken link.
func TestBrokenLinks(t *testing.T) {
	t.Parallel()
	const github = "https://github.com/terraform-fleet/terraform-provider-fleet/"
	checker := linkChecker{}
	for _, c := range []struct{ page, link, want string }{
		{"README.md", "docs/index.md#connections", ""},
		{"README.md", "docs/index.md#connection", "docs/index.md has no heading #connection"},
		{"README.md", "docs/guides/none.md", "docs/guides/none.md does not exist"},
		{"README.md", "#none", "README.md has no heading #none"},
		{"README.md", "main.go#L1", "only pages have anchors"},
		{"README.md", "/docs/index.md", "a path without a host is not relative to the repository"},
		{"docs/index.md", "guides/trust.md", ""},
		{"docs/guides/trust.md", "../index.md", ""},
		{"docs/index.md", "guides", "the registry shows no folders"},
		{"docs/guides/trust.md", "../../README.md", "the registry has only docs/: link to the file on GitHub"},
		{"docs/index.md", github + "tree/main/examples/rbac", ""},
		{"docs/index.md", github + "blob/main/README.md#none", "README.md has no heading #none"},
		{"docs/index.md", github + "blob/main/examples/none", "examples/none does not exist"},
		{"README.md", "https://registry.terraform.io/providers/terraform-fleet/fleet/latest/docs/guides/none", "docs/guides/none.md does not exist"},
		{"README.md", "https://registry.terraform.io/providers/terraform-fleet/fleet/latest/docs", ""},
	} {
		if got := checker.broken(t, c.page, c.link); got != c.want {
			t.Errorf("%s: %s: got %q, want %q", c.page, c.link, got, c.want)
		}
	}
}

// TestAnchors checks that headings and HTML are anchors, and that code is neither an anchor nor a link.
func TestAnchors(t *testing.T) {
	t.Parallel()
	const page = "# `ignore_fields`: what, *when*?\n## Same\n## Same\n```sh\n# comment [x](y)\n```\n<a id=\"nested--x\"></a> [a](b.md \"title\"), `[c](d.md)`\n\n[e]: f.md\n"
	got := anchors(page)
	for _, want := range []string{"ignore_fields-what-when", "same", "same-1", "nested--x"} {
		if !got[want] {
			t.Errorf("no anchor %q in %v", want, got)
		}
	}
	if len(got) != 4 {
		t.Errorf("anchors: %v", got)
	}
	if got := strings.Join(links(page), " "); got != "b.md f.md" {
		t.Errorf("links: %s", got)
	}
}
