package kubeadmiral

import (
	"context"
	"os"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/hub"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/fakekubeadmiral"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

var (
	env   *clusters.Env
	fleet = hub.Fleet{Engine: "kubeadmiral", Placements: [][2]string{
		{"core.kubeadmiral.io/v1alpha1", "PropagationPolicy"}, {"core.kubeadmiral.io/v1alpha1", "ClusterPropagationPolicy"},
	}}
	// plane is the fake control plane, nil on a real host cluster.
	plane *fakekubeadmiral.Host
)

func TestMain(m *testing.M) {
	onRealHost, err := fakekubeadmiral.UseRealHost()
	if err != nil {
		panic(err)
	}
	os.Exit(clusters.Main(clusters.Func(func() int { return withHost(m, onRealHost) }), clusters.Options{Members: 3}, &env))
}

// withHost runs the tests, with the fake control plane if there is no real one.
func withHost(m *testing.M, onRealHost bool) int {
	fleet.Env = env
	if env == nil || onRealHost {
		return m.Run()
	}
	return fleet.Run(m, func(ctx context.Context, host *kube.Cluster, members map[string]*kube.Cluster) (hub.Agents, error) {
		var err error
		plane, err = fakekubeadmiral.Start(ctx, host, members)
		return plane, err
	}, nil)
}
