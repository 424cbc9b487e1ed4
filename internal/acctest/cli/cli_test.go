package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
)

func TestTargetsExist(t *testing.T) {
	root, err := gobuild.Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range targets() {
		text, err := os.ReadFile(filepath.Join(root, target.ModuleDir, "go.mod"))
		if err != nil {
			t.Errorf("%s: %v", target.Name, err)
			continue
		}
		if target.Package == "." {
			continue // the imports of the package keep its dependencies in go.mod
		}
		// A tool directive keeps the package's dependencies in go.mod.
		lines := strings.Split(string(text), "\n")
		if !slices.ContainsFunc(lines, func(line string) bool {
			return strings.TrimPrefix(strings.TrimSpace(line), "tool ") == target.Package
		}) {
			t.Errorf("%s: %s/go.mod has no tool %s", target.Name, target.ModuleDir, target.Package)
		}
	}
}

func TestUnknownTool(t *testing.T) {
	_, err := Build(t.Context(), "nothing", t.Output())
	if err == nil || !strings.Contains(err.Error(), "terraform, terraform-1.11, tofu, golangci-lint, tfplugindocs, govulncheck, controller-gen, goreleaser, opa, kubectl") {
		t.Errorf("error: %v", err)
	}
}

func TestNamedByEnvironment(t *testing.T) {
	t.Setenv(OpenTofuEnv, script(t, "tofu", `printf '{"terraform_version":"1.12.6"}'`))
	binary, err := OpenTofu(t.Context(), t.Output())
	if err != nil {
		t.Fatal(err)
	}
	if want := (Binary{Path: os.Getenv(OpenTofuEnv), Name: "tofu", Version: "1.12.6"}); binary != want {
		t.Errorf("got %+v, want %+v", binary, want)
	}
	if binary.String() != "tofu-1.12.6" {
		t.Errorf("string %q", binary)
	}
}

// TestUserSettings checks that the user's Terraform settings do not affect the program.
func TestUserSettings(t *testing.T) {
	t.Setenv("TF_CLI_ARGS", "-no-such-flag")
	t.Setenv(TerraformEnv, script(t, "terraform", `test -z "$TF_CLI_ARGS" && test "$TF_CLI_CONFIG_FILE" = /dev/null && printf '{"terraform_version":"1.13.0"}'`))
	if _, err := Terraform(t.Context(), t.Output()); err != nil {
		t.Error(err)
	}
}

func TestNotATool(t *testing.T) {
	for name, body := range map[string]string{
		"silent": "exit 0",
		"other":  "echo hello",
		"fails":  "echo no such flag >&2; exit 2",
	} {
		_, err := inspect(t.Context(), name, script(t, name, body))
		if err == nil || (name == "fails" && !strings.Contains(err.Error(), "no such flag")) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// script writes a program of shell commands and returns its path.
func script(t *testing.T, name, body string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}
