// Command kubectl is kubectl, built from its Go module. Tests run the kubectl commands of guides and examples with it. The benchmarks compare the provider with
// "kubectl diff" and "kubectl apply".
package main

import (
	"k8s.io/component-base/cli"
	"k8s.io/kubectl/pkg/cmd"
	"k8s.io/kubectl/pkg/cmd/util"
)

func main() {
	// RunNoErrOutput prints no errors. CheckErr prints the error and exits.
	if err := cli.RunNoErrOutput(cmd.NewDefaultKubectlCommand()); err != nil {
		util.CheckErr(err)
	}
}
