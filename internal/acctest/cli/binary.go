package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Environment variables that name a program to use instead of building one.
const (
	TerraformEnv    = "FLEET_TEST_TERRAFORM"
	Terraform111Env = "FLEET_TEST_TERRAFORM_1_11"
	OpenTofuEnv     = "FLEET_TEST_TOFU"
)

const versionTimeout = 30 * time.Second

// Binary is a Terraform or an OpenTofu that runs on this machine.
type Binary struct {
	// Path is absolute.
	Path string
	// Name is "terraform" or "tofu".
	Name string
	// Version is the version that the program reports, without a leading v.
	Version string
}

// String returns a name for a subtest.
func (b Binary) String() string { return b.Name + "-" + b.Version }

// Terraform returns the newest Terraform: the one that TerraformEnv names, or else one built from its Go module. The built one cannot use remote state.
func Terraform(ctx context.Context, log io.Writer) (Binary, error) {
	return named(ctx, TerraformName, TerraformEnv, log)
}

// Terraform111 returns the oldest Terraform that the provider is tested with:
// the one that Terraform111Env names, or else one built from its Go module.
func Terraform111(ctx context.Context, log io.Writer) (Binary, error) {
	return named(ctx, Terraform111Name, Terraform111Env, log)
}

// OpenTofu returns the newest OpenTofu: the one that OpenTofuEnv names, or
// else one built from its Go module.
func OpenTofu(ctx context.Context, log io.Writer) (Binary, error) {
	return named(ctx, OpenTofuName, OpenTofuEnv, log)
}

// All returns every Terraform and OpenTofu that the provider is tested with,
// the newest Terraform first.
func All(ctx context.Context, log io.Writer) ([]Binary, error) {
	var all []Binary
	for _, get := range []func(context.Context, io.Writer) (Binary, error){Terraform, Terraform111, OpenTofu} {
		binary, err := get(ctx, log)
		if err != nil {
			return nil, err
		}
		all = append(all, binary)
	}
	return all, nil
}

// named returns the program in the environment variable, or else the built tool.
func named(ctx context.Context, tool, env string, log io.Writer) (Binary, error) {
	path := os.Getenv(env)
	if path == "" {
		built, err := Build(ctx, tool, log)
		if err != nil {
			return Binary{}, err
		}
		path = built
	}
	name := TerraformName
	if tool == OpenTofuName {
		name = OpenTofuName
	}
	return inspect(ctx, name, path)
}

// inspect runs the program to read its version, which also proves that it runs.
func inspect(ctx context.Context, name, path string) (Binary, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return Binary{}, fmt.Errorf("cli: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, versionTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, absolute, "version", "-json")
	// Do not check for a newer version.
	cmd.Env = append(Environ(), "CHECKPOINT_DISABLE=1", "TF_CLI_CONFIG_FILE="+os.DevNull)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return Binary{}, fmt.Errorf("cli: %s version: %w\n%s", absolute, err, bytes.TrimSpace(stderr.Bytes()))
	}
	// OpenTofu uses this field name too.
	var answer struct {
		Version string `json:"terraform_version"`
	}
	if err := json.Unmarshal(stdout.Bytes(), &answer); err != nil || answer.Version == "" {
		return Binary{}, fmt.Errorf("cli: %s version -json printed %q", absolute, stdout.String())
	}
	return Binary{Path: absolute, Name: name, Version: answer.Version}, nil
}

// Environ returns the environment without variables that begin with TF_ or FLEET_HUB, so that the user's settings do not affect a run.
func Environ() []string {
	return slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "TF_") || strings.HasPrefix(variable, "FLEET_HUB")
	})
}
