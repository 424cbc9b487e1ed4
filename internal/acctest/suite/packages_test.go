package suite

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
)

// mostControlPlanes is how many `make test` may start in one run.
const mostControlPlanes = 20

func TestListedPackages(t *testing.T) {
	root, err := gobuild.Root()
	if err != nil {
		t.Fatal(err)
	}
	planes, sets := 0, map[set]bool{}
	for _, w := range listed {
		if info, err := os.Stat(filepath.Join(root, "internal", filepath.FromSlash(w.path))); err != nil || !info.IsDir() {
			t.Errorf("%s is no folder: %v", w.path, err)
		}
		if w.all {
			continue
		}
		planes += w.own
		sets[w.clusters] = true
	}
	delete(sets, none)
	delete(sets, either) // which is one of the others
	if planes += len(sets) * (1 + members); planes > mostControlPlanes {
		t.Errorf("make test starts %d control planes, at most %d are allowed", planes, mostControlPlanes)
	}
}

// Each engine with a control plane of its own finds only its own definitions on its hub.
func TestHubsAreNotShared(t *testing.T) {
	for _, w := range listed {
		for _, engine := range []set{kubefleet, kubeadmiral} {
			if strings.Contains(w.path, string(engine)) && w.clusters != engine {
				t.Errorf("%s uses the set %q", w.path, w.clusters)
			}
		}
	}
}

func TestOrder(t *testing.T) {
	got := order([]string{"fleet/diff", "kube", "app", "acctest"})
	if want := []string{"acctest", "kube", "fleet/diff", "app"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRaceDetector(t *testing.T) {
	for path, want := range map[string]bool{"acctest": false, "acctest/kubefleet": false, "engine/direct": true, "fleet/diff": true, "provider": true} {
		if got := hasRace(path); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}
