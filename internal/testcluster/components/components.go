// Package components has the servers of a test cluster: etcd, the Kubernetes control plane and kwok. They are linked into one binary and run in separate
// processes, because they have global state (flags, feature gates, metrics) that two of them cannot share.
package components

import (
	"os"

	// These imports give the control plane time zones (for CronJob) on machines without a zone database, and register its client metrics and log format.
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

// Names of the components on the command line.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
	Scheduler         = "kube-scheduler"
	Kwok              = "kwok"
)

// Run runs the component with this name and then exits. It returns false if no component has the name. args are the component's arguments, without its name.
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
	// All components read os.Args.
	os.Args = append([]string{name}, args...)
	main()
	os.Exit(0)
	return true
}

// kubernetes wraps a Kubernetes command with the logging and exit code handling of the command's own main function.
func kubernetes(command func() *cobra.Command) func() {
	return func() { os.Exit(cli.Run(command())) }
}
