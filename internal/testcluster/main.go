// Command testcluster is a complete set of Kubernetes clusters in one static binary: etcd, kube-apiserver, kube-controller-manager, kube-scheduler and kwok,
// built from their Go modules, and a supervisor that runs a hub and members on loopback. It is test equipment of terraform-provider-fleet and never shipped.
//
// The binary runs a component if its name or its first argument is the component's name. See package commands for its own commands.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/testcluster/commands"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/testcluster/components"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/testcluster/process"
)

func main() {
	process.FollowParent()
	components.Run(filepath.Base(os.Args[0]), os.Args[1:])
	if len(os.Args) > 1 {
		components.Run(os.Args[1], os.Args[2:])
	}
	if err := commands.Execute(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "testcluster:", err)
		os.Exit(1)
	}
}
