package standin

import "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/standin"

// KubeconfigVariable names a kubeconfig of a real hub and its members, with the contexts hub, member-1 and so on. The members' agents are to
// be called like that, and to be on the hub who the provider makes them unless a configuration says otherwise. Tests that change what is selected right before
// an apply need the delays that KubeFleet's charts set: a hub without resource-changes-collection-duration rolls the change out before the apply is planned.
const KubeconfigVariable = "FLEET_TEST_KUBEFLEET_KUBECONFIG"

// UseRealHub has tests run on the real hub that the environment names, if it names one, instead of on clusters with a stand-in.
func UseRealHub() (bool, error) { return standin.UseReal(KubeconfigVariable) }
