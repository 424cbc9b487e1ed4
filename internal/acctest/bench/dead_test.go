package bench_test

import (
	"context"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/clusterset"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/direct"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube/connection"
)

// hangingAddress returns an address that accepts connections and never responds.
func hangingAddress(tb testing.TB) string {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = listener.Close() })
	return listener.Addr().String()
}

// refusingAddress returns an address without a listener.
func refusingAddress(tb testing.TB) string {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// benchmarkDead measures previews with one dead member, which hangs or refuses connections.
func benchmarkDead(b *testing.B, f *fleet) {
	dead := f.Members[len(f.Members)/2]
	for what, host := range map[string]func(testing.TB) string{"hangs": hangingAddress, "refuses connections": refusingAddress} {
		b.Run(what, func(b *testing.B) {
			r := &runs{fleet: f, others: map[string]connection.Connection{dead: {Host: host(b), Token: "t", Insecure: true}}}
			r.next()
			defer func() { r.close() }()
			measure(b, len(f.Members), "preview, nothing changed, one member "+what, "", r.next, r.traffic, func() {
				got, err := f.web.Preview(b.Context(), r.engine)
				if err != nil {
					b.Fatal(err)
				}
				for _, cluster := range got.Clusters {
					if (cluster.Err != nil) != (cluster.Name == dead) {
						b.Fatalf("%s: %v", cluster.Name, cluster.Err)
					}
				}
			})
		})
	}
}

// A hanging member must not delay the other members, and a preview ends long before the time limit of a plan.
func TestHangingMemberDelaysNoOther(t *testing.T) {
	env := needPair(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	silent := connection.Connection{Host: hangingAddress(t), Token: "t", Insecure: true}
	connect := func() map[string]*kube.Cluster {
		members := map[string]*kube.Cluster{"hanging": kube.NewCluster("hanging", silent, kube.Options{}, nil)}
		for _, name := range env.Members {
			members[name] = kube.NewCluster(name, connection.Connection{ConfigPath: env.Kubeconfig, ConfigContext: name}, kube.Options{}, nil)
			t.Cleanup(members[name].Close)
		}
		return members
	}
	fleet := enginetest.NewFleet(env, enginetest.Subject{
		New: func(clients enginetest.Clients) engine.Engine {
			return direct.New(clusterset.New(nil, clients.Members, 0), "")
		},
		OwnNamespaces: []string{direct.Namespace},
	})
	if err := fleet.Join(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := fleet.Leave(); err != nil {
			t.Error(err)
		}
	})
	request := enginetest.Request{Name: "web", Manifests: manifests("web", 20, 0)}
	for _, atOnce := range []int{1, clusterset.DefaultAtOnce} {
		members := connect()
		looking := direct.New(clusterset.New(nil, members, atOnce), "")
		asked := asks(env.Members, members)
		previews, errs := make(chan *engine.Preview, 1), make(chan error, 1)
		go func() {
			preview, err := request.Preview(ctx, looking)
			previews <- preview
			errs <- err
		}()
		if atOnce > 1 {
			for !asked() { // the other members are read while one hangs
				select {
				case <-previews:
					t.Fatal("the preview ended before the other members were read")
				case <-time.After(time.Millisecond):
				}
			}
		}
		preview, err := <-previews, <-errs
		if err != nil {
			t.Fatalf("%d in parallel: %v", atOnce, err)
		}
		for _, cluster := range preview.Clusters {
			switch {
			case cluster.Name == "hanging":
				if !kube.IsUnreachable(cluster.Err) {
					t.Errorf("%d in parallel: %s: %v", atOnce, cluster.Name, cluster.Err)
				}
			case cluster.Err != nil || len(cluster.Objects) != len(request.Manifests):
				t.Errorf("%d in parallel: %s: %d objects, %v", atOnce, cluster.Name, len(cluster.Objects), cluster.Err)
			}
		}
	}
}

// asks returns a function that reports whether each of the members has been sent a request since the call.
func asks(names []string, members map[string]*kube.Cluster) func() bool {
	before := map[string]int64{}
	for _, name := range names {
		before[name] = members[name].Stats().Requests
	}
	return func() bool {
		return !slices.ContainsFunc(names, func(name string) bool { return members[name].Stats().Requests == before[name] })
	}
}
