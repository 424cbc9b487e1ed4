package release

import (
	"archive/zip"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/cli"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/compatibility"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

// TestArchive runs GoReleaser with the settings of a release, for the machine of the test only. The files have the names and the contents that the registries
// require, and every supported Terraform and OpenTofu installs the archive from a mirror.
func TestArchive(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	if os.Getenv("TF_ACC") == "" {
		t.Skip("a cold build takes minutes: set TF_ACC=1")
	}
	version := compatibility.Described(t)[0].Name
	dist := dryRun(t, version)
	prefix := "terraform-provider-fleet_" + version
	archive := filepath.Join(dist, fmt.Sprintf("%s_%s_%s.zip", prefix, runtime.GOOS, runtime.GOARCH))
	checkContents(t, archive, "terraform-provider-fleet_v"+version)
	checkSums(t, filepath.Join(dist, prefix+"_SHA256SUMS"), map[string]string{
		filepath.Base(archive):    digest(t, archive),
		prefix + "_manifest.json": digest(t, filepath.Join(documents.Root(t), "terraform-registry-manifest.json")),
	})

	mirror := t.TempDir()
	for _, registry := range []string{"registry.terraform.io", "registry.opentofu.org"} {
		folder := filepath.Join(mirror, registry, "terraform-fleet", "fleet")
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(archive, filepath.Join(folder, filepath.Base(archive))); err != nil {
			t.Fatal(err)
		}
	}
	binaries, err := cli.All(t.Context(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	for _, binary := range binaries {
		t.Run(binary.String(), func(t *testing.T) {
			w, err := workspace.New(t.Context(), binary, mirror, filepath.Join(documents.Root(t), "examples", "envelope"), t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			workspace.Contains(t, workspace.Must(t, w, "validate"), "The configuration is valid")
			workspace.Contains(t, workspace.Must(t, w, "version"), "terraform-fleet/fleet v"+version)
			workspace.Contains(t, workspace.Must(t, w, "providers", "schema", "-json"), `"fleet_crp"`)
		})
	}
}

// dryRun creates the files of a release in a copy of the repository, and returns their folder. It signs and publishes nothing.
func dryRun(t *testing.T, version string) string {
	t.Helper()
	goreleaser, err := cli.Build(t.Context(), cli.GoReleaserName, os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	// GoReleaser releases a tagged commit. The commit has all files of the work tree, so that the test covers changes that are not committed yet.
	git := []string{"-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false"}
	for _, args := range [][]string{
		{"init", "--quiet", dir},
		{"--git-dir", filepath.Join(dir, ".git"), "--work-tree", documents.Root(t), "add", "--all"},
		{"-C", dir, "commit", "--quiet", "--no-verify", "--message", "Release"},
		{"-C", dir, "reset", "--quiet", "--hard"},
		{"-C", dir, "tag", "v" + version},
		{"-C", dir, "remote", "add", "origin", "https://github.com/terraform-fleet/terraform-provider-fleet.git"}, // only its text is read
	} {
		run(t, exec.CommandContext(t.Context(), "git", slices.Concat(git, args)...))
	}
	only := readSettings(t)
	only.build(t)["goos"], only.build(t)["goarch"] = []string{runtime.GOOS}, []string{runtime.GOARCH}
	text, err := yaml.Marshal(only)
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "goreleaser.yml")
	if err := os.WriteFile(config, text, 0o644); err != nil {
		t.Fatal(err)
	}
	notes := filepath.Join(t.TempDir(), "notes.md")
	if err := os.WriteFile(notes, []byte(releaseNotes(t, version)), 0o644); err != nil {
		t.Fatal(err)
	}
	release := exec.CommandContext(t.Context(), goreleaser, "release", "--skip=sign,publish,announce", "--config", config, "--release-notes="+notes)
	release.Dir = dir
	run(t, release)
	return filepath.Join(dir, "dist")
}

func run(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
}

// checkContents checks that an archive has the license and an executable program.
func checkContents(t *testing.T, archive, program string) {
	t.Helper()
	files, err := zip.OpenReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, file := range files.File {
		names = append(names, file.Name)
		if file.Name == program && file.Mode().Perm()&0o111 == 0 {
			t.Errorf("%s has mode %s", program, file.Mode())
		}
	}
	slices.Sort(names)
	if want := []string{"LICENSE", program}; !slices.Equal(names, want) {
		t.Errorf("the archive has %q, want %q", names, want)
	}
	if err := files.Close(); err != nil {
		t.Error(err)
	}
}

// checkSums checks that a file of checksums has exactly the digests by file name.
func checkSums(t *testing.T, path string, want map[string]string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	for name, sum := range want {
		if !slices.Contains(lines, sum+"  "+name) {
			t.Errorf("no checksum %s of %s in:\n%s", sum, name, text)
		}
	}
	if len(lines) != len(want) {
		t.Errorf("%d checksums, want %d:\n%s", len(lines), len(want), text)
	}
}

func digest(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(text))
}
