package membership

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/federation"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/harness"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
)

// federated returns the fleet with the engine of the tests.
func federated(t *testing.T) federation.Fleet {
	t.Helper()
	clusters.Need(t, fleet.Env)
	return federation.Fleet{
		Env: fleet.Env, Engine: harness.Engine(), Provider: fleet.Provider(fleet.Env.Kubeconfig),
		Open: func(t *testing.T, configuration string) *workspace.Workspace {
			t.Helper()
			w := fleet.Open(t, fleet.Newest(t), "", configuration)
			fleet.MustDestroyAtEnd(t, w)
			return w
		},
	}
}

func TestFederate(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	federation.Federate(t, federated(t))
}

func TestFederateScaled(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	federation.Scaled(t, federated(t))
}

func TestRestarts(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	federation.Restarts(t, federated(t))
}
