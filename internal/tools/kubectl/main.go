// Command kubectl is kubectl, built from its Go module. Tests run the kubectl commands of guides and examples with it, and the benchmarks compare the provider
// with its diff and its apply.
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
