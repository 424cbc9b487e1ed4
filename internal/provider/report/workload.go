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

func describeRequest(request workload.Request) string {
	return fmt.Sprintf("%s on %q", model.Name(request.Workload.String()), request.Cluster)
}

// NoWorkload adds an error about a workload that does not exist.
func NoWorkload(diags *diag.Diagnostics, request workload.Request) {
	diags.AddAttributeError(path.Root("name"), "Workload not found", describeRequest(request)+" does not exist. Check its kind, namespace and name, and on which "+
		"member it runs.")
}

// Unfit adds an error about a workload that cannot be handed over.
func Unfit(diags *diag.Diagnostics, at path.Path, request workload.Request, reason string) {
	diags.AddAttributeError(at, describeRequest(request)+" cannot be handed over", "A placement cannot have it: "+model.Message(reason)+".")
}

// WorkloadRemovedFromState warns that the removal of a copy changes nothing on the cluster.
func WorkloadRemovedFromState(diags *diag.Diagnostics, request workload.Request) {
	diags.AddAttributeWarning(path.Root("name"), "The copy of "+describeRequest(request)+" will be removed from the state", "Nothing changes on the cluster. If "+
		"a placement manages the workload, only that placement updates or deletes it.")
}

// Workload warns about obstacles to handing a workload over unchanged.
func Workload(diags *diag.Diagnostics, request workload.Request, found *workload.Found) {
	if reason := found.Objects[0].LeftOut; reason != "" {
		diags.AddAttributeWarning(path.Root("name"), describeRequest(request)+" cannot be handed over", "It is not copied: "+model.Message(reason)+".")
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
	title, advice := "Objects may belong to "+describeRequest(request)+" that were not read", "Allow the account to list these kinds. Or set include_related "+
		"= false, and hand over the related objects by name."
	if !request.Related {
		title, advice = "Unknown whether an autoscaler scales "+describeRequest(request), "Allow the account to list this kind."
	}
	if found.Scaling.By == "" && slices.ContainsFunc(found.Unseen, func(u workload.Unseen) bool { return u.Kind == domain.Autoscalers.Kind }) {
		advice = "If an autoscaler scales the workload, spec.replicas of the manifest is wrong: every write reverts the autoscaler's value, and the takeover " +
			"may remove Pods.\n\n" + advice
	}
	diags.AddAttributeWarning(path.Root("name"), title, plain.Layout(text)+"\n\n"+advice)
}

func warnOfReplicas(diags *diag.Diagnostics, request workload.Request, found *workload.Found) {
	by := model.Name(found.Scaling.By)
	switch found.Scaling.Replicas {
	case domain.ReplicasPinned:
		diags.AddAttributeWarning(path.Root("name"), "Placing "+describeRequest(request)+" reverts its scaling", "It is scaled by "+by+". A hub sets "+
			"spec.replicas to 1 if it is omitted, so the manifest has the current number. Every write of the placement sets that number again: where more "+
			"Pods run, it removes "+
			"some.\n\nWith KubeAdmiral, only Deployments can keep the number of each member. On a KubeFleet hub, an envelope "+
			"can omit spec.replicas. So can manifests of the engine \"direct\": set through_hub = false there. Otherwise, stop the scaling before the takeover.")
	case domain.ReplicasOpen, domain.ReplicasRetained:
		if slices.ContainsFunc(found.Objects, func(o workload.Object) bool { return o.Relation == domain.RelationScales && o.LeftOut == "" }) {
			return
		}
		diags.AddAttributeWarning(path.Root("name"), "The number of Pods of "+describeRequest(request)+" is left out", "It is scaled by "+by+", which is not "+
			"copied. The manifest has no spec.replicas, so the workload keeps its current number of Pods. On a cluster that does not have it yet, it starts "+
			"with 1 Pod and keeps "+
			"that number until it is scaled there.\n\nEvery client except kubectl that writes the subresource scale counts as an autoscaler. To place a "+
			"number, use a manifest with spec.replicas instead.")
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
	advice := "They remain unchanged on the member. Other clusters that will run the workload need them as well: create them there separately."
	if secrets {
		advice += " For a Secret, use manifests_wo of a fleet_crp with an ephemeral value, which is in no state; or, with a hub, resource_selectors."
	}
	diags.AddAttributeWarning(path.Root("name"), describeRequest(request)+" needs "+words.Count(len(text.Blocks), "object")+" that the manifests lack", plain.Layout(text)+"\n\n"+advice)
}

func warnOfRestart(diags *diag.Diagnostics, request workload.Request, verdict workload.Verdict) {
	when := ""
	switch verdict.Restart {
	case domain.RestartNone:
		return
	case domain.RestartUnknown:
		diags.AddAttributeWarning(path.Root("name"), "Unknown whether handing over "+describeRequest(request)+" replaces its Pods", "A dry run of the takeover "+
			"failed: "+printable.Cut(verdict.Unknown.Error(), maxError)+"\n\nThe dry run needs the right to patch the workload. The plan of the placement "+
			"still compares the fields.")
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
		"\n\nThe dry run returned a different Pod template: an API server of another version, an admission webhook or an admission policy changes it.")
}
