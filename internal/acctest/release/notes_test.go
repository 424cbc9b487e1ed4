package release

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/compatibility"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
)

// releaseNotes returns what the workflow of a release passes to GoReleaser as the notes of a version.
func releaseNotes(t *testing.T, version string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), filepath.Join(documents.Root(t), "internal", "tools", "release-notes"), version).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestReleaseNotes checks that the draft of a release gets the notes of its version from CHANGELOG.md.
func TestReleaseNotes(t *testing.T) {
	t.Parallel()
	for _, version := range compatibility.Described(t) {
		want := strings.ReplaceAll(version.Notes, "](docs/", "](https://github.com/terraform-fleet/terraform-provider-fleet/blob/v"+version.Name+"/docs/")
		if got := releaseNotes(t, version.Name); strings.TrimSpace(got) != strings.TrimSpace(want) {
			t.Errorf("notes of version %s: got\n%s\nwant\n%s", version.Name, got, want)
		}
	}
	workflow := string(readFile(t, filepath.Join(".github", "workflows", "release.yml")))
	for _, want := range []string{`internal/tools/release-notes "${GITHUB_REF_NAME#v}" >"$RUNNER_TEMP/notes.md"`, "--release-notes=${{ runner.temp }}/notes.md"} {
		if !strings.Contains(workflow, want) {
			t.Errorf("the workflow has no %q", want)
		}
	}
	if changelog := readSettings(t)["changelog"]; changelog != nil {
		t.Errorf("the settings have a changelog: %v", changelog) // with disable, GoReleaser ignores the notes
	}
}
