// Command kubectl is kubectl, built from its Go module: the guide Getting started changes a member with it, and the benchmarks compare a preview with its diff.
package main

import (
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

func main() {
	// The command prints usage errors. CheckErr prints all other errors.
	if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
		util.CheckErr(err)
	}
}
