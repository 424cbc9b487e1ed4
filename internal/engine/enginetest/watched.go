package enginetest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// WatchedKind names objects of one kind for a test to observe on members.
type WatchedKind struct {
	APIVersion, Kind string
	// Namespace is empty for a cluster-scoped kind.
	Namespace string
	Names     []string
	// Value returns the content that a placement sets.
	Value func(live *unstructured.Unstructured) string
}

// Watched compares the members of a world with the preview of an apply after every write of the apply. No object may be created, changed, taken over or
// deleted, not even temporarily, unless the preview shows it.
type Watched struct {
	*World
	// Rest runs the control plane until it has nothing more to do. It is called after every write of the apply.
	Rest func(ctx context.Context) error
	// After is called with the number of a write after the members have been compared, nil for none.
	After func(write int)

	kind   WatchedKind
	before map[spot]SeenObject
	shown  map[spot]takeover.Action
	// wanted are the values of the placement's objects.
	wanted map[string]string

	// turn is locked from a write until the members have been compared.
	turn     sync.Mutex
	mu       sync.Mutex
	reported map[string]bool
	writes   int
	// stopped reports that the members are no longer compared.
	stopped bool
}

// SeenObject is the state of an object on a member. The zero value is an object that does not exist.
type SeenObject struct {
	UID, Value string
	Marked     bool
}

// ReadWatched reads the objects of a kind on the members of a world, by member and name.
func (w *World) ReadWatched(kind WatchedKind) (map[string]map[string]SeenObject, error) {
	out := map[string]map[string]SeenObject{}
	for _, member := range w.Members {
		out[member] = map[string]SeenObject{}
		found, err := w.On(member).List(context.Background(), kind.APIVersion, kind.Kind, kind.Namespace, "")
		if err != nil {
			return nil, err
		}
		for _, u := range found {
			if slices.Contains(kind.Names, u.GetName()) {
				out[member][u.GetName()] = SeenObject{UID: string(u.GetUID()), Value: kind.Value(&u), Marked: w.Fleet.Subject.Marked(&u)}
			}
		}
	}
	return out, nil
}

func (w *Watched) read() (map[spot]SeenObject, error) {
	found, err := w.ReadWatched(w.kind)
	out := map[spot]SeenObject{}
	for member, objects := range found {
		for name, o := range objects {
			out[spot{member, name}] = o
		}
	}
	return out, err
}

// Watch starts to compare the members with a preview after every write through the world's recorder. wanted are the values of the placement's objects by name.
func (w *World) Watch(kind WatchedKind, preview *engine.Preview, wanted map[string]string, rest func(ctx context.Context) error) *Watched {
	w.Helper()
	out := &Watched{World: w, Rest: rest, kind: kind, shown: map[spot]takeover.Action{}, wanted: wanted, reported: map[string]bool{}}
	var err error
	if out.before, err = out.read(); err != nil {
		w.Fatal(err)
	}
	for _, c := range preview.Clusters {
		for _, o := range c.Objects {
			if o.Kind == kind.Kind && o.Namespace == kind.Namespace {
				out.shown[spot{c.Name, o.Name}] = o.Action
			}
		}
	}
	w.Cleanup(w.Inject(clusters.Fault{Match: clusters.Writes, Then: out.compare}))
	return out
}

// Writes returns the number of observed writes.
func (w *Watched) Writes() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.writes
}

// Stop ends the comparisons.
func (w *Watched) Stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
}

// Poll compares the members continuously until Stop is called or the test ends, for a control plane that acts at any time.
func (w *Watched) Poll() {
	var polling sync.WaitGroup
	polling.Go(func() {
		for w.Context().Err() == nil && w.Compare("some time") {
		}
	})
	w.Cleanup(func() {
		w.Stop()
		polling.Wait()
	})
}

func (w *Watched) compare(r clusters.Request) {
	w.turn.Lock()
	defer w.turn.Unlock()
	w.mu.Lock()
	w.writes++
	writes := w.writes
	w.mu.Unlock()
	w.Compare(fmt.Sprintf("write %d, %s", writes, r))
	if w.After != nil {
		w.After(writes)
	}
}

// Compare runs the control plane until it has nothing more to do, and compares the members with the preview. It returns false if Stop was called.
func (w *Watched) Compare(after string) bool {
	if err := w.Rest(context.Background()); err != nil {
		w.Errorf("after %s: %v", after, err)
	}
	now, err := w.read()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped {
		return false
	}
	if err != nil {
		w.Errorf("after %s: %v", after, err)
		return true
	}
	for _, member := range w.Members {
		for _, name := range w.kind.Names {
			at := spot{member, name}
			if problem := w.problem(at, now[at]); problem != "" && !w.reported[problem] {
				w.reported[problem] = true
				w.Errorf("after %s: %s", after, problem)
			}
		}
	}
	return true
}

// problem describes a change of an object that the preview does not show, empty for none.
func (w *Watched) problem(at spot, now SeenObject) string {
	before, shown := w.before[at], w.shown[at]
	if now == before {
		return ""
	}
	wanted, what := w.wanted[at.object], ""
	switch {
	case before.UID == "" && shown != takeover.ActionCreate:
		what = "was created"
	case before.UID == "" && now.Value != wanted:
		what = "was created with another content"
	case before.UID == "":
	case now.UID == "" && shown != takeover.ActionReplace && (shown != takeover.ActionPrune || !before.Marked):
		what = "was deleted"
	case now.UID == "":
	case now.UID != before.UID && shown != takeover.ActionReplace:
		what = "was replaced"
	case now.UID != before.UID:
	case !before.Marked && shown != takeover.ActionTakeOver:
		what = "was taken over"
	case !before.Marked && now.Value != before.Value && now.Value != wanted:
		what = "was overwritten with another content"
	case before.Marked && !slices.Contains([]takeover.Action{
		takeover.ActionUpdate, takeover.ActionTakeOverFrom, takeover.ActionPrune, takeover.ActionOrphan, takeover.ActionReplace,
	}, shown):
		what = "was changed"
	}
	if what == "" {
		return ""
	}
	return fmt.Sprintf("%s on %s %s: the plan shows %q, it was %+v and is %+v", at.object, at.cluster, what, shown, before, now)
}

// Ends checks that every object is as the preview shows, except on the clusters in leaveOut.
func (w *Watched) Ends(leaveOut ...string) {
	w.Helper()
	w.Stop()
	now, err := w.read()
	if err != nil {
		w.Fatal(err)
	}
	for at, shown := range w.shown {
		if slices.Contains(leaveOut, at.cluster) || !slices.Contains(w.kind.Names, at.object) {
			continue
		}
		is, want, so := now[at], w.wanted[at.object], true
		switch shown {
		case takeover.ActionCreate, takeover.ActionTakeOver, takeover.ActionUpdate, takeover.ActionReplace:
			so = is.Marked && is.Value == want
		case takeover.ActionTakeOverFrom:
			so = is.Marked && is.Value == want && is.UID == w.before[at].UID
		case takeover.ActionPrune:
			so = is.UID == ""
		case takeover.ActionOrphan:
			so = is.UID != "" && !is.Marked
		case takeover.ActionNone, takeover.ActionLeaveAlone, takeover.ActionLeaveDrifted, takeover.ActionReject, takeover.ActionReport, takeover.ActionDefer,
			takeover.ActionHandOver, takeover.ActionUnknown:
			so = is == w.before[at]
		}
		if !so {
			w.Errorf("%s on %s: the plan shows %q, it was %+v and is %+v, want %q", at.object, at.cluster, shown, w.before[at], is, want)
		}
	}
}
