package report

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

// resulting is the result of an apply with these objects.
func resulting(clusters []placement.ClusterOutcome, objects ...engine.ObjectResult) *engine.Result {
	return &engine.Result{Status: placement.NewStatus("", nil, clusters, true, "1", 1), Objects: objects}
}

// picked are clusters that have the placement.
func picked(names ...string) []placement.ClusterOutcome {
	var out []placement.ClusterOutcome
	for _, name := range names {
		out = append(out, placement.ClusterOutcome{Name: name, Scheduled: true, ResourceIndex: "1"})
	}
	return out
}

func members(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("member-%02d", i+1))
	}
	return out
}

// came is the result for an object on each of the clusters. %q in the message is the name of the cluster.
func came(
	action takeover.Action, obstacle takeover.Obstacle, id manifest.Identifier, conditionType, reason, message string, clusters ...string,
) []engine.ObjectResult {
	var out []engine.ObjectResult
	for _, name := range clusters {
		one := engine.ObjectResult{Cluster: name, Identifier: id, Action: action, Obstacle: obstacle}
		condition := &placement.Condition{
			Type: conditionType, Status: placement.False, Reason: reason, Message: strings.ReplaceAll(message, "%q", fmt.Sprintf("%q", name)),
		}
		switch conditionType {
		case placement.Available:
			one.Waiting = condition
		case placement.Applied, placement.DiffReported:
			one.Failure = condition
		}
		out = append(out, one)
	}
	return out
}

func carried(action takeover.Action, id manifest.Identifier, clusters ...string) []engine.ObjectResult {
	return came(action, takeover.ObstacleNone, id, "", "", "", clusters...)
}

type outcomeCase struct {
	result *engine.Result
	err    error
	asked  Asked
}

const refusedByServer = `Failed to apply the manifest (error: cluster %q: cannot create Deployment web/web: rejected (422): spec.replicas: ` +
	`Invalid value: -3: must be greater than or equal to 0)`

func outcomeCases() map[string]outcomeCase {
	six := members(6)
	waits := Asked{Waits: true, PreviewShown: true}
	update := waits
	update.FailuresAreErrors = true
	failing := append(carried(takeover.ActionCreate, service, six...),
		came(takeover.ActionCreate, "", deployment, placement.Applied, takeover.ReasonManifestApplyFailed, refusedByServer, six...)...)
	var many []engine.ObjectResult
	for i := range 50 {
		id := deployment
		id.Name = fmt.Sprintf("web-%02d", i)
		many = append(many, came(takeover.ActionUpdate, "", id, placement.Applied, takeover.ReasonManifestApplyFailed, refusedByServer, six...)...)
	}
	waiting := came(takeover.ActionCreate, "", deployment, placement.Available, "ManifestNotAvailableYet",
		"Manifest is not yet available; Fleet will check again later (1 of 3 replicas are available)", six...)
	timedOut := resulting(picked(six...), waiting...)
	timedOut.TimedOut = true
	stalled := resulting(picked(six...), failing...)
	stalled.Stalled = true
	clusters := picked(six...)
	clusters[1].Held = placement.NotStarted("max_unavailable 25% (1 of 6 clusters) is used up: member-01 is not available")
	clusters[2].Held = clusters[1].Held
	clusters[3].Unreachable = `cluster "member-04": cannot list ConfigMaps: the API server cannot be reached: connection refused`
	clusters[4].OverrideFailed = "the override web/canary cannot be applied to Deployment web/web: path /spec/replicas does not exist"
	widget := manifest.Identifier{Group: "example.com", Version: "v1", Kind: "Widget", Namespace: "web", Name: "one"}
	unserved := append(carried(takeover.ActionCreate, service, six[:2]...), came(takeover.ActionReject, takeover.ObstacleNotServed, widget, placement.Applied,
		takeover.ReasonDecodingErred, "the cluster does not serve kind Widget of example.com/v1", six[:2]...)...)
	brought := waits
	brought.ProviderOfKind = func(kind schema.GroupVersionKind) string { return map[string]string{"Widget": "crds"}[kind.Kind] }
	left := placement.ClusterOutcome{Name: "member-07", Reason: "not asked for by the placement policy", ResourceIndex: "0"}
	missing := placement.ClusterOutcome{Name: "member-08", Reason: "cluster is not a member of the fleet"}
	appeared := came(takeover.ActionLeaveAlone, takeover.ObstacleNotAgreed, deployment, placement.Applied, takeover.ReasonFailedToTakeOver,
		"the plan did not show the takeover: the object has appeared since", "member-02")
	overwritten := slices.Concat(carried(takeover.ActionTakeOver, deployment, six[:2]...), carried(takeover.ActionCreate, service, six...),
		carried(takeover.ActionReplace, secret, six[1]), carried(takeover.ActionPrune, namespace, six[0]))
	lacking := slices.Clone(waiting)
	for i := range lacking {
		lacking[i].Missing = []manifest.Identifier{secretNamed("db")}
	}
	return map[string]outcomeCase{
		"kind":         {result: resulting(picked(six[:2]...), unserved...), asked: waits},
		"kind-brought": {result: resulting(picked(six[:2]...), unserved...), asked: brought},
		"missing":      {result: resulting(picked(six...), lacking...), asked: update},
		"missing-and-waiting": {result: resulting(picked(six...), append(slices.Clone(lacking), came(takeover.ActionCreate, "", service, placement.Available,
			"ManifestNotAvailableYet", "Manifest is not yet available", six...)...)...), asked: waits},
		"failed": {result: resulting(picked(six...), failing...), asked: waits},
		"failed-update": {result: resulting(picked(six...), many...), asked: update,
			err: errors.New("nothing was written to cluster \"member-09\", because the record of the placement could not be written there")},
		"stalled":      {result: stalled, asked: waits},
		"timed-out":    {result: timedOut, asked: waits},
		"silent":       {result: silent(six...), asked: update},
		"not-observed": {result: &engine.Result{Status: resulting(picked(six...)).Status, TimedOut: true}, asked: update},
		"hub-silent":   {result: unobserved(six...), asked: update},
		"hub-stops":    {result: stopped(six...), asked: waits},
		"clusters":     {result: resulting(append(clusters, left, missing), waiting[:1]...), asked: waits},
		"nowhere":      {result: resulting(nil), asked: waits},
		"not-agreed":   {result: resulting(picked(six...), append(carried(takeover.ActionCreate, namespace, six...), appeared...)...), asked: waits},
		"unfollowed":   {result: resulting(nil), asked: update, err: &engine.UnfollowedError{Err: errors.New("cluster \"hub\": does not answer")}},
		"records":      {result: resulting(picked(six...), overwritten...), asked: update, err: errors.Join(errors.New("disk full"), errors.New("no space"))},
		"unshown":      {result: resulting(picked(six...), overwritten...), asked: Asked{Waits: true}},
	}
}

