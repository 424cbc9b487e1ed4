package kubefleet

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/federation"
)

// federated is the fleet under a hub of KubeFleet.
func federated(t *testing.T) federation.Fleet {
	t.Helper()
	clusters.Need(t, env)
	return federation.Fleet{Env: env, Engine: "kubefleet", Provider: provider(env.Kubeconfig), Open: newWorkspace}
}

func TestFederate(t *testing.T) { federation.Federate(t, federated(t)) }

func TestFederateScaled(t *testing.T) { federation.Scaled(t, federated(t)) }

func TestRestarts(t *testing.T) { federation.Restarts(t, federated(t)) }
