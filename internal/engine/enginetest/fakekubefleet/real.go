package fakekubefleet

import "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/fakehub"

// KubeconfigVariable is the environment variable with the path of a kubeconfig of a real hub and its members, with the contexts hub, member-1 and so on. The
// members' agents must use the names of the contexts, and the identity on the hub that the provider gives them by default. Tests that change selected objects
// right before an apply need the delays in KubeFleet's charts: a hub without resource-changes-collection-duration rolls the change out before the apply is
// planned.
const KubeconfigVariable = "FLEET_TEST_KUBEFLEET_KUBECONFIG"

// UseRealHub makes tests use the real hub of [KubeconfigVariable], and reports whether the variable is set. Otherwise the tests use the fake.
func UseRealHub() (bool, error) { return fakehub.UseReal(KubeconfigVariable) }
