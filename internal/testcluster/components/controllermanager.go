package components

import (
	"context"

	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/testcluster/namespaces"
)

// controllerManagerCommand is Kubernetes' controller manager with a controller
// of namespaces in its process that does not wait; its own is not to be among
// its --controllers.
func controllerManagerCommand() *cobra.Command {
	command := controllermanager.NewControllerManagerCommand()
	run := command.RunE
	command.RunE = func(command *cobra.Command, args []string) error {
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
