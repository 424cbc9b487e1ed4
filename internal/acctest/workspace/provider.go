package workspace

import (
	"fmt"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

// Required is the configuration with the source address of the provider.
const Required = "terraform {\n  required_providers {\n    fleet = { source = \"terraform-fleet/fleet\" }\n  }\n}\n"

// Provider returns a provider configuration with an engine, the hub and all members. kubeconfig is the clusters' kubeconfig or a recorder's.
func Provider(env *clusters.Env, engine, kubeconfig string) string {
	var members strings.Builder
	for _, name := range env.Members {
		fmt.Fprintf(&members, "    %s = { config_path = %q, config_context = %q }\n", name, kubeconfig, name)
	}
	return fmt.Sprintf("provider \"fleet\" {\n  engine  = %q\n  hub     = { config_path = %q, config_context = %q }\n  members = {\n%s  }\n}\n",
		engine, kubeconfig, env.Hub, members.String())
}
