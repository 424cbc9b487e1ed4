package kubeadmiral_test

import (
	"context"
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/controlplane"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/fakekubeadmiral"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/api/core/v1alpha1"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubeadmiral/dispatch"
)

var (
	fleet *enginetest.Fleet
	// plane is the fake control plane, or nil on a real host.
	plane *fakekubeadmiral.Host
	// onRealHost reports whether the tests run on a real host cluster.
	onRealHost bool
)

// pace is for the fake control plane.
var pace = kubeadmiral.Pace{
	Pace: controlplane.Pace{Interval: 250 * time.Millisecond, Silence: time.Minute}, Notice: 20 * time.Second, Retry: 20 * time.Second, Join: 30 * time.Second,
}

// sideBySide is the number of parallel tests. Tests spend most of their time waiting for the control plane.
const sideBySide = "4"

func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", sideBySide); err != nil {
		panic(err)
	}
	var err error
	if onRealHost, err = fakekubeadmiral.UseRealHost(); err != nil {
		panic(err)
	}
	if onRealHost {
		subject.Prepare, pace = nil, kubeadmiral.DefaultPace
	}
	os.Exit(enginetest.Main(m, clusters.Options{Members: 3}, subject, &fleet))
}

// needFake skips a test of the fake control plane on a real host cluster.
func needFake(t *testing.T) {
	t.Helper()
	if onRealHost {
		t.Skipf("%s is set, and the test needs the fake control plane", fakekubeadmiral.KubeconfigVariable)
	}
}

// lastError returns the last error of the fake control plane.
func lastError() error {
	if plane == nil {
		return nil
	}
	return plane.LastError()
}

// brief lists the cases that make test runs: one for each kind of decision. Most decisions are shared with other engines.
var brief = []string{
	"D1 absent",
	"D5 IfNoDiff, differences",
	"D9 Never",
	"D13 KubeFleet's own",
	"D18 ours",
	"D22 being deleted",
	"example: a pre-existing workload, IfNoDiff",
	"example: an envelope",
	"identity",
}

// hostObjects are the objects on the host that represent resources. The fake control plane ignores the registration, because it has no cluster of that name.
var hostObjects = map[enginetest.Noun]string{
	enginetest.Member: strings.ReplaceAll(registration, "$address", "https://127.0.0.1:1"),
	enginetest.ClusterPlacement: "{apiVersion: core.kubeadmiral.io/v1alpha1, kind: ClusterPropagationPolicy, metadata: {name: $ns}, " +
		"spec: {schedulingMode: Duplicate, placement: [{cluster: nowhere}]}}",
	enginetest.NamespacedPlacement: "{apiVersion: core.kubeadmiral.io/v1alpha1, kind: PropagationPolicy, metadata: {name: $ns, namespace: $ns}, " +
		"spec: {schedulingMode: Duplicate, placement: [{cluster: nowhere}]}}",
}

// subject is the kubeadmiral engine.
var subject = enginetest.Subject{
	Name:     "kubeadmiral",
	NeedsHub: true,
	New: func(clients enginetest.Clients) engine.Engine {
		e, err := kubeadmiral.New(clusterset.New(clients.Hub, clients.Members, 0))
		if err != nil {
			panic(err) // the tests always have a hub
		}
		e.SetPace(pace)
		return e
	},
	OwnNamespaces: []string{v1alpha1.SystemNamespace},
	Prepare: func(ctx context.Context, f *enginetest.Fleet) (end func(), err error) {
		clients := f.Connect(f.Members, enginetest.Access{Kubeconfig: f.Kubeconfig})
		if plane, err = fakekubeadmiral.Start(ctx, clients.Hub, clients.Members); err != nil {
			clients.Close()
			return nil, err
		}
		return func() {
			plane.Close()
			clients.Close()
		}, nil
	},
	Marked:     func(live *unstructured.Unstructured) bool { return dispatch.Managed(live) },
	Records:    func(string) []string { return nil },
	Takes:      "a host deletes a Namespace or definition with everything in it; the provider keeps its own on the host instead",
	Namespaces: "a host brings all its Namespaces to all its members, takes over those that are there, and they stay while the host has them",
	Rewords:    true,
	Brief:      brief,
	Kept:       hostObjects,
	Groups:     []string{"decisions", "examples", "takings", "identity"}, // a host reports no differences and makes no dry runs
	Supply:     supply,
	Tidy:       tidy,
	Settle:     func(context.Context, engine.Engine, string) error { return nil },

	Deviations: deviations,
}
