package examples

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/cli"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
)

func needJQ(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("jq"); err != nil {
		t.Fatal("the scripts in examples/pull-request need jq, and it is not on the PATH. Install it, for example with `apt-get install jq`.")
	}
}

// TestPullRequest runs the commands of the workflow in examples/pull-request: the saved plan becomes a report and a page, and after its apply the next plan is
// empty.
func TestPullRequest(t *testing.T) {
	needJQ(t)
	const example = "examples/pull-request"
	fleet.PutExample(t, "pull-request")
	binary := fleet.Newest(t)
	w := fleet.Open(t, binary, example, "")
	useEngine(t, w)
	fleet.MustDestroyAtEnd(t, w)
	workflow := documents.Read(t, filepath.Join(documents.Root(t), example, "pipeline.yml"))
	for _, command := range []string{"plan -lock=false -out=tfplan", "plan -out=tfplan", "apply tfplan", "plan -detailed-exitcode"} {
		contains(t, workflow, "- run: terraform "+command+"\n")
	}
	must(t, w, "plan", "-out=tfplan")

	// The script finds the tested program under the name terraform.
	programs := t.TempDir()
	if err := os.Symlink(binary.Path, filepath.Join(programs, "terraform")); err != nil {
		t.Fatal(err)
	}
	report := script(t, "report.sh", w.Dir)
	report.Env = w.Command(t.Context()).Env
	report.Env = append(report.Env, "PATH="+programs+string(filepath.ListSeparator)+os.Getenv("PATH"))
	if out, err := report.CombinedOutput(); err != nil {
		t.Fatalf("report.sh: %v\n%s", err, out)
	}
	contains(t, documents.Read(t, filepath.Join(w.Dir, "preview.md")), "### Placement `web-5-crp` (3 clusters): 1 conflict on `member-2` not taken over")
	page := documents.Read(t, filepath.Join(w.Dir, "preview.html"))
	contains(t, page, "<!doctype html>", "Placement web-5-crp (3 clusters): 1 conflict on member-2 not taken over", "FailedToTakeOver", "spec.replicas")
	if !strings.HasSuffix(page, "</html>\n") {
		t.Errorf("the page is not complete: %d bytes", len(page))
	}

	must(t, w, "apply", "tfplan")
	contains(t, must(t, w, "plan", "-detailed-exitcode"), "No changes.")
}

// TestPullRequestInstall checks that terraform init finds the provider that install.sh builds. A fake git gives the script this repository instead of a clone.
func TestPullRequestInstall(t *testing.T) {
	binary := fleet.Newest(t)
	root, dir := documents.Root(t), t.TempDir()
	program(t, dir, "git", fmt.Sprintf(`for folder; do :; done; rmdir "$folder"; ln -s '%s' "$folder"`, root))
	// The caches of Go remain those of the user.
	caches, err := exec.CommandContext(t.Context(), "go", "env", "GOPATH", "GOMODCACHE", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	folders := strings.Split(strings.TrimSpace(string(caches)), "\n")
	env := []string{"HOME=" + dir, "GOPATH=" + folders[0], "GOMODCACHE=" + folders[1], "GOCACHE=" + folders[2], "GOFLAGS=" + strings.Join(gobuild.Flags, " ")}
	install := script(t, "install.sh", dir)
	install.Env = append(install.Env, env...)
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("install.sh: %v\n%s", err, out)
	}
	write(t, filepath.Join(dir, "main.tf"), documents.Read(t, filepath.Join(root, "examples", "pull-request", "main.tf")))
	for _, command := range []string{"init", "version"} {
		terraform := exec.CommandContext(t.Context(), binary.Path, command)
		terraform.Dir = dir
		terraform.Env = append(cli.Environ(), append(env, "TF_CLI_CONFIG_FILE="+os.DevNull, "CHECKPOINT_DISABLE=1")...)
		out, err := terraform.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
		contains(t, string(out), "terraform-fleet/fleet v0.0.1")
	}
}

// maxComment is the number of characters of the longest comment that GitHub accepts.
const maxComment = 65536

