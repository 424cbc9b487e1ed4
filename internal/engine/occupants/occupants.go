// Package occupants handles Namespaces and CustomResourceDefinitions of a placement that contain objects of other placements. A removal deletes such a container
// after the run has removed the other placements. If the wait for them ends earlier, the container remains in the record and the removal returns an error.
package occupants

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
)

// Occupants maps the names of the other placements that have objects in a container to what the run does with them.
type Occupants map[string]engine.Fate

// Of asks the run once for each name what it does with the placement. Without a run, all placements are kept. Call Of only once for a decision: the result can
// change, because the plans of other resources continue in the meantime.
func Of(run engine.SameRun, names []string) Occupants {
	out := Occupants{}
	for _, name := range names {
		if _, asked := out[name]; asked {
			continue
		}
		out[name] = engine.FateKept
		if run != nil {
			out[name] = run.Fate(name)
		}
	}
	return out
}

// With returns the sorted names of the placements that have one of the fates.
func (o Occupants) With(fates ...engine.Fate) []string {
	var out []string
	for name, fate := range o {
		if slices.Contains(fates, fate) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// SetOpen sets found.Open to the placements for which it is unknown whether the run removes them, and removes these placements from found.First.
func (o Occupants) SetOpen(found *engine.Contents) {
	found.Open = o.With(engine.FateUnknown)
	found.First = slices.DeleteFunc(found.First, func(name string) bool { return slices.Contains(found.Open, name) })
}

// Lost returns a clause that says why a container is not deleted, even later: it contains objects of other placements.
func Lost(placements []string) string {
	names, _ := subject(placements)
	return "its deletion would also delete objects of " + names
}

// AgainRemove and AgainApply name the operation that the user repeats to delete a container that an incomplete operation has left. A removal can be a destroy, or
// an apply without the resource.
const (
	AgainRemove = "Repeat the removal"
	AgainApply  = "Run apply again"
)

// Deferred returns a clause that says why the deletion of a container waits for some placements. again is the operation that deletes the container later,
// AgainRemove or AgainApply; it is "" in a preview.
func Deferred(placements []string, again string) string {
	names, verb := subject(placements)
	out := "it contains objects of " + names
	if again != "" {
		out += ", which " + verb + " not removed yet. " + again + " to delete it"
	}
	return out
}

// subject returns the names of placements as the subject of a clause, and the form of "to be" that follows.
func subject(placements []string) (names, verb string) {
	quoted := make([]string, len(placements))
	for i, name := range placements {
		quoted[i] = strconv.Quote(name)
	}
	if len(quoted) == 1 {
		return "the placement " + quoted[0], "is"
	}
	return "the placements " + strings.Join(quoted, ", "), "are"
}

// Await calls retry to delete containers whenever the state of the placements that occupy them may have changed. waiting returns the names of the placements to
// wait for, and can repeat a name. Await returns when there are none. If further waiting is useless, Await calls retry a last time and returns. It omits this
// call if ctx has ended or run is nil.
func Await(ctx context.Context, run engine.SameRun, waiting func() []string, retry func()) {
	next := func() []string {
		names := waiting()
		slices.Sort(names)
		return slices.Compact(names)
	}
	names := next()
	for len(names) > 0 && run != nil && run.Await(ctx, names) {
		retry()
		names = next()
	}
	if len(names) > 0 && run != nil && ctx.Err() == nil {
		retry() // another run may have removed them
	}
}
