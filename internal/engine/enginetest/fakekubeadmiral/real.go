package fakekubeadmiral

import "github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/fakehub"

// KubeconfigVariable is the environment variable with the path of a kubeconfig of a KubeAdmiral host cluster and of clusters that are not registered there yet,
// with the contexts hub, member-1 and so on. The host cluster needs the published FederatedTypeConfigs.
const KubeconfigVariable = "FLEET_TEST_KUBEADMIRAL_KUBECONFIG"

// UseRealHost makes tests use the host cluster of [KubeconfigVariable], and reports whether the variable is set. Otherwise the tests use the fake.
func UseRealHost() (bool, error) { return fakehub.UseReal(KubeconfigVariable) }
