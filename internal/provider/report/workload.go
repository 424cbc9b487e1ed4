package report

import (
	"fmt"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/printable"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	domain "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/plain"
)

// describeRequest names the requested workload.
func describeRequest(request workload.Request) string {
	return fmt.Sprintf("%s on %q", model.Name(request.Workload.String()), request.Cluster)
}

// NoWorkload adds an error about a workload that does not exist.
func NoWorkload(diags *diag.Diagnostics, request workload.Request) {
	diags.AddAttributeError(path.Root("name"), "There is no such workload", describeRequest(request)+" does not exist. Check its kind, namespace and name, and on which "+
		"member it runs.")
}

// Unfit adds an error about a workload that cannot be handed over.
func Unfit(diags *diag.Diagnostics, at path.Path, request workload.Request, reason string) {
	diags.AddAttributeError(at, describeRequest(request)+" cannot be handed over", "It is nothing for a placement, because "+model.Message(reason)+".")
}

// WorkloadRemovedFromState warns that the removal of a copy changes nothing on the cluster.
func WorkloadRemovedFromState(diags *diag.Diagnostics, request workload.Request) {
	diags.AddAttributeWarning(path.Root("name"), "The copy of "+describeRequest(request)+" will be removed from the state", "Nothing changes on the cluster. If "+
		"a placement manages the workload, only that placement updates or deletes it.")
}

// Workload warns about obstacles to handing a workload over unchanged.
func Workload(diags *diag.Diagnostics, request workload.Request, found *workload.Found) {
	if reason := found.Objects[0].LeftOut; reason != "" {
		diags.AddAttributeWarning(path.Root("name"), describeRequest(request)+" cannot be handed over", "It is left out, because "+model.Message(reason)+".")
		return
	}
	warnOfUnread(diags, request, found)
	warnOfLeftOut(diags, request, found.Objects[1:])
	warnOfReplicas(diags, request, found)
	warnOfRestart(diags, request, found.Verdict)
}

func warnOfUnread(diags *diag.Diagnostics, request workload.Request, found *workload.Found) {
	if len(found.Unseen) == 0 {
		return
	}
	text := &plain.Section{Title: "Not read:", Unit: "line"}
	for _, kind := range found.Unseen {
		text.Add(fmt.Sprintf("  %s in namespace %q: %s", kind.Kind, kind.Namespace, printable.Cut(kind.Err.Error(), maxError)))
	}
	title, advice := "Something may belong to "+describeRequest(request)+" that was not read", "Give the account the rights to list these kinds, or say include_related = "+
		"false and hand over by name what belongs to the workload."
	if !request.Related {
		title, advice = "It is not known whether an autoscaler scales "+describeRequest(request), "Give the account the right to list this kind."
	}
	if found.Scaling.By == "" && slices.ContainsFunc(found.Unseen, func(u workload.Unseen) bool { return u.Kind == domain.Autoscalers.Kind }) {
		advice = "If an autoscaler scales the workload, spec.replicas of the manifest is wrong: every write of it undoes what the autoscaler decides, and the takeover " +
			"may remove Pods.\n\n" + advice
	}
	diags.AddAttributeWarning(path.Root("name"), title, plain.Layout(text)+"\n\n"+advice)
}

// warnOfReplicas warns about the number of Pods of a workload that is scaled, unless its autoscaler is handed over too.
func warnOfReplicas(diags *diag.Diagnostics, request workload.Request, found *workload.Found) {
	by := model.Name(found.Scaling.By)
	switch found.Scaling.Replicas {
	case domain.ReplicasPinned:
		diags.AddAttributeWarning(path.Root("name"), "Placing "+describeRequest(request)+" undoes what scales it", "It is scaled by "+by+". A hub stores what is placed, and fills "+
			"in 1 where spec.replicas is left out, so the manifest has the number of Pods of this moment. Every write of the placement sets that number: where more Pods run "+
			"by then, the takeover removes some, and so it goes on.\n\nA host of KubeAdmiral leaves the number to its members for Deployments alone. On a hub of KubeFleet an "+
			"envelope can do without spec.replicas, and so can the manifests of the engine \"direct\": there, say through_hub = false. Otherwise end the scaling before the "+
			"takeover.")
	case domain.ReplicasOpen, domain.ReplicasRetained:
		if slices.ContainsFunc(found.Objects, func(o workload.Object) bool { return o.Relation == domain.RelationScales && o.LeftOut == "" }) {
			return
		}
		diags.AddAttributeWarning(path.Root("name"), "The number of Pods of "+describeRequest(request)+" is left out", "It is scaled by "+by+", which does not come along. So the "+
			"manifest has no spec.replicas, and the workload keeps the number of Pods that it has. On a cluster that does not have it yet, it begins with 1 Pod, and goes on with "+
			"that until something scales it there.\n\nWhoever writes through the subresource scale is taken for an autoscaler, kubectl aside. If the number is to be placed, "+
			"put a manifest with spec.replicas in the place of this one.")
	case "":
	}
}

func warnOfLeftOut(diags *diag.Diagnostics, request workload.Request, objects []workload.Object) {
	text, secrets := &plain.Section{Title: "Left out:", Unit: "object"}, false
	for _, o := range objects {
		if o.Lacking {
			text.Add("  " + model.Name(o.Identifier.String()) + ": " + model.Message(o.LeftOut))
			secrets = secrets || o.IsSecret()
		}
	}
	if len(text.Blocks) == 0 {
		return
	}
	advice := "They stay on the member as they are. Another cluster that is to run the workload needs them as well: put them there in another way."
	if secrets {
		advice += " A Secret comes there by manifests_wo of a fleet_crp, from an ephemeral value, which no state has; or, from a hub, by resource_selectors."
	}
	diags.AddAttributeWarning(path.Root("name"), describeRequest(request)+" needs "+words.Count(len(text.Blocks), "object")+" that the manifests lack", plain.Layout(text)+"\n\n"+advice)
}

func warnOfRestart(diags *diag.Diagnostics, request workload.Request, verdict workload.Verdict) {
	when := ""
	switch verdict.Restart {
	case domain.RestartNone:
		return
	case domain.RestartUnknown:
		diags.AddAttributeWarning(path.Root("name"), "It is not known whether handing over "+describeRequest(request)+" replaces its Pods", "A dry run of the takeover "+
			"has failed: "+printable.Cut(verdict.Unknown.Error(), maxError)+"\n\nAn account with the right to patch the workload can ask for one. The plan of the placement compares "+
			"the fields all the same.")
		return
	case domain.RestartRollout:
		when = "replaces its Pods"
	case domain.RestartInPart:
		when = "replaces its Pods from the partition on, and the others " + model.WhenReplaced(verdict.Restart)
	case domain.RestartLater, domain.RestartOnDeletion, domain.RestartOnceResumed, domain.RestartBelowPartition:
		when = "replaces its Pods " + model.WhenReplaced(verdict.Restart)
	}
	text := &plain.Section{Title: "Changes of the Pod template:", Unit: "field"}
	for _, d := range model.Fields(verdict.Changes, "") {
		text.Add("  " + plain.Field(d))
	}
	diags.AddAttributeWarning(path.Root("name"), "Handing over "+describeRequest(request)+" "+when, plain.Layout(text)+
		"\n\nSomething on the way makes another Pod template of what the cluster has: an API server of another version, or an admission webhook or "+
		"policy.")
}
