package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

// Asked is what the user asked of an apply, as far as its outcome is judged by it.
type Asked struct {
	// FailuresAreErrors makes what was not done an error, RefusalsAreErrors what was not taken over.
	FailuresAreErrors, RefusalsAreErrors bool
	// Waits says that the apply was to go on until every object is available.
	Waits bool
	// NoCluster says that the policy asks for no cluster, so that to be on none is as it should be.
	NoCluster bool
	// External says that somebody else rolls the placement out, so that what is not there yet is nothing that the apply has left undone.
	External bool
	// Brings returns the other placement of the run that brings a kind, "" if none is known to. If Brings is nil, none is.
	Brings func(schema.GroupVersionKind) (placement string)
	// Foretold says that this process has printed the preview, or that the user has agreed to one. Otherwise what cannot be taken back is told
	// afterwards.
	Foretold bool
	// First reports whether the run shows a text for the first time. If First is nil, it is shown in any case.
	First func(text string) bool
}

// Outcome tells what an apply has come to: nothing if it did what was asked for, else what it did in numbers, and what it did not in words.
func Outcome(diags *diag.Diagnostics, name string, result *engine.Result, err error, asked Asked) {
	LeftBehind(diags, name, result.Warnings)
	Withheld(diags, name, result.Withheld)
	if asked.External && err == nil {
		return
	}
	o := newOutcome(name, result, asked)
	o.clusters.nowhere = o.clusters.nowhere && !unfollowed(err)
	if err == nil && !o.noteworthy() {
		return
	}
	summary, detail := o.summary(err), o.detail(err)
	if asked.FailuresAreErrors && (o.unfinished() || err != nil) || asked.RefusalsAreErrors && o.counts[refused]+o.counts[unagreed] > 0 {
		diags.AddAttributeError(path.Root("name"), summary, detail)
		return
	}
	diags.AddAttributeWarning(path.Root("name"), summary, detail)
}

// LeftBehind tells what an operation left on the clusters, in one warning: Terraform shows only the first of several with one title.
func LeftBehind(diags *diag.Diagnostics, name string, warnings []string) {
	if len(warnings) == 0 {
		return
	}
	left := &plain.Section{Unit: "line"}
	for _, warning := range warnings {
		left.Add(model.Message(warning))
	}
	diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("Placement %q: some objects or records remain on clusters", model.Name(name)),
		plain.Layout(left))
}

// outcome is what an apply has come to.
type outcome struct {
	name   string
	result *engine.Result
	asked  Asked
	// done counts what was carried out, counts what was not, both over all clusters.
	done   map[takeover.Action]int
	counts map[sort]int
	// missed are the objects that are not as they are to be, clusters those on which the placement as a whole is not.
	missed   map[sort]*missed
	clusters clusterProblems
}

func newOutcome(name string, result *engine.Result, asked Asked) *outcome {
	o := &outcome{
		name: model.Name(name), result: result, asked: asked, done: map[takeover.Action]int{}, counts: map[sort]int{}, missed: map[sort]*missed{},
		clusters: readProblems(result.Status, asked.Waits, asked.First),
	}
	o.clusters.nowhere = o.clusters.nowhere && !asked.NoCluster
	for _, object := range result.Objects {
		if object.Failure == nil {
			o.done[object.Action]++
		}
		if object.Failure == nil && (object.Waiting == nil || !asked.Waits) {
			continue
		}
		kind := sortOf(object)
		o.counts[kind]++
		if o.missed[kind] == nil {
			o.missed[kind] = &missed{}
		}
		o.missed[kind].add(object)
	}
	return o
}

// unfinished tells whether the next apply has something to go on with.
func (o *outcome) unfinished() bool {
	return o.result.TimedOut || o.counts[failed]+o.counts[waiting]+o.counts[lacking]+len(o.clusters.held)+len(o.clusters.unoverridden)+len(o.clusters.behind) > 0
}

// noteworthy tells whether the user has something left to know. What the mode leaves alone is as the plan said.
func (o *outcome) noteworthy() bool {
	untold := !o.asked.Foretold && o.done[takeover.ActionTakeOver]+o.done[takeover.ActionTakeOverFrom]+o.done[takeover.ActionPrune]+o.done[takeover.ActionReplace] > 0
	refusal := o.asked.RefusalsAreErrors && o.counts[refused] > 0
	return o.unfinished() || o.counts[unagreed]+o.counts[unreported] > 0 || o.clusters.any() || untold || refusal
}

// summary is one line with the numbers.
func (o *outcome) summary(err error) string {
	if err == nil && !o.unfinished() && o.counts[unagreed]+o.counts[unreported] == 0 && !o.clusters.any() {
		return fmt.Sprintf("Placement %q: %s", o.name, o.carriedOut())
	}
	var parts []string
	for _, kind := range []sort{failed, unagreed, waiting, lacking, unreported, drifted, refused} {
		if n := o.counts[kind]; n > 0 {
			_, number := kind.words()
			parts = append(parts, fmt.Sprintf(number, n))
		}
	}
	parts = append(parts, o.clusters.counts()...)
	switch {
	case len(parts) > 0:
	case err == nil: // the hub has not taken the change up, and tells of what was before
		parts = append(parts, "time ran out before it was heard to be carried out")
	default:
		parts = append(parts, unfinishedBy(err))
	}
	text := fmt.Sprintf("Placement %q is not complete: %s", o.name, strings.Join(parts, ", "))
	if done := o.carriedOut(); done != "" {
		text += "; done: " + done
	}
	return text
}