// silent is the result of an apply in which the agent of the second member does not run, so that its objects have no status.
func silent(names ...string) *engine.Result {
	out := resulting(picked(names...))
	out.TimedOut = true
	second := out.Status.Clusters[names[1]]
	second.Conditions = slices.Clone(second.Conditions)
	for i := range second.Conditions {
		if c := &second.Conditions[i]; c.Type == placement.Applied {
			c.Status, c.Reason, c.Message = placement.False, string(placement.PhaseNotApplied), "Work object web-work is not yet applied"
		}
	}
	second.Conditions = slices.DeleteFunc(second.Conditions, func(c placement.Condition) bool { return c.Type == placement.Available })
	out.Status.Clusters[names[1]] = second
	out.Agents = []engine.AgentReport{{Cluster: names[1], Age: 311 * time.Second, Period: time.Minute}}
	return out
}

// stopped is the result of a hub whose agent stopped during the rollout, so that no heartbeat is recorded any more.
func stopped(names ...string) *engine.Result {
	out := silent(names...)
	out.HeartbeatsOverdue, out.Agents = true, nil
	for _, name := range names {
		out.Agents = append(out.Agents, engine.AgentReport{Cluster: name, Age: 639 * time.Second, Period: time.Minute})
	}
	return out
}

// unobserved is the result of a hub whose status is about the earlier change.
func unobserved(names ...string) *engine.Result {
	out := resulting(picked(names...))
	out.TimedOut, out.Status.NotObserved = true, true
	return out
}

func TestOutcome(t *testing.T) {
	for name, c := range outcomeCases() {
		t.Run(name, func(t *testing.T) {
			var diags diag.Diagnostics
			Outcome(&diags, "web", c.result, c.err, c.asked)
			if len(diags) != 1 {
				t.Fatalf("%d diagnostics", len(diags))
			}
			golden(t, "outcome-"+name, diags[0].Severity().String()+": "+diags[0].Summary()+"\n\n"+diags[0].Detail()+"\n")
			if lines := strings.Count(diags[0].Detail(), "\n"); lines > plain.MaxLines+5 {
				t.Errorf("the outcome has %d lines", lines)
			}
		})
	}
}

