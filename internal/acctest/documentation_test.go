package acctest

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

var update = flag.Bool("update", false, "write the outputs that README and guides show instead of comparing them")

// block is a block of code with the line before it, where a comment names the output that the block shows. docs/ is made from templates/.
var block = regexp.MustCompile("(?m)^(.*)\n((?:```|~~~)([a-z]*))\n((?s:.*?))\n(?:```|~~~)$")

var marker = regexp.MustCompile(`^<!-- output of ([a-z0-9 -]+) -->$`)

var color = regexp.MustCompile("\x1b\\[[0-9;]*m")

// sources are the languages of blocks that are no output.
var sources = []string{"hcl", "terraform", "sh", "yaml"}

// What README and guides show is what Terraform prints: whole warnings and reports, less the frame and the place in the configuration.
// After a change of wording: make documented-outputs.
func TestDocumentation(t *testing.T) {
	outputs := map[string]string{}
	t.Run("readme", func(t *testing.T) { showReadme(t, outputs) })
	t.Run("takeover", func(t *testing.T) { showTakeover(t, outputs) })
	t.Run("placement-preview", func(t *testing.T) { showPreview(t, outputs) })
	if t.Failed() {
		return
	}
	shown := map[string]bool{}
	for _, path := range documents(t) {
		text := read(t, path)
		written := block.ReplaceAllStringFunc(text, func(found string) string {
			parts := block.FindStringSubmatch(found)
			before, fence, shows := parts[1], parts[2], parts[4]
			name := marker.FindStringSubmatch(before)
			if name == nil {
				return found
			}
			shown[name[1]] = true
			want, known := outputs[name[1]]
			if !known {
				t.Errorf("%s: there is no output of %q", path, name[1])
				return found
			}
			if diff := cmp.Diff(shows, want); diff != "" && !*update {
				t.Errorf("%s shows another output of %q (- shown, + printed); make documented-outputs writes it:\n%s", path, name[1], diff)
			}
			return before + "\n" + fence + "\n" + want + "\n" + fence[:3]
		})
		if *update && written != text {
			if err := os.WriteFile(path, []byte(written), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name := range outputs {
		if !shown[name] {
			t.Errorf("the output of %q is shown nowhere", name)
		}
	}
}

// No output is shown that is not compared.
func TestDocumentedOutputsAreMarked(t *testing.T) {
	for _, path := range documents(t) {
		for _, parts := range block.FindAllStringSubmatch(read(t, path), -1) {
			if !slices.Contains(sources, parts[3]) && !marker.MatchString(parts[1]) {
				t.Errorf("%s: a block that is no source has no comment before it that says what it is the output of:\n%s", path, parts[4])
			}
		}
	}
}

// showReadme plans and applies the configuration of the README as it stands, with another kubeconfig.
func showReadme(t *testing.T, outputs map[string]string) {
	putExample(t, "takeover")
	text := read(t, filepath.Join(root(t), "README.md"))
	_, text, _ = strings.Cut(text, "```hcl\n")
	text, _, found := strings.Cut(text, "\n```\n")
	if !found {
		t.Fatal("README.md has no configuration")
	}
	w := newWorkspace(t, newest(t), "", strings.ReplaceAll(text, `"~/.kube/config"`, `"`+env.Kubeconfig+`"`))
	destroyAtEnd(t, w)
	outputs["plan in the readme"] = warning(t, inColor(t, w, "plan"), `Placement "web-2-crp"`)
	must(t, w, "apply", "-auto-approve")
	check(t, "member-3", "v1", "Namespace", "", "web-2", "web-2", "metadata", "labels", "app")
	contains(t, must(t, w, "plan"), "No changes.")
}

// showTakeover goes through the modes in the order of the guide.
func showTakeover(t *testing.T, outputs map[string]string) {
	putExample(t, "takeover")
	w := newWorkspace(t, newest(t), "examples/takeover", "")
	destroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve", "-target=fleet_member_cluster.member")
	for _, mode := range []string{"Never", "IfNoDiff", "Always"} {
		variable := "-var=when_to_take_over=" + mode
		outputs["plan with "+strings.ToLower(mode)] = warning(t, inColor(t, w, "plan", variable), `Placement "web-2-crp"`)
		if mode != "Always" {
			must(t, w, "apply", "-auto-approve", variable)
		}
	}
}

func showPreview(t *testing.T, outputs map[string]string) {
	putExample(t, "placement-preview")
	w := newWorkspace(t, newest(t), "examples/placement-preview", "")
	destroyAtEnd(t, w)
	must(t, w, "apply", "-auto-approve", "-target=fleet_member_cluster.member")
	outputs["failed check"] = warning(t, inColor(t, w, "apply", "-auto-approve"), "Check block assertion failed")
	outputs["preview report"] = strings.TrimSpace(output(t, w, "preview_report"))
}

// inColor runs Terraform as in a terminal, where warnings have a frame, and takes the colors out.
func inColor(t *testing.T, w *workspace.Workspace, args ...string) string {
	t.Helper()
	out, err := w.Run(t.Context(), nil, args...)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return color.ReplaceAllString(out, "")
}

// warning returns the one warning that begins with the given text, as Terraform wraps it, without the frame around it and the paragraph
// that quotes the configuration.
func warning(t *testing.T, out, begin string) string {
	t.Helper()
	var found []string
	for _, framed := range strings.Split(out, "╷\n")[1:] {
		framed, _, _ = strings.Cut(framed, "╵")
		var lines []string
		for line := range strings.Lines(framed) {
			lines = append(lines, strings.TrimRight(strings.TrimPrefix(strings.TrimPrefix(line, "│"), " "), " \n"))
		}
		if strings.HasPrefix(lines[0], "Warning: "+begin) {
			found = append(found, strings.TrimSpace(strings.Join(lines, "\n")))
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d warnings begin with %q in:\n%s", len(found), begin, out)
	}
	paragraphs := strings.Split(found[0], "\n\n")
	return strings.Join(slices.DeleteFunc(paragraphs, func(paragraph string) bool {
		return strings.HasPrefix(paragraph, "  with ") || strings.HasPrefix(paragraph, "  on ")
	}), "\n\n")
}

// documents are the files that people write. (docs/ is generated from them.)
func documents(t *testing.T) []string {
	t.Helper()
	paths := []string{filepath.Join(root(t), "README.md")}
	for _, pattern := range []string{"*.tmpl", "*/*.md", "*/*.tmpl"} {
		more, err := filepath.Glob(filepath.Join(root(t), "templates", pattern))
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, more...)
	}
	return paths
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := gobuild.Root()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
