// Command demo shows the provider's purpose on real control planes: a hub and three members, one of which already runs a workload.
//
//	go run ./internal/acctest/demo        start, show, and keep everything running (DEMO_EXIT=1: stop at the end)
//	go run ./internal/acctest/demo down   stop everything
//
// It needs neither kubectl nor docker.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/cli"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	root, err := gobuild.Root()
	if err != nil {
		return err
	}
	dir := filepath.Join(root, ".build", "demo")
	binary, err := clusters.Binary(ctx, os.Stderr)
	if err != nil {
		return err
	}
	clusterDir := filepath.Join(dir, "clusters")
	control := func(ctx context.Context, args ...string) error {
		cmd := exec.CommandContext(ctx, binary, append(args, "-dir", clusterDir)...)
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		return cmd.Run()
	}
	down := func() error {
		if _, err := os.Stat(clusterDir); err == nil {
			if err := control(context.WithoutCancel(ctx), "down"); err != nil {
				return err
			}
		}
		return os.RemoveAll(dir)
	}
	if len(args) == 1 && args[0] == "down" {
		return down()
	}
	if len(args) > 0 {
		return fmt.Errorf("unknown argument %q; the only argument is \"down\"", strings.Join(args, " "))
	}
	terraform, err := cli.Terraform(ctx, os.Stderr)
	if err != nil {
		return err
	}
	if err := down(); err != nil { // stop an earlier demo
		return err
	}
	title("Starting a hub and three member clusters: real API servers on this machine")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := control(ctx, "up", "-members", "3"); err != nil {
		return err
	}
	fmt.Printf("\nTerraform %s runs the demo: %s\n", terraform.Version, terraform.Path)
	show := &show{root: root, dir: dir, kubeconfig: filepath.Join(clusterDir, "kubeconfig"), terraform: terraform}
	err = show.run(ctx)
	if err != nil || os.Getenv("DEMO_EXIT") == "1" {
		if stopped := down(); err == nil {
			err = stopped
		}
		return err
	}
	title("The clusters keep running")
	// README and guides have the same commands.
	fmt.Printf("export TF_VAR_kubeconfig=%q   # contexts hub, member-1, member-2 and member-3\n", show.kubeconfig)
	fmt.Printf("export PATH=%q   # Terraform %s\n", filepath.Dir(terraform.Path)+":$PATH", terraform.Version)
	fmt.Printf("terraform -chdir=%q plan   # the conflict on member-2 again\n", filepath.Join(dir, "takeover"))
	fmt.Println("make demo-down   # stops the clusters and removes all files of the demo")
	return nil
}

func title(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	fmt.Printf("\n%s\n%s\n\n", text, strings.Repeat("=", min(len(text), 100)))
}
