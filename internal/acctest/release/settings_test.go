package release

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/documents"
)

// settings are the settings of GoReleaser, as it reads them.
type settings map[string]any

// build returns the settings of the only build.
func (s settings) build(t *testing.T) map[string]any {
	t.Helper()
	builds, _ := s["builds"].([]any)
	if len(builds) != 1 {
		t.Fatalf("%d builds", len(builds))
	}
	out, is := builds[0].(map[string]any)
	if !is {
		t.Fatalf("not a build: %v", builds[0])
	}
	return out
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	return []byte(documents.Read(t, filepath.Join(documents.Root(t), name)))
}

func readSettings(t *testing.T) settings {
	t.Helper()
	var out map[string]any // nested maps would have the type settings too
	if err := yaml.Unmarshal(readFile(t, ".goreleaser.yml"), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// list returns the elements of a list of texts.
func list(in any) []string {
	elements, _ := in.([]any)
	var out []string
	for _, one := range elements {
		out = append(out, fmt.Sprint(one))
	}
	return out
}

// TestCrossCompilesReleasedSystems checks that `make cross` compiles for every operating system with released archives, except the one that the tests run on.
func TestCrossCompilesReleasedSystems(t *testing.T) {
	t.Parallel()
	found := regexp.MustCompile(`(?m)^CROSS\s*=\s*(.*)$`).FindSubmatch(readFile(t, "GNUmakefile"))
	if found == nil {
		t.Fatal("the makefile has no CROSS")
	}
	systems := map[string]bool{"linux": true}
	for _, target := range strings.Fields(string(found[1])) {
		system, _, _ := strings.Cut(target, "/")
		systems[system] = true
	}
	released := slices.Sorted(slices.Values(list(readSettings(t).build(t)["goos"])))
	if got := slices.Sorted(maps.Keys(systems)); !slices.Equal(got, released) {
		t.Errorf("compiled for %q, released for %q", got, released)
	}
}

// TestManifest checks that the registry reads the version of the plugin protocol that the provider serves.
func TestManifest(t *testing.T) {
	t.Parallel()
	var manifest struct {
		Version  int
		Metadata struct {
			Protocols []string `json:"protocol_versions"`
		}
	}
	if err := json.Unmarshal(readFile(t, "terraform-registry-manifest.json"), &manifest); err != nil {
		t.Fatal(err)
	}
	if manifest.Version != 1 || !slices.Equal(manifest.Metadata.Protocols, []string{"6.0"}) {
		t.Errorf("manifest: %+v", manifest)
	}
}
