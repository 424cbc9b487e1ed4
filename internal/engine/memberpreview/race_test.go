package memberpreview_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/kube"
)

// beforeDryRuns calls write before each dry run of an object.
func (w *world) beforeDryRuns(name string, write func(turn int)) (remove func()) {
	turn := 0
	return w.Inject(clusters.Fault{Match: func(r clusters.Request) bool {
		if r.DryRun && strings.HasSuffix(r.Path, "/"+name) {
			turn++
			write(turn)
		}
		return false
	}})
}

// TestPreviewLosesARace checks that a preview reads an object again, and shows the new state, if the dry run finds that the object has changed since the first
// read.
func TestPreviewLosesARace(t *testing.T) {
	w := newWorld(t)
	w.put(w.configMap("raced", "2"))
	defer w.beforeDryRuns("raced", func(turn int) {
		if turn == 1 {
			frozen := w.configMap("raced", "3")
			frozen.Object["immutable"] = true
			w.put(frozen)
		}
	})()
	preview, err := w.engine(env.Members[0]).preview(t.Context(), applyStrategy(nil), nil, w.configMap("raced", "1"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"raced": "reject admission /data/value"}, summarize(preview)); diff != "" {
		t.Error(diff)
	}
	if object := preview.Objects[0]; object.Untried != "" || len(object.Differences) != 1 || object.Differences[0].InMember != "3" {
		t.Errorf("the preview shows an outdated object: %+v", object)
	}
}

// TestPreviewOfDeletedObject checks that a preview shows the creation of an object that another client deletes between the read and the dry run. A client-side
// apply then gets a 404, and a server-side apply a conflict.
func TestPreviewOfDeletedObject(t *testing.T) {
	for _, clientSide := range []bool{true, false} {
		w := newWorld(t)
		stored := w.put(w.configMap("raced", "2"))
		remove := w.beforeDryRuns("raced", func(int) {
			if err := w.direct.Delete(t.Context(), kube.RefOf(stored), stored.GetUID(), ""); err != nil {
				t.Error(err)
			}
		})
		e := w.engine(env.Members[0])
		e.clientSide = clientSide
		preview, err := e.preview(t.Context(), applyStrategy(nil), nil, w.configMap("raced", "1"))
		remove()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]string{"raced": "create"}, summarize(preview)); diff != "" {
			t.Errorf("client-side %t: %s", clientSide, diff)
		}
		if object := preview.Objects[0]; object.Untried != "" || object.Exists || preview.CheckMethod != engine.CheckDryRun {
			t.Errorf("client-side %t: %s, %+v", clientSide, preview.CheckMethod, object)
		}
		if got := w.dryRuns(); !slices.Equal(got, []string{"PATCH raced", "POST configmaps"}) {
			t.Errorf("client-side %t: %v", clientSide, got)
		}
	}
}

// TestPreviewLosesEveryRace checks that a preview shows an object without a dry run, with the reason, if the object changes before every dry run.
func TestPreviewLosesEveryRace(t *testing.T) {
	w := newWorld(t)
	w.put(w.configMap("raced", "2"))
	dryRuns := 0
	defer w.beforeDryRuns("raced", func(turn int) {
		dryRuns = turn
		restless := w.configMap("raced", "2")
		restless.SetAnnotations(map[string]string{"turn": strings.Repeat("x", turn)})
		w.put(restless)
	})()
	preview, err := w.engine(env.Members[0]).preview(t.Context(), applyStrategy(nil), nil, w.configMap("raced", "1"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"raced": "take_over /data/value"}, summarize(preview)); diff != "" {
		t.Error(diff)
	}
	if preview.Objects[0].Untried != engine.UntriedRace || dryRuns != 4 {
		t.Errorf("%q after %d dry runs", preview.Objects[0].Untried, dryRuns)
	}
}
