package kubefleet

import (
	"context"
	"os"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/workspace"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/fakekubefleet"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

var (
	env   *clusters.Env
	fleet = hub.Fleet{Engine: "kubefleet", Placements: [][2]string{{placementAPI, "ClusterResourcePlacement"}, {placementAPI, "ResourcePlacement"}}}
	// agents are the fake hub's agents, nil on a real hub.
	agents *fakekubefleet.Hub
)

func TestMain(m *testing.M) {
	onRealHub, err := fakekubefleet.UseRealHub()
	if err != nil {
		panic(err)
	}
	os.Exit(clusters.Main(clusters.Func(func() int { return withAgents(m, onRealHub) }), clusters.Options{Members: 3}, &env))
}

// withAgents runs the tests, with the fake hub's agents unless the hub is real. On clusters that outlive the test run, it removes the fake hub at the end.
func withAgents(m *testing.M, onRealHub bool) (status int) {
	fleet.Env = env
	if env == nil || onRealHub {
		return m.Run()
	}
	return fleet.Run(m, func(ctx context.Context, on *kube.Cluster, members map[string]*kube.Cluster) (hub.Agents, error) {
		var err error
		agents, err = fakekubefleet.Start(ctx, on, members)
		return agents, err
	}, func(ctx context.Context) error { return agents.Uninstall(ctx) })
}

// provider returns a provider configuration with the hub and all members.
func provider(kubeconfig string) string { return fleet.Provider(kubeconfig) }

var (
	write    = hub.Write
	must     = workspace.Must
	contains = workspace.Contains
)

// newWorkspace creates a workspace with a configuration, and destroys its resources when the test ends.
func newWorkspace(t *testing.T, text string) *workspace.Workspace {
	t.Helper()
	return fleet.NewWorkspace(t, text)
}

// get returns an object on a cluster, nil if it does not exist.
func get(t *testing.T, cluster, apiVersion, kind, namespace, name string) *unstructured.Unstructured {
	t.Helper()
	client, err := env.Client(cluster)
	if err != nil {
		t.Fatal(err)
	}
	u, err := client.Get(t.Context(), apiVersion, kind, namespace, name)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// text returns an object as JSON.
func text(u *unstructured.Unstructured) string {
	if u == nil {
		return "absent"
	}
	data, err := u.MarshalJSON()
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// namespaces returns the names of the Namespaces among the objects.
func namespaces(objects string) (out []string) {
	found, _ := fixture.Parse([]byte(objects))
	for _, u := range found {
		if u.GetKind() == "Namespace" {
			out = append(out, u.GetName())
		}
	}
	return out
}
