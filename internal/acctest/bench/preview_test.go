package bench_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/enginetest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// BenchmarkPreview measures previews on fleets, and for comparison the bare requests and kubectl diff.
func BenchmarkPreview(b *testing.B) {
	for _, members := range sizes(b) {
		b.Run(fmt.Sprintf("members=%d", members), func(b *testing.B) {
			f := startFleet(b, members)
			b.Run("bare", func(b *testing.B) { benchmarkBare(b, f) })
			b.Run("unchanged", func(b *testing.B) { benchmarkUnchanged(b, f) })
			b.Run("takeover", func(b *testing.B) { benchmarkTakeover(b, f) })
			b.Run("kubectl", func(b *testing.B) {
				benchmarkKubectl(b, f, "kubectl diff --server-side, nothing changed", f.web.Manifests)
			})
			b.Run("placements", func(b *testing.B) { benchmarkPlacements(b, f) })
			b.Run("dead", func(b *testing.B) { benchmarkDead(b, f) })
		})
	}
}

func benchmarkBare(b *testing.B, f *fleet) {
	client := newBare(b, f)
	defer client.close()
	run := func() {
		if err := client.run(b.Context(), f.Members); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("cold", func(b *testing.B) {
		measure(b, len(f.Members), "bare LISTs, new connections", "net/http, nothing decoded", client.close, client.traffic, run)
	})
	b.Run("warm", func(b *testing.B) {
		measure(b, len(f.Members), "bare LISTs, connected", "", nil, client.traffic, run)
	})
}

// preview makes a preview. It fails the benchmark unless every member was checked and every object on it has one of the actions in want.
func preview(b *testing.B, s *session, request enginetest.Request, want ...takeover.Action) {
	b.Helper()
	got, err := request.Preview(b.Context(), s.engine)
	if err != nil {
		b.Fatal(err)
	}
	for _, cluster := range got.Clusters {
		if cluster.Err != nil || len(cluster.Objects) != len(request.Manifests) {
			b.Fatalf("%s: %d objects, %v", cluster.Name, len(cluster.Objects), cluster.Err)
		}
		for _, object := range cluster.Objects {
			if !slices.Contains(want, object.Action) {
				b.Fatalf("%s: %s: %s (%s), want %v", cluster.Name, object.Identifier, object.Action, object.Message, want)
			}
		}
	}
}

func benchmarkUnchanged(b *testing.B, f *fleet) {
	b.Run("cold", func(b *testing.B) {
		benchmarkCold(b, f, "preview, nothing changed, new engine", f.web, takeover.ActionNone)
	})
	connected := func(what string, options kube.Options) func(b *testing.B) {
		return func(b *testing.B) {
			s := f.connect(options, nil)
			defer s.close()
			preview(b, s, f.web, takeover.ActionNone)
			measure(b, len(f.Members), what, "", nil, s.traffic, func() { preview(b, s, f.web, takeover.ActionNone) })
		}
	}
	b.Run("connected", connected("preview, nothing changed, connected, reads not shared", kube.Options{ShareFor: -1}))
	b.Run("warm", connected("preview, nothing changed, again in the same run", kube.Options{}))
}

// benchmarkCold measures previews with new engines.
func benchmarkCold(b *testing.B, f *fleet, what string, request enginetest.Request, want ...takeover.Action) {
	b.Helper()
	r := &runs{fleet: f}
	r.next()
	defer func() { r.close() }()
	measure(b, len(f.Members), what, "", r.next, r.traffic, func() { preview(b, r.session, request, want...) })
}

func benchmarkTakeover(b *testing.B, f *fleet) {
	b.Run("equal", func(b *testing.B) {
		benchmarkCold(b, f, "preview of a takeover (IfNoDiff), all equal", f.taken, takeover.ActionTakeOver)
	})
	b.Run("differs", func(b *testing.B) {
		changed := f.taken
		changed.Manifests = manifests("taken", objectsPerMember, objectsPerMember/10)
		benchmarkCold(b, f, "preview of a takeover (IfNoDiff), 10% differ", changed, takeover.ActionTakeOver, takeover.ActionLeaveAlone)
	})
}

// benchmarkPlacements measures a plan with many resources. They are processed in parallel, as by Terraform: each is read and then previewed.
func benchmarkPlacements(b *testing.B, f *fleet) {
	r := &runs{fleet: f}
	r.next()
	defer func() { r.close() }()
	what := fmt.Sprintf("%d placements of %d objects in one run", placementsInOneRun, objectsPerMember/placementsInOneRun)
	measure(b, len(f.Members), what, "each is read and previewed", r.next, r.traffic, func() {
		err := concurrently(placementsInOneRun, f.many, func(request enginetest.Request) error {
			if _, err := request.Read(b.Context(), r.engine); err != nil {
				return err
			}
			got, err := request.Preview(b.Context(), r.engine)
			if err == nil && got.Pending() {
				err = fmt.Errorf("%s: unexpected changes", request.Name)
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	})
}
