package standin

import "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/standin"

// KubeconfigVariable names a kubeconfig of a real hub and its members, with the contexts hub, member-1 and so on. The members' agents are to
// be called like that, and to be on the hub who the provider makes them unless a configuration says otherwise.
const KubeconfigVariable = "FLEET_TEST_KUBEFLEET_KUBECONFIG"

// UseRealHub has tests run on the real hub that the environment names, if it names one, instead of on clusters with a stand-in.
func UseRealHub() (bool, error) { return standin.UseReal(KubeconfigVariable) }
