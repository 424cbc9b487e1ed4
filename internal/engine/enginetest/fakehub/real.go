package fakehub

import (
	"errors"
	"os"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
)

// UseReal makes tests use the clusters of the kubeconfig that an environment variable names, and reports whether it names one. Otherwise the tests use a
// fake control plane.
func UseReal(variable string) (bool, error) {
	path := os.Getenv(variable)
	if path == "" {
		return false, nil
	}
	// The tests cannot stop these clusters.
	return true, errors.Join(os.Unsetenv(clusters.ControlVariable), os.Setenv(clusters.KubeconfigVariable, path))
}
