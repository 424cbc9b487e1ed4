package memberpreview_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// racing has somebody write just before the dry runs of an object, as often as they want to.
func (w *world) racing(name string, write func(turn int)) (remove func()) {
	turn := 0
	return w.Inject(clusters.Fault{Match: func(r clusters.Request) bool {
		if r.DryRun && strings.HasSuffix(r.Path, "/"+name) {
			turn++
			write(turn)
		}
		return false
	}})
}

// A preview that finds another object in its dry run than it has read looks again, and tells what it finds then.
func TestPreviewLosesARace(t *testing.T) {
	w := newWorld(t)
	w.put(w.configMap("raced", "2"))
	defer w.racing("raced", func(turn int) {
		if turn == 1 {
			frozen := w.configMap("raced", "3")
			frozen.Object["immutable"] = true
			w.put(frozen)
		}
	})()
	preview, err := w.engine(env.Members[0]).preview(t.Context(), applying(nil), nil, w.configMap("raced", "1"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"raced": "reject admission /data/value"}, told(preview)); diff != "" {
		t.Error(diff)
	}
	if object := preview.Objects[0]; object.Untried != "" || len(object.Differences) != 1 || object.Differences[0].InMember != "3" {
		t.Errorf("told of another object than there is: %+v", object)
	}
}

// One that loses every race says that the object was only read.
func TestPreviewLosesEveryRace(t *testing.T) {
	w := newWorld(t)
	w.put(w.configMap("raced", "2"))
	dryRuns := 0
	defer w.racing("raced", func(turn int) {
		dryRuns = turn
		restless := w.configMap("raced", "2")
		restless.SetAnnotations(map[string]string{"turn": strings.Repeat("x", turn)})
		w.put(restless)
	})()
	preview, err := w.engine(env.Members[0]).preview(t.Context(), applying(nil), nil, w.configMap("raced", "1"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"raced": "take_over /data/value"}, told(preview)); diff != "" {
		t.Error(diff)
	}
	if preview.Objects[0].Untried != engine.UntriedRace || dryRuns != 4 {
		t.Errorf("%q after %d dry runs", preview.Objects[0].Untried, dryRuns)
	}
}
