package kubefleet_test

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
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest/fakekubefleet"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/kubefleet/agent"
)

var (
	fleet *enginetest.Fleet
	// agents are the agents of the fake; nil on a real hub.
	agents *fakekubefleet.Hub
)

// pace is for the fake, which observes changes of the selected objects immediately and retries soon.
var pace = kubefleet.Pace{Pace: controlplane.Pace{Interval: 100 * time.Millisecond, Silence: controlplane.Restart}, Collect: time.Second, Retry: 500 * time.Millisecond}

// sideBySide is the default number of parallel tests. It does not depend on the number of CPUs, because tests spend most of their time waiting for agents, and
// share the reads of the agents.
const sideBySide = "4"

func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", sideBySide); err != nil {
		panic(err)
	}
	onRealHub, err := fakekubefleet.UseRealHub()
	if err != nil {
		panic(err)
	}
	if onRealHub {
		subject.Prepare, subject.Pause, subject.Settle, pace = nil, nil, nil, kubefleet.DefaultPace
	}
	os.Exit(enginetest.Main(m, clusters.Options{Members: 3}, subject, &fleet))
}

// lastError returns the current errors of the fake's agents, nil on a real hub.
func lastError() error {
	if agents == nil {
		return nil
	}
	return agents.LastError()
}

// subject is the kubefleet engine.
var subject = enginetest.Subject{
	Name:     "kubefleet",
	NeedsHub: true,
	New: func(clients enginetest.Clients) engine.Engine {
		e, err := kubefleet.New(clusterset.New(clients.Hub, clients.Members, 0))
		if err != nil {
			panic(err) // there is a hub
		}
		e.SetPace(pace)
		return e
	},
	OwnNamespaces: []string{fakekubefleet.SystemNamespace},
	Prepare: func(ctx context.Context, f *enginetest.Fleet) (end func(), err error) {
		clients := f.Connect(f.Members, enginetest.Access{Kubeconfig: f.Kubeconfig})
		if agents, err = fakekubefleet.Start(ctx, clients.Hub, clients.Members); err != nil {
			clients.Close()
			return nil, err
		}
		return func() {
			agents.Close()
			clients.Close()
		}, nil
	},
	Marked: func(live *unstructured.Unstructured) bool {
		for _, owner := range live.GetOwnerReferences() {
			if owner.Kind == agent.AppliedWork && !strings.HasSuffix(owner.Name, "-theirs") { // in the contract, an owner named $ns-theirs belongs to another placement
				return true
			}
		}
		return false
	},
	Records: func(string) []string { return nil },
	Supply:  supply,
	Pause:   func(placement string) (release func()) { return agents.PausePlacement(placement) },
	Takes:   "a hub deletes a Namespace or definition with everything in it, and has no option to keep it; its plan counts the deleted objects",
	Settle: func(ctx context.Context, _ engine.Engine, placement string) error {
		return agents.Settle(ctx, placement)
	},
	Tidy:       tidy,
	Work:       work,
	MarksFirst: true,
	Rewords:    true,
	Brief:      brief,
	Kept:       kept,
	Deviations: deviations,
}
