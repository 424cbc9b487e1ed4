package bench_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/cli"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

// benchmarkTerraform measures whole runs of Terraform, each once.
func benchmarkTerraform(b *testing.B, f *fleet) {
	binary, err := cli.Terraform(b.Context(), os.Stderr)
	if err != nil {
		b.Fatal(err)
	}
	source := b.TempDir()
	if err := os.WriteFile(filepath.Join(source, "main.tf"), []byte(configuration(f)), 0o600); err != nil {
		b.Fatal(err)
	}
	mirror, err := workspace.Install(b.Context(), b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	w, err := workspace.New(b.Context(), binary, mirror, source, b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	clock := func(what string, args ...string) {
		begin := time.Now()
		if out, err := w.Run(b.Context(), nil, append(args, "-no-color")...); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
		rows.add(row{members: len(f.Members), what: what, wall: time.Since(begin), requests: -1, received: -1, sent: -1, dials: -1})
	}
	clock("terraform plan, all to create", "plan")
	clock("terraform apply, all to create", "apply", "-auto-approve")
	clock("terraform plan, nothing to do", "plan")
	clock("terraform destroy", "destroy", "-auto-approve")
}

// configuration returns a configuration that places the same objects as the other benchmarks of applies.
func configuration(f *fleet) string {
	var members, manifests strings.Builder
	for _, name := range f.Members {
		fmt.Fprintf(&members, "    %s = { config_path = %q, config_context = %q }\n", name, f.Kubeconfig, name)
	}
	texts := objectsToWrite("written")
	for _, key := range sorted(texts) {
		fmt.Fprintf(&manifests, "    %q = %q\n", key, texts[key])
	}
	return fmt.Sprintf(`terraform {
  required_providers {
    fleet = { source = "terraform-fleet/fleet" }
  }
}
provider "fleet" {
  members = {
%s  }
}
resource "fleet_crp" "written" {
  name      = "written"
  wait      = { until = "Applied" }
  manifests = {
%s  }
}
`, members.String(), manifests.String())
}
