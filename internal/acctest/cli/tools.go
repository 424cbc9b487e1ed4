package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
)

// Names of the tools that Build builds.
const (
	TerraformName     = "terraform"
	Terraform111Name  = "terraform-1.11"
	OpenTofuName      = "tofu"
	GolangCILintName  = "golangci-lint"
	TFPluginDocsName  = "tfplugindocs"
	GovulncheckName   = "govulncheck"
	ControllerGenName = "controller-gen"
	GoReleaserName    = "goreleaser"
	OPAName           = "opa"
	KubectlName       = "kubectl"
)

// targets returns the build targets, Terraform first.
func targets() []gobuild.Target {
	return []gobuild.Target{
		{
			Name:      TerraformName,
			ModuleDir: "internal/tools/terraform",
			Package:   "github.com/hashicorp/terraform",
			LDFlags:   "-s -w -X github.com/hashicorp/terraform/version.dev=no",
		},
		{
			Name:      Terraform111Name,
			ModuleDir: "internal/tools/terraform-1.11",
			Package:   "github.com/hashicorp/terraform",
			LDFlags:   "-s -w -X github.com/hashicorp/terraform/version.dev=no",
		},
		{
			Name:      OpenTofuName,
			ModuleDir: "internal/tools/opentofu",
			Package:   "github.com/opentofu/opentofu/cmd/tofu",
			LDFlags:   "-s -w -X github.com/opentofu/opentofu/version.dev=no",
		},
		{
			Name:      GolangCILintName,
			ModuleDir: "internal/tools",
			Package:   "github.com/golangci/golangci-lint/v2/cmd/golangci-lint",
			LDFlags:   "-s -w",
		},
		{
			Name:      TFPluginDocsName,
			ModuleDir: "internal/tools",
			Package:   "github.com/hashicorp/terraform-plugin-docs/cmd/tfplugindocs",
			LDFlags:   "-s -w",
		},
		{
			Name:      GovulncheckName,
			ModuleDir: "internal/tools",
			Package:   "golang.org/x/vuln/cmd/govulncheck",
			LDFlags:   "-s -w",
		},
		{
			Name:      ControllerGenName,
			ModuleDir: "internal/tools/controller-gen",
			Package:   "sigs.k8s.io/controller-tools/cmd/controller-gen",
			LDFlags:   "-s -w",
		},
		{
			Name:      GoReleaserName,
			ModuleDir: "internal/tools/goreleaser",
			Package:   "github.com/goreleaser/goreleaser/v2",
			LDFlags:   "-s -w",
		},
		{
			Name:      OPAName,
			ModuleDir: "internal/tools/opa",
			Package:   "github.com/open-policy-agent/opa",
			LDFlags:   "-s -w",
		},
		{
			Name:      KubectlName,
			ModuleDir: "internal/tools/kubectl",
			Package:   ".",
			LDFlags:   "-s -w",
		},
	}
}

// Names lists the tools that can be built.
func Names() []string {
	var names []string
	for _, target := range targets() {
		names = append(names, target.Name)
	}
	return names
}

// Build returns the path of the named tool. A cold build takes minutes and
// writes progress lines to log, which may be nil.
func Build(ctx context.Context, name string, log io.Writer) (string, error) {
	all := targets()
	i := slices.IndexFunc(all, func(target gobuild.Target) bool { return target.Name == name })
	if i < 0 {
		return "", fmt.Errorf("cli: unknown tool %q: the tools are %s", name, strings.Join(Names(), ", "))
	}
	return gobuild.Build(ctx, all[i], log)
}