// TestPullRequestWithManyReports checks that the comment about many placements is not longer than GitHub accepts, and names those that it leaves out.
func TestPullRequestWithManyReports(t *testing.T) {
	needJQ(t)
	type values struct {
		Report string         `json:"report"`
		Data   string         `json:"report_data"`
		Assume map[string]any `json:"assume"`
	}
	report := func(name string, size int) values {
		return values{Report: fmt.Sprintf("### Placement `%s`: 1 to delete\n\n%s", name, strings.Repeat("é", size/2))}
	}
	assumed := report("assumed", 30000)
	assumed.Assume = map[string]any{"member-1": map[string]any{"state": "Gone"}}
	many := []values{report("first", 59000), report("second", 30000), assumed}
	for i := range 300 {
		many = append(many, report(fmt.Sprintf("other-%03d", i), 200))
	}
	for name, c := range map[string]struct {
		previews []values
		want     []string
		missing  string
	}{
		"one of the maximum size": {previews: []values{report("first", 59900)}, want: []string{"`first`"}, missing: "do not fit"},
		"two that fit":            {previews: []values{report("first", 30000), report("second", 20000)}, want: []string{"### Placement `second`"}, missing: "do not fit"},
		"two that do not fit": {
			previews: []values{report("first", 59000), assumed},
			want: []string{
				"### Placement `first`", "#### Reports that do not fit into this comment (1)\n\n- Placement `assumed`: 1 to delete (under assumptions)\n",
				"\nThe page shows all of them.",
			},
			missing: "### Placement `assumed`",
		},
		"many": {previews: many, want: []string{"- Placement `second`: 1 to delete\n", "\n- and "}, missing: "`other-299`"},
	} {
		t.Run(name, func(t *testing.T) {
			var resources []map[string]any
			for _, preview := range c.previews {
				resources = append(resources, map[string]any{"mode": "data", "type": "fleet_placement_preview", "values": preview})
			}
			plan, err := json.Marshal(map[string]any{"prior_state": map[string]any{"values": map[string]any{"root_module": map[string]any{"resources": resources}}}})
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			write(t, filepath.Join(dir, "plan.json"), string(plan))
			program(t, dir, "terraform", `case $1 in show) cat plan.json ;; console) cat >/dev/null; echo '"cGFnZQ=="' ;; esac`)
			runScript(t, "report.sh", dir)
			for _, file := range []string{"tfplan.json", "preview.html"} {
				if _, err := os.Stat(filepath.Join(dir, file)); (err == nil) != (file == "preview.html") {
					t.Errorf("%s: %v", file, err)
				}
			}

			// The comment adds the marker and the address of the page.
			program(t, dir, "gh", `case "$*" in "api --paginate "*) echo "[]" ;; esac`)
			runScript(t, "comment.sh", dir)
			text := documents.Read(t, filepath.Join(dir, "comment.md"))
			if n := utf8.RuneCountInString(text); n > maxComment || len(text) > maxComment {
				t.Errorf("the comment has %d characters in %d bytes", n, len(text))
			}
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("missing %q in:\n%.300s ... %s", want, text, text[max(0, len(text)-5000):])
				}
			}
			if strings.Contains(text, c.missing) {
				t.Errorf("the comment contains %q", c.missing)
			}
		})
	}
}

// TestPullRequestComment checks that a run updates the comment of an earlier run, and no other comment.
func TestPullRequestComment(t *testing.T) {
	needJQ(t)
	const bot, marker = `"user": {"login": "github-actions[bot]"}`, "<!-- fleet preview: fleet, preview -->"
	other := []string{
		`{"id": 1, ` + bot + `, "body": "the comment of another workflow"}`,
		`{"id": 2, "user": {"login": "somebody"}, "body": "` + marker + ` quoted"}`,
		`{"id": 3, ` + bot + `, "body": "<!-- fleet preview: other, preview -->"}`,
	}
	for name, c := range map[string]struct{ comments, want string }{
		"no comment":      {"[]", "api --silent --method POST repos/o/r/issues/7/comments --field body=@comment.md"},
		"only of others":  {"[" + strings.Join(other, ", ") + "]", "api --silent --method POST repos/o/r/issues/7/comments --field body=@comment.md"},
		"on another page": {"[" + strings.Join(other, ", ") + `][{"id": 4, ` + bot + `, "body": "` + marker + `\n..."}]`, "api --silent --method PATCH repos/o/r/issues/comments/4 --field body=@comment.md"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "preview.md"), "### Placement\n")
			write(t, filepath.Join(dir, "answer.json"), c.comments)
			program(t, dir, "gh", `case "$*" in "api --paginate repos/o/r/issues/7/comments") cat answer.json ;; *) echo "$*" >>calls ;; esac`)
			runScript(t, "comment.sh", dir)
			if got := strings.TrimSpace(documents.Read(t, filepath.Join(dir, "calls"))); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			text := documents.Read(t, filepath.Join(dir, "comment.md"))
			if want := marker + "\n### Placement\n\n[All details, as a page for a browser](https://example.org/page)\n"; text != want {
				t.Errorf("got %q, want %q", text, want)
			}
		})
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "preview.md"), "### Placement\n")
	program(t, dir, "gh", `case "$*" in "api --paginate "*) exit 1 ;; *) echo "$*" >>calls ;; esac`)
	if out, err := script(t, "comment.sh", dir).CombinedOutput(); err == nil {
		t.Errorf("the script succeeds without the list of comments:\n%s", out)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// program writes a program of shell commands, which a script finds under its name.
func program(t *testing.T, dir, name, commands string) {
	t.Helper()
	path := filepath.Join(dir, name)
	write(t, path, "#!/bin/sh\n"+commands+"\n")
	if err := os.Chmod(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

// script returns a script of the example that runs in a folder with its programs, as in a workflow.
func script(t *testing.T, name, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "sh", filepath.Join(documents.Root(t), "examples", "pull-request", name))
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"), "GITHUB_WORKFLOW=fleet", "GITHUB_JOB=preview",
		"GITHUB_REPOSITORY=o/r", "PR=7", "PAGE=https://example.org/page")
	return cmd
}

func runScript(t *testing.T, name, dir string) {
	t.Helper()
	if out, err := script(t, name, dir).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}
