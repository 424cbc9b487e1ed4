package enginetest

import (
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// previewRemoval previews a removal and checks that the preview writes nothing.
func (w *World) previewRemoval(e engine.Placements, request Request) *engine.Preview {
	w.Helper()
	w.Reset()
	predicted, err := request.PreviewDelete(w.Context(), e)
	if err != nil {
		w.Fatal(err)
	}
	for _, r := range w.Writes() {
		w.Errorf("the preview of the removal wrote: %s", r)
	}
	return predicted
}

// checkRemoval compares a removal with its preview: pruned objects are deleted, orphaned objects remain without a mark, and each other object of the preview
// exists if it existed before.
func (w *World) checkRemoval(predicted *engine.Preview) {
	w.Helper()
	for _, cluster := range predicted.Clusters {
		for _, o := range cluster.Objects {
			live := w.FindRef(cluster.Name, refOf(o))
			switch outcomeOf(o.Action) {
			case outcomeRemoved:
				if live != nil {
					w.Errorf("%s is still on %s", o.Identifier, cluster.Name)
				}
			case outcomeReleased:
				if live == nil || w.Fleet.Subject.Marked(live) {
					w.Errorf("%s on %s was deleted or is still marked", o.Identifier, cluster.Name)
				}
			case outcomeUnchanged:
				if (live != nil) != o.Exists {
					w.Errorf("%s on %s: existed before: %v, after: %v", o.Identifier, cluster.Name, o.Exists, live != nil)
				}
			case outcomeWritten, outcomeRejected, outcomeReported:
				w.Errorf("%s on %s: unexpected action %s of a removal", o.Identifier, cluster.Name, o.Action)
			}
		}
	}
}
