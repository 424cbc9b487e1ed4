package enginetest

import (
	"context"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/world"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// World is a test's part of a fleet, with a recorder between the engines under test and the clusters.
type World struct {
	*world.World
	*clusters.Recorder
	Fleet *Fleet
	// Members are the members that the world's engines reach.
	Members []string
}

// World returns a world on the first members of the fleet, with its own recorder. Without a fleet it skips the test.
func (f *Fleet) World(tb testing.TB, members int) *World {
	tb.Helper()
	w := f.world(tb, members)
	w.record(clusters.RecorderOptions{PlainHTTP: true})
	return w
}

// world returns a world without a recorder.
func (f *Fleet) world(tb testing.TB, members int) *World {
	tb.Helper()
	if f == nil {
		clusters.Need(tb, nil)
		return nil
	}
	if err := f.joined(); err != nil {
		tb.Fatal(err)
	}
	names := f.Members[:members]
	return &World{World: world.New(tb, f.Env, f.Subject.Name, names...), Fleet: f, Members: names}
}

func (w *World) record(options clusters.RecorderOptions) {
	w.Helper()
	recorder, err := clusters.NewRecorder(w.Env, options)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = recorder.Close() })
	w.Recorder = recorder
}

// Another returns the same world for another process: it has the same clusters, but a new recorder without faults.
func (w *World) Another() *World {
	w.Helper()
	out := &World{World: w.World, Fleet: w.Fleet, Members: w.Members}
	out.record(clusters.RecorderOptions{PlainHTTP: true})
	return out
}

// Connect creates clients of the world's members, without the recorder unless the access names its kubeconfig.
func (w *World) Connect(access Access) Clients {
	if access.Kubeconfig == "" {
		access.Kubeconfig = w.Env.Kubeconfig
	}
	clients := w.Fleet.Connect(w.Members, access)
	w.Cleanup(clients.Close)
	return clients
}

// erase deletes an object as another user would, removes its finalizers, and waits until the object no longer exists.
func (w *World) erase(cluster string, u *unstructured.Unstructured) {
	w.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(w.Context()), endTimeout)
	defer cancel()
	client, ref := w.On(cluster), fixture.RefOf(u)
	w.Eventually(ref.String()+" is gone", func() bool {
		live, err := client.Find(ctx, ref)
		if err != nil || live == nil {
			return err == nil
		}
		_ = client.Drop(ctx, live)
		_ = client.Merge(ctx, ref, []byte(`{"metadata":{"finalizers":null}}`), "", false)
		live, err = client.Find(ctx, ref)
		return err == nil && live == nil
	})
}

// Engine returns an engine without prior knowledge, behind the recorder.
func (w *World) Engine() engine.Engine {
	return w.Fleet.Subject.New(w.Connect(Access{Kubeconfig: w.Kubeconfig()}))
}

// Past returns a new engine without the recorder, for actions that are not under test.
func (w *World) Past() engine.Engine { return w.Fleet.Subject.New(w.Connect(Access{})) }

// Readers returns clients with read-only credentials, behind the recorder if the access names its kubeconfig. ok is false if the clusters have no such
// credentials.
func (w *World) Readers(access Access) (clients Clients, ok bool) {
	names := w.Members
	if w.Fleet.Subject.NeedsHub {
		names = append([]string{w.Env.Hub}, names...)
	}
	for _, name := range names {
		if !w.Env.Has(clusters.Readonly(name)) {
			return Clients{}, false
		}
	}
	access.As = clusters.Readonly
	return w.Connect(access), true
}

// endTimeout bounds each cleanup at the end of a test.
const endTimeout = 2 * time.Minute

// DeleteAtEnd removes a placement when the test ends. In a short run on clusters that are removed afterwards, it removes only the placement's records, which
// other tests would read.
func (w *World) DeleteAtEnd(request Request) {
	w.Helper()
	w.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), endTimeout)
		defer cancel()
		if w.Env.Abandons() {
			if err := w.Fleet.Subject.Tidy(ctx, w, request.Name); err != nil {
				w.Error(err)
			}
			return
		}
		clients := w.Fleet.Connect(w.Members, Access{Kubeconfig: w.Env.Kubeconfig})
		defer clients.Close()
		if _, err := request.Delete(ctx, w.Fleet.Subject.New(clients)); err != nil {
			w.Error(err)
		}
	})
}
