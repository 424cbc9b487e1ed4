package report

import (
	"errors"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
)

// The warnings of a plan about a workload that is to be handed over.
func TestWorkload(t *testing.T) {
	request := workload.Request{Cluster: "member-1", Workload: deployment, Related: true}
	itself := workload.Object{Identifier: deployment, Relation: domain.RelationItself}
	set := workload.Object{Identifier: database, Relation: domain.RelationItself}
	pulled := secret
	pulled.Name = "registry"
	for name, found := range map[string]*workload.Found{
		"workload-restart": {Objects: []workload.Object{itself}, Verdict: workload.Verdict{Restart: domain.RestartRollout, Changes: []diff.Difference{image}}},
		"workload-resumed": {Objects: []workload.Object{itself}, Verdict: workload.Verdict{Restart: domain.RestartOnceResumed, Changes: []diff.Difference{image}}},
		"workload-in-part": {Objects: []workload.Object{set}, Verdict: workload.Verdict{Restart: domain.RestartInPart, Changes: []diff.Difference{image}}},
		"workload-deleted": {Objects: []workload.Object{set}, Verdict: workload.Verdict{Restart: domain.RestartOnDeletion, Changes: []diff.Difference{image}}},
		"workload-held":    {Objects: []workload.Object{set}, Verdict: workload.Verdict{Restart: domain.RestartBelowPartition, Changes: []diff.Difference{image}}},
		"workload-unknown": {Objects: []workload.Object{itself}, Verdict: workload.Verdict{Restart: domain.RestartUnknown, Unknown: errors.New("forbidden:\nno patch")}},
		"workload-left-out": {Verdict: workload.Verdict{Restart: domain.RestartNone}, Objects: []workload.Object{
			itself, {Identifier: service, Relation: domain.RelationSelects}, {Identifier: secret, LeftOut: "its values would stand in the state", Lacking: true},
			{Identifier: service, LeftOut: "it does not exist"}, {Identifier: pulled, LeftOut: "its values would stand in the state", Lacking: true},
		}},
		"workload-unseen":               unseen(itself, "", "Service"),
		"workload-unseen-autoscaler":    unseen(itself, "", "Service", "HorizontalPodAutoscaler"),
		"workload-unseen-scaled-anyway": unseen(itself, "my-autoscaler", "HorizontalPodAutoscaler"),
		"workload-scaled":               {Objects: []workload.Object{itself}, Scaling: scaling("my-autoscaler", domain.ReplicasOpen)},
		"workload-scaled-left-out": {
			Objects: []workload.Object{itself, {Identifier: autoscaler, Relation: domain.RelationScales, LeftOut: "the ScaledObject web makes it", Lacking: true}},
			Scaling: scaling("HorizontalPodAutoscaler web/web", domain.ReplicasRetained),
		},
		"workload-pinned": {
			Objects: []workload.Object{set, {Identifier: autoscaler, Relation: domain.RelationScales}}, Scaling: scaling("HorizontalPodAutoscaler web/web", domain.ReplicasPinned),
		},
		"workload-unfit": {Objects: []workload.Object{{Identifier: deployment, LeftOut: "it is being deleted"}}},
	} {
		if found.Verdict.Restart == "" {
			found.Verdict.Restart = domain.RestartNone
		}
		var diags diag.Diagnostics
		Workload(&diags, request, found)
		golden(t, name, spoken(diags))
	}
	var diags diag.Diagnostics
	Workload(&diags, request, &workload.Found{Objects: []workload.Object{itself}, Verdict: workload.Verdict{Restart: domain.RestartNone}})
	Workload(&diags, request, &workload.Found{
		Objects: []workload.Object{itself, {Identifier: autoscaler, Relation: domain.RelationScales}}, Scaling: scaling("HorizontalPodAutoscaler web/web", domain.ReplicasRetained),
		Verdict: workload.Verdict{Restart: domain.RestartNone},
	})
	if len(diags) > 0 {
		t.Errorf("there is nothing to report: %v", diags)
	}
	alone := request
	alone.Related = false
	Workload(&diags, alone, unseen(itself, "", "HorizontalPodAutoscaler"))
	golden(t, "workload-unseen-alone", spoken(diags))
	diags = nil
	NoWorkload(&diags, request)
	Unfit(&diags, path.Root("kind"), request, "its values would stand in the state")
	WorkloadRemovedFromState(&diags, request)
	golden(t, "workload-refused", spoken(diags))
}

var autoscaler = manifest.Identifier{Group: "autoscaling", Version: "v2", Kind: "HorizontalPodAutoscaler", Namespace: "web", Name: "web"}

func scaling(by string, replicas domain.Replicas) workload.Scaling {
	return workload.Scaling{By: by, Replicas: replicas}
}

// unseen is a workload in whose namespace kinds could not be read; by is what scales it.
func unseen(itself workload.Object, by string, kinds ...string) *workload.Found {
	out := &workload.Found{Objects: []workload.Object{itself}, Verdict: workload.Verdict{Restart: domain.RestartNone}}
	if by != "" {
		out.Scaling = scaling(by, domain.ReplicasOpen)
	}
	for _, kind := range kinds {
		out.Unseen = append(out.Unseen, workload.Unseen{Kind: kind, Namespace: "web", Err: errors.New("forbidden")})
	}
	return out
}

func spoken(diags diag.Diagnostics) string {
	var b strings.Builder
	for _, d := range diags {
		b.WriteString(d.Severity().String() + ": " + d.Summary() + "\n\n" + d.Detail() + "\n\n")
	}
	return b.String()
}