// An apply that has completed the plan reports nothing.
func TestOutcomeAsPlanned(t *testing.T) {
	six := members(6)
	left := came(takeover.ActionLeaveAlone, takeover.ObstacleMode, deployment, placement.Applied, takeover.ReasonNotTakenOver, "not owned", six...)
	waiting := came(takeover.ActionCreate, "", deployment, placement.Available, "ManifestNotAvailableYet", "not yet", six...)
	for name, c := range map[string]outcomeCase{
		"done":             {result: resulting(picked(six...), carried(takeover.ActionCreate, service, six...)...), asked: Asked{Waits: true}},
		"left alone":       {result: resulting(picked(six...), left...), asked: Asked{Waits: true, FailuresAreErrors: true}},
		"taken over":       {result: resulting(picked(six...), carried(takeover.ActionTakeOver, service, six...)...), asked: Asked{Waits: true, PreviewShown: true}},
		"not waited for":   {result: resulting(picked(six...), waiting...), asked: Asked{FailuresAreErrors: true}},
		"nothing to write": {result: resulting(picked(six...)), asked: Asked{Waits: true}},
	} {
		var diags diag.Diagnostics
		Outcome(&diags, "web", c.result, nil, c.asked)
		if len(diags) > 0 {
			t.Errorf("%s: %v", name, diags)
		}
	}
}

// Each text from a cluster is in one line, without control characters.
func TestHostileTexts(t *testing.T) {
	const bad = "x\x1b]0;pwned\x07\x1b[2J\r\n\nApply complete! Resources: 99 added\u202e\x00"
	var diags diag.Diagnostics
	id := manifest.Identifier{Version: "v1", Kind: bad, Namespace: bad, Name: bad, Envelope: &manifest.Envelope{Namespace: bad, Name: bad}}
	var objects []engine.ObjectResult
	for _, conditionType := range []string{placement.Applied, placement.Available, placement.DiffReported} {
		for _, action := range []takeover.Action{takeover.ActionCreate, takeover.ActionLeaveAlone, takeover.ActionLeaveDrifted} {
			objects = append(objects, came(action, takeover.ObstacleNotAgreed, id, conditionType, bad, bad, bad)...)
		}
	}
	objects = append(objects, carried(takeover.ActionTakeOver, id, bad)...)
	clusters := []placement.ClusterOutcome{
		{Name: bad, Scheduled: true, Unreachable: bad, Reason: bad}, {Name: "held", Scheduled: true, Held: placement.NotStarted(bad)},
		{Name: "override", Scheduled: true, OverrideFailed: bad}, {Name: "missing", Reason: bad}, {Name: "left", Reason: bad, ResourceIndex: bad},
	}
	removal := &engine.RemovalError{Cluster: bad, Objects: []placement.FailedPlacement{{Identifier: id, Condition: placement.Condition{Message: bad}}}}
	failure := errors.Join(errors.New(bad), removal, fmt.Errorf("cluster %s: %w", bad, errors.New(bad)))
	result := resulting(clusters, objects...)
	result.Warnings = []string{bad, bad}
	Outcome(&diags, bad, result, failure, Asked{Waits: true})
	Error(&diags, path.Root("name"), "It failed", failure)
	Warning(&diags, path.Root("name"), "It failed", failure)
	limitation := engine.Limitation{Path: placement.Path{{Attribute: "policy"}}, Message: bad}
	Error(&diags, path.Root("name"), "It failed", &engine.LimitationError{Limitation: limitation})
	Limitations(&diags, []engine.Limitation{limitation, {Path: limitation.Path, Message: bad, Ignored: true}})
	previewed := hostile()
	previewed.Placement = bad
	previewed.Clusters[0].Name, previewed.Clusters[1].Name = bad, bad+"2"
	previewed.Clusters = append(previewed.Clusters, engine.ClusterPreview{Name: bad, Problem: bad, Picked: true, Cause: bad},
		on(bad, does(takeover.ActionPrune, id)...), notPicked(bad, bad, does(takeover.ActionOrphan, id)...))
	previewed.Unselected = []manifest.Identifier{id}
	changes := Preview(&diags, previewed, Plan{Strategy: strategy(placement.TakeOverAlways), Unfinished: NewUnfinished(result.Status, true, true), Shown: true})
	UncheckedClusters(&diags, previewed)
	Removal(&diags, previewed, Plan{})
	NotChecked(&diags, map[string]Unchecked{bad: Pending(&diags, previewed, Plan{Unfinished: NewUnfinished(result.Status, true, true)})}, always)
	Pending(&diags, of(notPicked(bad, bad)), Plan{})
	texts := []string{Markdown(previewed, strategy(placement.TakeOverAlways), Additions{}), changes}
	for _, d := range diags {
		texts = append(texts, d.Summary(), d.Detail())
	}
	for _, text := range texts {
		for _, r := range text {
			if r < ' ' && r != '\n' || r == 0x7f || r == '\u202e' {
				t.Errorf("%q is in\n%q", r, text)
				break
			}
		}
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "Apply complete") {
				t.Errorf("a line is forged in\n%s", text)
			}
		}
	}
}
