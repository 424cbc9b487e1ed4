package report

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
)

// rowCases has the rows that no other case has.
func rowCases() map[string]testCase {
	always := strategy(placement.TakeOverAlways)
	with := func(object engine.ObjectPreview, change func(*engine.ObjectPreview)) engine.ObjectPreview {
		change(&object)
		return object
	}
	one := func(action takeover.Action, id manifest.Identifier, change func(*engine.ObjectPreview)) engine.ObjectPreview {
		return with(does(action, id)[0], change)
	}
	named := func(name string) manifest.Identifier {
		return manifest.Identifier{Version: "v1", Kind: "Namespace", Name: name}
	}
	definition := manifest.Identifier{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition", Name: "widgets.example.com"}
	contents := func(c engine.Contents) func(*engine.ObjectPreview) {
		return func(o *engine.ObjectPreview) { o.Contents = &c }
	}
	var three engine.Contents
	for _, id := range []manifest.Identifier{service, secret, deployment} {
		three.Add(id)
	}
	deferred := func(obstacle takeover.Obstacle, problem string) func(*engine.ObjectPreview) {
		return func(o *engine.ObjectPreview) { o.Obstacle, o.Problem = obstacle, problem }
	}
	var fields []diff.Difference
	var patches []placement.PatchDetail
	for i := range 6 {
		fields = append(fields, diff.Difference{Path: fmt.Sprintf("/data/%d", i), InHub: "new", HasHub: true, InMember: "old", HasMember: i > 0})
		patches = append(patches, placement.PatchDetail{Path: fmt.Sprintf("/data/%d", i), ValueInMember: "old"})
	}
	drifting := always
	drifting.WhenToApply = placement.ApplyIfNotDrifted
	claimed := func(o *engine.ObjectPreview) {
		o.Claimed, o.Reason, o.Problem = true, takeover.ReasonNotTakenOver, `placement "first" has it in this run`
	}
	onHub := of(on("member-1", one(takeover.ActionOrphan, namespace, deferred(takeover.ObstacleContents, "its deletion would also delete Secret web/a")),
		one(takeover.ActionOrphan, service, deferred(takeover.ObstacleAdopted, "it is pre-existing"))))
	onHub.Hub = &engine.HubPreview{}
	return map[string]testCase{
		"claimed": {preview: of(on("member-1", with(met(placement.TakeOverAlways, service, first), claimed))), strategy: always},
		"contents": {preview: of(on("member-1", one(takeover.ActionPrune, named("unknown"), func(*engine.ObjectPreview) {}),
			one(takeover.ActionPrune, named("empty"), contents(engine.Contents{})),
			one(takeover.ActionPrune, named("emptied"), contents(engine.Contents{First: []string{"guest"}})),
			one(takeover.ActionPrune, named("emptied-twice"), contents(engine.Contents{First: []string{"guest", "other"}})),
			one(takeover.ActionPrune, named("unlisted"), contents(engine.Contents{Unseen: []string{"Widget.example.com"}, UnseenCount: 1})),
			one(takeover.ActionPrune, named("marked-up"), contents(engine.Contents{Count: 1, Objects: []manifest.Identifier{
				{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "RoleBinding", Namespace: "marked-up", Name: "@org/admins|<b>"},
			}})),
			one(takeover.ActionPrune, named("full"), contents(three)), one(takeover.ActionPrune, definition, contents(three)), does(takeover.ActionPrune, service)[0],
		)), strategy: always},
		"contents-empty": {preview: of(
			on("member-1", one(takeover.ActionPrune, definition, contents(engine.Contents{})), does(takeover.ActionPrune, service)[0]),
			on("member-2", one(takeover.ActionPrune, definition, contents(engine.Contents{})), does(takeover.ActionPrune, service)[0]),
		), strategy: always},
		"kept": {preview: of(on("member-1", one(takeover.ActionOrphan, namespace, deferred(takeover.ObstacleAdopted, "it is pre-existing")),
			one(takeover.ActionOrphan, service, deferred(takeover.ObstacleNone, "")),
			one(takeover.ActionNone, secret, deferred(takeover.ObstacleNotOwned, "its label is another one")))), strategy: always},
		"kept-on-hub": {preview: onHub, strategy: always},
		"deferred": {preview: of(on("member-1", does(takeover.ActionDefer, service)[0], one(takeover.ActionDefer, namespace, deferred(takeover.ObstacleOccupied, "it contains objects of guest")),
			one(takeover.ActionUnknown, secret, deferred(takeover.ObstacleNotReadable, "secrets is forbidden")), does(takeover.ActionUnknown, deployment)[0])), strategy: always},
		"many-fields": {preview: of(on("member-1", taken(service, kubectl, fields...),
			one(takeover.ActionLeaveDrifted, secret, func(o *engine.ObjectPreview) { o.Reason, o.ObservedDrifts = takeover.ReasonFoundDrifts, patches }))), strategy: drifting},
		"many-updates": {preview: of(on("member-1", does(takeover.ActionUpdate, secretNamed("a"), secretNamed("b"), deployment)...),
			on("member-2", one(takeover.ActionUpdate, secretNamed("c"), func(o *engine.ObjectPreview) { o.Differences = fields }))), strategy: always},
		"many-created": {preview: of(on("member-1", does(takeover.ActionCreate, manyNames(60)...)...), on("member-2", does(takeover.ActionCreate, manyNames(2)...)...)), strategy: always},
	}
}

// manyNames are ConfigMaps of one Namespace.
func manyNames(n int) []manifest.Identifier {
	out := make([]manifest.Identifier, n)
	for i := range out {
		out[i] = manifest.Identifier{Version: "v1", Kind: "ConfigMap", Namespace: "web", Name: fmt.Sprintf("settings-%02d", i)}
	}
	return out
}

// TestRemovalChanges compares the lines of a removal that comes before a creation, and of an apply that changes no object.
func TestRemovalChanges(t *testing.T) {
	text := RemovalChanges(of(
		on("member-1", does(takeover.ActionPrune, namespace, deployment, service)...), on("member-2", append(does(takeover.ActionPrune, service), does(takeover.ActionOrphan, deployment)...)...),
	)) + "\n\n"
	text += RemovalChanges(of(on("member-1", does(takeover.ActionOrphan, deployment)...))) + "\n\n"
	text += NoChange(of(on("member-1"))) + "\n\n" + NoChange(of(on("member-1", does(takeover.ActionLeaveAlone, deployment)...))) + "\n"
	golden(t, "removal-changes", text)
}

// TestTotal compares the warning about two placements of one run.
func TestTotal(t *testing.T) {
	all := cases()
	web, api := all["restart"], all["offline"]
	api.preview.Placement = "api"
	plan := func(c testCase) Plan { return Plan{Strategy: c.strategy} }
	total := NewTotal(web.preview, plan(web)).And(NewTotal(api.preview, plan(api)))
	var diags diag.Diagnostics
	Sum(&diags, total)
	if len(diags) != 1 {
		t.Fatalf("%d diagnostics", len(diags))
	}
	golden(t, "total", diags[0].Summary()+"\n\n"+diags[0].Detail()+"\n")
}

// TestMarkdownWithoutPreview compares the reports of a placement without a preview, and of one with manifests that the report does not have.
func TestMarkdownWithoutPreview(t *testing.T) {
	golden(t, "no-preview.md", NoMarkdown("web", "The provider configuration is known only after apply."))
	c := cases()["no-conflict"]
	golden(t, "write-only.md", Markdown(c.preview, c.strategy, Additions{WriteOnly: []manifest.Identifier{secret}}))
}

// TestOccupiedRemoval compares the warning about a removal that another placement may unblock, and that cannot check an object.
func TestOccupiedRemoval(t *testing.T) {
	occupied := does(takeover.ActionDefer, namespace)[0]
	occupied.Obstacle, occupied.Problem = takeover.ObstacleOccupied, `it contains objects of the placement "guest"`
	gone := engine.ClusterPreview{Name: "member-2", Err: &engine.NotConfiguredError{}, CheckMethod: engine.CheckOffline}
	preview := of(engine.ClusterPreview{Name: "member-1", Objects: append(does(takeover.ActionUnknown, deployment), occupied)}, gone)
	var diags diag.Diagnostics
	Removal(&diags, preview, Plan{Freed: []engine.Occupied{{Placement: "host", Cluster: "member-1", Identifier: namespace}}})
	if len(diags) != 1 {
		t.Fatalf("%d diagnostics", len(diags))
	}
	golden(t, "removal-conditional", diags[0].Summary()+"\n\n"+diags[0].Detail()+"\n")
}
