package kubeadmiral

import (
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/federation"
)

// federated returns a fleet with registered members on a KubeAdmiral host.
func federated(t *testing.T) federation.Fleet {
	t.Helper()
	fleet.Parallel(t)
	return federation.Fleet{
		Env: env, Engine: fleet.Engine, Provider: fleet.Provider(env.Kubeconfig), Open: fleet.NewWorkspace, NoOverrides: true, Joined: true,
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

func TestRestarts(t *testing.T) { federation.Restarts(t, federated(t)) }

func TestLeavesOut(t *testing.T) {
	if testing.Short() {
		t.Skip("make test-all runs it")
	}
	federation.LeavesOut(t, federated(t))
}
