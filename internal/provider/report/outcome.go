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

// Asked decides how the outcome of an apply is reported.
type Asked struct {
	// FailuresAreErrors makes it an error if the apply failed or did not complete. RefusalsAreErrors makes it an error if objects were not taken over, or were
	// skipped because they changed since the plan.
	FailuresAreErrors, RefusalsAreErrors bool
	// Waits means that the apply waits until every object is available.
	Waits bool
	// NoCluster means that the policy asks for no cluster. Then it is no problem if no cluster has the placement.
	NoCluster bool
	// External means that staged update runs roll the placement out: the apply is complete although objects are missing.
	External bool
	// ProviderOfKind returns the other placement of the run that defines a kind, or "" if none is known. If ProviderOfKind is nil, none is known for any kind.
	ProviderOfKind func(schema.GroupVersionKind) (placement string)
	// PreviewShown means that a plan of the run has shown the preview, or that the user has approved one. Otherwise the outcome lists irrevocable changes.
	PreviewShown bool
	// First reports whether the run shows a text for the first time. If First is nil, every text is shown.
	First func(text string) bool
}

// Outcome reports what an apply did not complete, with the numbers of the changes that it made. It also reports irrevocable changes that no plan has shown, the
// warnings of the result, and the values that the status lacks; see [Withheld]. If asked.External is set and err is nil, it reports only these warnings and
// values.
func Outcome(diags *diag.Diagnostics, name string, result *engine.Result, err error, asked Asked) {
	warn(diags, name, "problems that did not stop the apply", result.Warnings)
	Withheld(diags, name, result.Withheld)
	if asked.External && err == nil {
		return
	}
	o := newOutcome(name, result, asked)
	o.clusters.isNowhere = o.clusters.isNowhere && !isUnfollowed(err)
	if err == nil && !o.isNoteworthy() {
		return
	}
	summary, detail := o.summary(err), o.detail(err)
	if asked.FailuresAreErrors && (o.isUnfinished() || err != nil) || asked.RefusalsAreErrors && o.counts[notTakenOver]+o.counts[notAgreed] > 0 {
		diags.AddAttributeError(path.Root("name"), summary, detail)
		return
	}
	diags.AddAttributeWarning(path.Root("name"), summary, detail)
}

// LeftBehind warns about what a removal left on the clusters.
func LeftBehind(diags *diag.Diagnostics, name string, warnings []string) {
	warn(diags, name, "some objects or records remain on clusters", warnings)
}

// warn adds one warning for all texts, because Terraform shows only the first of several warnings with the same title.
func warn(diags *diag.Diagnostics, name, title string, texts []string) {
	if len(texts) == 0 {
		return
	}
	lines := &plain.Section{Unit: "line"}
	for _, text := range texts {
		lines.Add(model.Message(text))
	}
	diags.AddAttributeWarning(path.Root("name"), fmt.Sprintf("Placement %q: %s", model.Name(name), title), plain.Layout(lines))
}

type outcome struct {
	name   string
	result *engine.Result
	asked  Asked
	// done has the number of objects without a failure, by action. counts has the number of objects that are not complete, by reason: the objects with a failure
	// and, if the apply waits, those that are not available.
	done     map[takeover.Action]int
	counts   map[missedKind]int
	missed   map[missedKind]*missedObjects
	clusters clusterProblems
}

func newOutcome(name string, result *engine.Result, asked Asked) *outcome {
	o := &outcome{
		name: model.Name(name), result: result, asked: asked, done: map[takeover.Action]int{}, counts: map[missedKind]int{}, missed: map[missedKind]*missedObjects{},
		clusters: readProblems(result.Status, asked.Waits, asked.First),
	}
	o.clusters.isNowhere = o.clusters.isNowhere && !asked.NoCluster
	for _, object := range result.Objects {
		if object.Failure == nil {
			o.done[object.Action]++
		}
		if object.Failure == nil && (object.Waiting == nil || !asked.Waits) {
			continue
		}
		kind := classifyMissed(object)
		o.counts[kind]++
		if o.missed[kind] == nil {
			o.missed[kind] = &missedObjects{}
		}
		o.missed[kind].add(object)
	}
	return o
}

// isUnfinished reports whether the apply timed out, or whether objects or clusters are incomplete. It ignores objects that were not taken over, updated or
// compared, and objects that changed since the plan. It also ignores clusters that are unreachable, not available or no longer picked.
func (o *outcome) isUnfinished() bool {
	return o.result.TimedOut || o.counts[notApplied]+o.counts[notAvailable]+o.counts[lacksObject]+len(o.clusters.blocked)+len(o.clusters.notOverridden)+len(o.clusters.behind) > 0
}

// isNoteworthy reports whether the outcome needs a diagnostic. The plan has shown the objects that are not taken over, so they need one only if they are
// errors.
func (o *outcome) isNoteworthy() bool {
	isIrrevocable := !o.asked.PreviewShown && o.done[takeover.ActionTakeOver]+o.done[takeover.ActionTakeOverFrom]+o.done[takeover.ActionPrune]+o.done[takeover.ActionReplace] > 0
	isRefused := o.asked.RefusalsAreErrors && o.counts[notTakenOver] > 0
	return o.isUnfinished() || o.counts[notAgreed]+o.counts[notCompared] > 0 || o.clusters.any() || isIrrevocable || isRefused
}

