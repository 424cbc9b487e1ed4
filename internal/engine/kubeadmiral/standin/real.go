package standin

import (
	"errors"
	"os"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

// KubeconfigVariable names a kubeconfig of a KubeAdmiral host cluster and of clusters that are not registered there yet, with the contexts hub, member-1
// and so on. The host cluster needs the published FederatedTypeConfigs.
const KubeconfigVariable = "FLEET_TEST_KUBEADMIRAL_KUBECONFIG"

// UseRealHost makes tests use the host cluster that the environment names, and reports whether it names one. Otherwise the tests use the fake.
func UseRealHost() (bool, error) {
	path := os.Getenv(KubeconfigVariable)
	if path == "" {
		return false, nil
	}
	// The tests cannot stop these clusters.
	return true, errors.Join(os.Unsetenv(clusters.ControlVariable), os.Setenv(clusters.KubeconfigVariable, path))
}
