// Package components holds the servers that a test cluster is made of: etcd,
// the Kubernetes control plane and kwok. They are linked into the one binary
// and each runs in a process of its own, because they keep global state
// (flags, feature gates, metrics) that two of them cannot share.
package components

import (
	"os"

	// The control plane resolves time zones (CronJob) on machines without a
	// zone database, and registers its client metrics and log format by import.
	_ "time/tzdata"

	"github.com/spf13/cobra"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
)

// Names of the components, as they are given on the command line.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
	Scheduler         = "kube-scheduler"
	Kwok              = "kwok"
)

// Run becomes the component called name and does not return if there is one.
// It reports false if name is no component. args are the component's own
// arguments, without its name.
func Run(name string, args []string) bool {
	main, ok := map[string]func(){
		Etcd:              func() { etcdmain.Main(os.Args) },
		APIServer:         kubernetes(apiserver.NewAPIServerCommand),
		ControllerManager: kubernetes(controllerManagerCommand),
		Scheduler:         kubernetes(func() *cobra.Command { return scheduler.NewSchedulerCommand() }),
		Kwok:              runKwok,
	}[name]
	if !ok {
		return false
	}
	// All of them read the process's arguments rather than take them.
	os.Args = append([]string{name}, args...)
	main()
	os.Exit(0)
	return true
}

// kubernetes wraps a Kubernetes command with the logging and exit code
// handling that its own main function gives it.
func kubernetes(command func() *cobra.Command) func() {
	return func() { os.Exit(cli.Run(command())) }
}