func (o *outcome) summary(err error) string {
	if err == nil && !o.isUnfinished() && o.counts[notAgreed]+o.counts[notCompared] == 0 && !o.clusters.any() {
		return fmt.Sprintf("Placement %q: %s", o.name, o.countDone())
	}
	var parts []string
	for _, kind := range []missedKind{notApplied, notAgreed, notAvailable, lacksObject, notCompared, notUpdated, notTakenOver} {
		if n := o.counts[kind]; n > 0 {
			_, number := kind.words()
			parts = append(parts, fmt.Sprintf(number, n))
		}
	}
	parts = append(parts, o.clusters.counts()...)
	switch {
	case len(parts) > 0:
	case err == nil: // the hub has not observed the change, and its status describes the previous change
		parts = append(parts, "the apply timed out before the hub reported the change")
	default:
		parts = append(parts, describeCause(err))
	}
	text := fmt.Sprintf("Placement %q is not complete: %s", o.name, strings.Join(parts, ", "))
	if done := o.countDone(); done != "" {
		text += "; done: " + done
	}
	return text
}

// describeCause returns why an apply is not complete, from its error. It is called only if no object and no cluster is incomplete.
func describeCause(err error) string {
	if _, denied := errors.AsType[*engine.HandOverDeniedError](err); denied {
		return "a cluster does not allow the hand-over of an object"
	}
	if _, changing := errors.AsType[*engine.ChangingObjectError](err); changing {
		return "others changed an object during its hand-over"
	}
	if isUnfollowed(err) {
		return "it is written on the hub, whose status could not be read"
	}
	return "its records on the clusters could not be written"
}

func isUnfollowed(err error) bool {
	_, is := errors.AsType[*engine.UnfollowedError](err)
	return is
}

func (o *outcome) countDone() string {
	return model.Numbers(o.done, []model.Number{
		{Action: takeover.ActionCreate, Format: "%d created"}, {Action: takeover.ActionUpdate, Format: "%d updated"},
		{Action: takeover.ActionTakeOver, Format: "%d taken over"}, {Action: takeover.ActionTakeOverFrom, Format: "%d taken over from other placements"},
		{Action: takeover.ActionReplace, Format: "%d recreated"}, {Action: takeover.ActionPrune, Format: "%d deleted"},
		{Action: takeover.ActionOrphan, Format: "%d left on the cluster"},
	})
}

func (o *outcome) detail(err error) string {
	var sections []*plain.Section
	for _, kind := range []missedKind{notApplied, notAgreed, notAvailable, lacksObject, notCompared, notUpdated, notTakenOver} {
		if found := o.missed[kind]; found != nil {
			title, _ := kind.words()
			sections = append(sections, found.section(title, 4))
		}
	}
	sections = append(sections, o.clusters.section(), o.agents())
	if !o.asked.PreviewShown {
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

// irrevocable lists the objects with an action that cannot be undone, because the user may not have seen the action in a plan.
func (o *outcome) irrevocable(action takeover.Action, title string) *plain.Section {
	found := &missedObjects{}
	for _, object := range o.result.Objects {
		if object.Action == action && object.Failure == nil {
			object.Waiting = nil
			found.add(object)
		}
	}
	return found.section(title, 3)
}

const missingNext = "An apply has nothing to write for them. Create the missing objects on the cluster, or place them. The Pods then start on their own."

func (o *outcome) agents() *plain.Section {
	title := "The apply waited for these agents. Check that they run and reach the hub:"
	if o.result.HeartbeatsOverdue {
		title = "The heartbeats of all members are overdue. Check that the hub agent runs, which records them:"
	}
	out := &plain.Section{Title: title, Unit: "line", Reserve: 4}
	for _, agent := range o.result.Agents {
		out.Add(fmt.Sprintf("  %s: last heartbeat %s ago, expected every %s", model.Name(agent.Cluster), agent.Age.Round(time.Second), agent.Period))
	}
	return out
}

func (o *outcome) next(err error) string {
	switch {
	case o.result.TimedOut && o.result.Status.NotObserved:
		return "The apply timed out before the hub observed the change, which can take a minute. Check that the hub agent is running. The next apply continues; " +
			"\"timeouts\" gives it more time."
	case o.result.TimedOut && len(o.result.Objects) == 0 && o.clusters.onlyLeaving():
		return "The apply timed out before the objects on clusters that are no longer picked were removed. Check that the agents there are running. The next " +
			"apply continues; \"timeouts\" gives it more time."
	case o.result.TimedOut && o.asked.Waits:
		return "The apply timed out before every object was available. The next apply continues; \"timeouts\" gives it more time."
	case o.result.TimedOut:
		return "The apply timed out before every object was applied. The next apply continues; \"timeouts\" gives it more time."
	case err == nil && o.counts[notApplied] > 0 && o.counts[notApplied] == countUnserved(o.result.Objects):
		return adviseOnKinds(o.name, o.result.Objects, o.asked.ProviderOfKind)
	case err == nil && o.counts[lacksObject] > 0 && o.counts[notApplied]+o.counts[notAvailable] == 0:
		return missingNext
	case o.counts[notAgreed] > 0:
		return "Plan again to see what is on the clusters now."
	case o.clusters.isNowhere:
		return "No cluster has the placement. A cluster joins the fleet with a fleet_member_cluster; the next plan shows why each cluster was not picked."
	case err == nil && o.result.Stalled && o.isUnfinished():
		return "The agents of the members retry on their own, and an apply has nothing to write. Fix the cause on the cluster, or change the placed object or the " +
			"placement."
	case o.isUnfinished() || err != nil || len(o.clusters.unreachable)+len(o.clusters.leaving) > 0:
		return "The next apply continues with the rest."
	default:
		return ""
	}
}
