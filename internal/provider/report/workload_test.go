package report

import (
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
)

// What a plan tells of a workload that is to be handed over.
func TestWorkload(t *testing.T) {
	request := workload.Request{Cluster: "member-1", Workload: deployment}
	itself := workload.Object{Identifier: deployment, Relation: domain.RelationItself}
	pulled := secret
	pulled.Name = "registry"
	for name, found := range map[string]*workload.Found{
		"workload-restart": {Objects: []workload.Object{itself}, Verdict: workload.Verdict{Restart: domain.RestartRollout, Changes: []diff.Difference{image}}},
		"workload-later":   {Objects: []workload.Object{itself}, Verdict: workload.Verdict{Restart: domain.RestartLater, Changes: []diff.Difference{image}}},
		"workload-unknown": {Objects: []workload.Object{itself}, Verdict: workload.Verdict{Restart: domain.RestartUnknown, Unknown: errors.New("forbidden:\nno patch")}},
		"workload-left-out": {Verdict: workload.Verdict{Restart: domain.RestartNone}, Objects: []workload.Object{
			itself, {Identifier: service, Relation: domain.RelationSelects}, {Identifier: secret, LeftOut: "its values would stand in the state", Lacking: true},
			{Identifier: service, LeftOut: "it does not exist"}, {Identifier: pulled, LeftOut: "its values would stand in the state", Lacking: true},
		}},
		"workload-unseen": {
			Objects: []workload.Object{itself}, Verdict: workload.Verdict{Restart: domain.RestartNone}, Unseen: []string{"Service in namespace \"web\": forbidden"},
		},
		"workload-unfit": {Objects: []workload.Object{{Identifier: deployment, LeftOut: "it is being deleted"}}},
	} {
		var diags diag.Diagnostics
		Workload(&diags, request, found)
		golden(t, name, spoken(diags))
	}
	var diags diag.Diagnostics
	Workload(&diags, request, &workload.Found{Objects: []workload.Object{itself}, Verdict: workload.Verdict{Restart: domain.RestartNone}})
	if len(diags) > 0 {
		t.Errorf("there is nothing to tell: %v", diags)
	}
	NoWorkload(&diags, request)
	Unfit(&diags, path.Root("kind"), request, "its values would stand in the state")
	Forgotten(&diags, request)
	golden(t, "workload-refused", spoken(diags))
}

func spoken(diags diag.Diagnostics) string {
	var b strings.Builder
	for _, d := range diags {
		b.WriteString(d.Severity().String() + ": " + d.Summary() + "\n\n" + d.Detail() + "\n\n")
	}
	return b.String()
}
