package components

import (
	"context"

	"github.com/spf13/cobra"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/testcluster/namespaces"
)

// controllerManagerCommand returns Kubernetes' controller manager with the namespace controller of package namespaces. Kubernetes' own namespace controller
// must not be among its --controllers.
func controllerManagerCommand() *cobra.Command {
	command := controllermanager.NewControllerManagerCommand()
	run := command.RunE
	command.RunE = func(command *cobra.Command, args []string) error {
		// Configure logging here: the command does so when it runs, while our controller already logs. This race on klog's global logger ended the process.
		logsapi.ReapplyHandling = logsapi.ReapplyHandlingIgnoreUnchanged
		if err := logsapi.ValidateAndApply(logs.NewOptions(), utilfeature.DefaultFeatureGate); err != nil {
			return err
		}
		path, err := command.Flags().GetString("kubeconfig")
		if err != nil {
			return err
		}
		config, err := clientcmd.BuildConfigFromFlags("", path)
		if err != nil {
			return err
		}
		if err := namespaces.Start(context.Background(), config); err != nil {
			return err
		}
		return run(command, args)
	}
	return command
}