// unfinishedBy is what an error has kept from being done where no object and no cluster says so.
func unfinishedBy(err error) string {
	if _, denied := errors.AsType[*engine.HandOverDeniedError](err); denied {
		return "a cluster does not allow the hand-over of an object"
	}
	if _, changing := errors.AsType[*engine.ChangingObjectError](err); changing {
		return "others changed an object while it was to be handed over"
	}
	if unfollowed(err) {
		return "it is written on the hub, which could not be asked what has come of it"
	}
	return "the records that the provider keeps of it on the clusters could not be written"
}

// unfollowed tells whether it is not known what has come of the change.
func unfollowed(err error) bool {
	_, is := errors.AsType[*engine.UnfollowedError](err)
	return is
}

// carriedOut counts what was done.
func (o *outcome) carriedOut() string {
	return model.Numbers(o.done, []model.Number{
		{Action: takeover.ActionCreate, Format: "%d created"}, {Action: takeover.ActionUpdate, Format: "%d updated"},
		{Action: takeover.ActionTakeOver, Format: "%d taken over"}, {Action: takeover.ActionTakeOverFrom, Format: "%d taken over from other placements"},
		{Action: takeover.ActionReplace, Format: "%d recreated"}, {Action: takeover.ActionPrune, Format: "%d deleted"},
		{Action: takeover.ActionOrphan, Format: "%d given up"},
	})
}

// detail says what was not done, and why.
func (o *outcome) detail(err error) string {
	var sections []*plain.Section
	for _, kind := range []sort{failed, unagreed, waiting, lacking, unreported, drifted, refused} {
		if found := o.missed[kind]; found != nil {
			title, _ := kind.words()
			sections = append(sections, found.section(title, 4))
		}
	}
	sections = append(sections, o.clusters.section(), o.agents())
	if !o.asked.Foretold {
		sections = append(sections, o.irrevocable(takeover.ActionTakeOver, "Taken over:"),
			o.irrevocable(takeover.ActionTakeOverFrom, "Taken over from other placements:"), o.irrevocable(takeover.ActionReplace, "Deleted and recreated:"),
			o.irrevocable(takeover.ActionPrune, "Deleted:"))
	}
	paragraphs := []string{plain.Layout(sections...)}
	if err != nil {
		paragraphs = append(paragraphs, explain(err))
	}
	paragraphs = append(paragraphs, o.next(err))
	return strings.Join(slices.DeleteFunc(paragraphs, func(text string) bool { return text == "" }), "\n\n")
}

// irrevocable lists what was done that the user may not have been told of before.
func (o *outcome) irrevocable(action takeover.Action, title string) *plain.Section {
	found := &missed{}
	for _, object := range o.result.Objects {
		if object.Action == action && object.Failure == nil {
			object.Waiting = nil
			found.add(object)
		}
	}
	return found.section(title, 3)
}

// missingNext says what the user can do about workloads that lack an object.
const missingNext = "An apply has nothing to write for them. Create the missing objects on the cluster, or place them: the Pods then start on their own."

// agents tells when those were heard of that the apply waited for.
func (o *outcome) agents() *plain.Section {
	out := &plain.Section{Title: "Agents that were waited for; check that they run and reach the hub:", Unit: "line", Reserve: 4}
	for _, agent := range o.result.Agents {
		out.Add(fmt.Sprintf("  %s: last heard of %s ago, reports every %s", model.Name(agent.Cluster), agent.Age.Round(time.Second), agent.Period))
	}
	return out
}

// next says what happens next, and what the user can do.
func (o *outcome) next(err error) string {
	switch {
	case o.result.TimedOut && o.result.Status.Unheard:
		return "Time ran out before the hub took the change up, for which it may need a minute. Check that the hub's agent runs. The next apply goes on; " +
			"\"timeouts\" gives it more time."
	case o.result.TimedOut && len(o.result.Objects) == 0 && o.clusters.onlyLeft():
		return "Time ran out before the clusters that it leaves were clean: check that their agents run. The next apply goes on; \"timeouts\" gives it more time."
	case o.result.TimedOut && o.asked.Waits:
		return "Time ran out before every object was available. The next apply goes on; \"timeouts\" gives it more time."
	case o.result.TimedOut:
		return "Time ran out before every object was applied. The next apply goes on; \"timeouts\" gives it more time."
	case err == nil && o.counts[failed] > 0 && o.counts[failed] == countUnserved(o.result.Objects):
		return adviseOnKinds(o.name, o.result.Objects, o.asked.Brings)
	case err == nil && o.counts[lacking] > 0 && o.counts[failed]+o.counts[waiting] == 0:
		return missingNext
	case o.counts[unagreed] > 0:
		return "Plan again to see what is on the clusters now."
	case o.clusters.nowhere:
		return "No cluster has the placement. A cluster joins the fleet with a fleet_member_cluster; the next plan says of each why it was not picked."
	case err == nil && o.result.Stalled && o.unfinished():
		return "The agents of the members retry on their own, and an apply has nothing to write. Fix the cause on the cluster, or change the placed object or the " +
			"placement."
	case o.unfinished() || err != nil || len(o.clusters.unreached)+len(o.clusters.leaving) > 0:
		return "The next apply goes on with what is missing."
	default:
		return ""
	}
}
