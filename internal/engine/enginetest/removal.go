package enginetest

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// foreseenRemoval is the preview of a removal, which writes nothing.
func (w *World) foreseenRemoval(e engine.Placements, request Request) *engine.Preview {
	w.Helper()
	w.Reset()
	foreseen, err := request.PreviewDelete(w.Context(), e)
	if err != nil {
		w.Fatal(err)
	}
	for _, r := range w.Writes() {
		w.Errorf("the preview of the removal wrote: %s", r)
	}
	return foreseen
}

// isRemoved holds what a removal has done against what was foreseen: what is pruned is gone, what is orphaned is left without a mark, and
// nothing else is touched.
func (w *World) isRemoved(foreseen *engine.Preview) {
	w.Helper()
	for _, cluster := range foreseen.Clusters {
		for _, o := range cluster.Objects {
			live := w.FindRef(cluster.Name, refOf(o))
			switch outcomeOf(o.Action) {
			case removed:
				if live != nil {
					w.Errorf("%s is still on %s", o.Identifier, cluster.Name)
				}
			case released:
				if live == nil || w.Fleet.Subject.Marked(live) {
					w.Errorf("%s on %s is not left as it was, or is still marked", o.Identifier, cluster.Name)
				}
			case untouched:
				if (live != nil) != o.Exists {
					w.Errorf("%s on %s: there before: %v, after: %v", o.Identifier, cluster.Name, o.Exists, live != nil)
				}
			case written, refusedOutcome, reportedOutcome:
				w.Errorf("%s on %s: the removal was to %s", o.Identifier, cluster.Name, o.Action)
			}
		}
	}
}
