package report

import (
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/engine"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/diff"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/override"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/placement"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/schedule"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/takeover"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/workload"
)

type testCase struct {
	preview    *engine.Preview
	strategy   placement.ApplyStrategy
	unfinished Unfinished
	refuse     bool
}

var (
	namespace  = manifest.Identifier{Version: "v1", Kind: "Namespace", Name: "web"}
	deployment = manifest.Identifier{Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "web", Name: "web"}
	service    = manifest.Identifier{Version: "v1", Kind: "Service", Namespace: "web", Name: "web"}
	secret     = manifest.Identifier{Version: "v1", Kind: "Secret", Namespace: "web", Name: "password"}

	replicas = diff.Difference{
		Field: "spec.replicas", Path: "/spec/replicas", InHub: int64(3), HasHub: true, InMember: int64(2), HasMember: true,
		Manager: diff.Manager{Name: "kubectl-client-side-apply", Operation: "Update"},
	}
	image = diff.Difference{
		Field: "spec.template.spec.containers[name=web].image", Path: "/spec/template/spec/containers/0/image",
		InHub: "nginx:1.29", HasHub: true, InMember: "nginx:1.25", HasMember: true,
		Manager: diff.Manager{Name: "helm", Operation: "Update"},
	}
	scaled = diff.Difference{
		Field: "spec.replicas", Path: "/spec/replicas", InHub: int64(1), HasHub: true, InMember: int64(17), HasMember: true,
		Manager: diff.Manager{Name: "kube-controller-manager", Operation: "Update", Subresource: "scale"},
	}
	// selector is a field that no write can change.
	selector = diff.Difference{
		Field: "spec.selector.matchLabels.app", Path: "/spec/selector/matchLabels/app", InHub: "web", HasHub: true, InMember: "shop", HasMember: true,
		Manager: diff.Manager{Name: "kubectl-client-side-apply", Operation: "Update"}, Immutable: true,
	}
	kubectl = takeover.Owner{Kind: takeover.OwnerKubectl}
	unowned = takeover.Owner{Kind: takeover.OwnerNone}
	shop    = takeover.Owner{Kind: takeover.OwnerController, Name: "Shop main"}
	first   = takeover.Owner{Kind: takeover.OwnerPlacement, Name: "first", Exclusive: true}
)

func strategy(whenToTakeOver placement.WhenToTakeOver) placement.ApplyStrategy {
	return placement.ApplyStrategy{
		Type: placement.ClientSideApply, ComparisonOption: placement.PartialComparison, WhenToApply: placement.ApplyAlways,
		WhenToTakeOver: whenToTakeOver,
	}
}

// on is a picked cluster that was checked with dry runs.
func on(name string, objects ...engine.ObjectPreview) engine.ClusterPreview {
	return engine.ClusterPreview{
		Name: name, Picked: true, Score: &schedule.Score{}, CheckMethod: engine.CheckDryRun, Objects: objects,
		Reason: fmt.Sprintf("Successfully scheduled resources for placement in %q (affinity score: 0, topology spread score: 0): picked by "+
			"scheduling policy", name),
		Cause: "picked by scheduling policy",
	}
}

const outscored = "does not score high enough"

// notPicked is a cluster that the placement does not pick. Its reason is the cause, with the name of the cluster before a cause that begins with outscored.
func notPicked(name, cause string, objects ...engine.ObjectPreview) engine.ClusterPreview {
	out := engine.ClusterPreview{Name: name, CheckMethod: engine.CheckReadOnly, Reason: cause, Cause: cause, Objects: objects}
	if strings.HasPrefix(cause, outscored) {
		out.Reason = fmt.Sprintf("Cluster %q %s", name, cause)
	}
	return out
}

func of(clusters ...engine.ClusterPreview) *engine.Preview {
	return &engine.Preview{
		Placement: "web", Fulfilled: true, Selected: []manifest.Identifier{namespace, deployment, service}, Clusters: clusters,
	}
}

func does(action takeover.Action, ids ...manifest.Identifier) []engine.ObjectPreview {
	out := make([]engine.ObjectPreview, len(ids))
	for i, id := range ids {
		out[i] = engine.ObjectPreview{Identifier: id, Action: action}
		out[i].Exists = action != takeover.ActionCreate
		out[i].Owned = out[i].Exists
	}
	return out
}

// again is an object that the placement had written, and that was deleted since.
func again(id manifest.Identifier) engine.ObjectPreview {
	return engine.ObjectPreview{Identifier: id, Action: takeover.ActionCreate, Again: true}
}

// leaving are objects that remain on a cluster because the cluster leaves the fleet.
func leaving(ids ...manifest.Identifier) []engine.ObjectPreview {
	out := does(takeover.ActionOrphan, ids...)
	for i := range out {
		out[i].Obstacle, out[i].Problem = takeover.ObstacleLeft, "the cluster has left the fleet"
	}
	return out
}

// unrecorded is a cluster whose record of the placement is lost, with an object that is found only by its label, and kinds that could not be listed.
func unrecorded(objects ...engine.ObjectPreview) engine.ClusterPreview {
	found := does(takeover.ActionNone, secret)
	found[0].Owned, found[0].Obstacle, found[0].Problem = false, takeover.ObstacleNotOwned, "it carries the placement's label, and the record that would "+
		"show who created it is missing, or outdated"
	out := on("member-1", append(objects, found...)...)
	out.RecordLost, out.Resume, out.UnsearchedKinds = true, true, []string{"RoleBinding.rbac.authorization.k8s.io", "Secret"}
	return out
}

// secretNamed is a Secret in the namespace of the other objects.
func secretNamed(name string) manifest.Identifier {
	return manifest.Identifier{Version: "v1", Kind: "Secret", Namespace: "web", Name: name}
}

// lack sets others as the missing objects of the Deployment, and returns all objects.
func lack(objects []engine.ObjectPreview, others ...manifest.Identifier) []engine.ObjectPreview {
	for i := range objects {
		if objects[i].Identifier == deployment {
			objects[i].Missing = others
		}
	}
	return objects
}

func created() []engine.ObjectPreview {
	return does(takeover.ActionCreate, namespace, deployment, service)
}

// met is a pre-existing object with the decision of the engine under a takeover mode.
func met(mode placement.WhenToTakeOver, id manifest.Identifier, owner takeover.Owner, differences ...diff.Difference) engine.ObjectPreview {
	in := takeover.Input{Live: &unstructured.Unstructured{}, Strategy: strategy(mode), Comparison: &diff.Comparison{Differences: differences}}
	if owner.Exclusive {
		in.ForeignPlacement = owner.String()
	}
	if kind, name, named := strings.Cut(owner.Name, " "); named && owner.Kind == takeover.OwnerController {
		in.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps.example.com/v1", Kind: kind, Name: name}}
	}
	out := decided(id, takeover.Decide(in), differences...)
	out.Exists, out.Owner = true, owner
	return out
}

// rejected is a cluster whose API server rejects a Service. Its message names the cluster.
func rejected(cluster string) engine.ClusterPreview {
	denied := fmt.Sprintf("cluster %q: admission webhook \"policy\" denied the request", cluster)
	return on(cluster, decided(service, takeover.Rejected(takeover.ObstacleAdmission, takeover.ReasonManifestApplyFailed, denied)))
}

// unoverridden is a cluster for which an override cannot be applied.
func unoverridden(cluster string) engine.ClusterPreview {
	out := on(cluster)
	out.Problem = (&override.Error{
		Override: override.Reference{Namespace: "web", Name: "canary"}, Object: deployment, Cluster: cluster, Patch: -1, Err: errors.New("nothing exists at the path"),
	}).Error()
	return out
}

// decided is the preview of an object with a decision.
func decided(id manifest.Identifier, d takeover.Decision, differences ...diff.Difference) engine.ObjectPreview {
	return engine.ObjectPreview{
		Identifier: id, Action: d.Action, Obstacle: d.Obstacle, Problem: d.Problem, Reason: d.Reason, Message: d.Message(),
		Differences: differences,
	}
}

// taken is an object that is taken over whether it differs or not.
func taken(id manifest.Identifier, owner takeover.Owner, differences ...diff.Difference) engine.ObjectPreview {
	return met(placement.TakeOverAlways, id, owner, differences...)
}

// invalidOf is an object that differs from a manifest which the API server rejects as invalid.
func invalidOf(id manifest.Identifier, differences ...diff.Difference) engine.ObjectPreview {
	out := decided(id, takeover.Decide(takeover.Input{
		Live: &unstructured.Unstructured{}, Strategy: strategy(placement.TakeOverIfNoDiff),
		Comparison: &diff.Comparison{Differences: differences, Degraded: true, Doubtful: true},
	}), differences...)
	out.Exists, out.Owner = true, kubectl
	return out
}

// driftedFrom is an object of the placement that others have changed.
func driftedFrom(strategy placement.ApplyStrategy, id manifest.Identifier, difference diff.Difference) engine.ObjectPreview {
	patches := []placement.PatchDetail{{
		Path: difference.Path, ValueInMember: fmt.Sprint(difference.InMember), ValueInHub: fmt.Sprint(difference.InHub),
	}}
	out := decided(id, takeover.DecideDrift(takeover.Input{
		Live: &unstructured.Unstructured{}, Owned: true, SameManifest: true, Strategy: strategy,
		Comparison: &diff.Comparison{Differences: []diff.Difference{difference}, Patches: patches},
	}), difference)
	out.Exists, out.Owned, out.ObservedDrifts = true, true, patches
	return out
}

// reported is the preview of an object that is only compared.
func reported(
	strategy placement.ApplyStrategy, id manifest.Identifier, live *unstructured.Unstructured, comparison *diff.Comparison,
) engine.ObjectPreview {
	r := takeover.DecideReport(takeover.Input{Live: live, Strategy: strategy, Comparison: comparison})
	return engine.ObjectPreview{
		Identifier: id, Action: takeover.ActionReport, Exists: live != nil, Obstacle: r.Obstacle, Reason: r.Reason, Message: r.Message,
		Differences: comparison.Differences, ObservedDiffs: comparison.Patches,
	}
}

func cases() map[string]testCase {
	out := map[string]testCase{}
	for _, part := range []map[string]testCase{takeoverCases(), objectCases(), obstacleCases(), restartCases(), clusterCases(), unfinishedCases(), hubCases(), rowCases()} {
		for name, c := range part {
			out[name] = c
		}
	}
	return out
}

func takeoverCases() map[string]testCase {
	never := of(on("member-1", created()...), on("member-2",
		met(placement.TakeOverNever, namespace, kubectl),
		met(placement.TakeOverNever, deployment, kubectl, replicas, image),
		met(placement.TakeOverNever, service, kubectl),
	), on("member-3", created()...))
	helm := takeover.Owner{Kind: takeover.OwnerHelm, Name: "shop/web"}
	return map[string]testCase{
		"no-conflict": {preview: of(on("member-1", created()...), on("member-2", created()...)), strategy: strategy(placement.TakeOverAlways)},
		"deleted-since": {
			preview:  of(on("member-1", append(does(takeover.ActionCreate, service), again(deployment))...), on("member-2", append(does(takeover.ActionNone, deployment), does(takeover.ActionCreate, service)...)...)),
			strategy: strategy(placement.TakeOverAlways),
		},
		"nothing-to-do": {
			preview:  of(on("member-1", does(takeover.ActionNone, namespace, deployment)...), on("member-2", does(takeover.ActionNone, namespace, deployment)...)),
			strategy: strategy(placement.TakeOverAlways),
		},
		"never":         {preview: never, strategy: strategy(placement.TakeOverNever)},
		"never-refused": {preview: never, strategy: strategy(placement.TakeOverNever), refuse: true},
		"if-no-diff-differs": {preview: of(on("member-1", created()...), on("member-2",
			taken(namespace, kubectl), taken(service, kubectl), met(placement.TakeOverIfNoDiff, deployment, kubectl, replicas),
		)), strategy: strategy(placement.TakeOverIfNoDiff)},
		"unowned": {preview: of(on("member-1", created()...), on("member-2",
			taken(namespace, unowned), taken(service, unowned, image), met(placement.TakeOverIfNoDiff, deployment, unowned, replicas),
		)), strategy: strategy(placement.TakeOverIfNoDiff)},
		"if-no-diff-equal": {preview: of(on("member-1", created()...), on("member-2",
			taken(namespace, kubectl), taken(service, kubectl), taken(deployment, kubectl),
		)), strategy: strategy(placement.TakeOverIfNoDiff)},
		"if-no-diff-degraded": {preview: of(on("member-1", invalidOf(deployment, replicas))), strategy: strategy(placement.TakeOverIfNoDiff)},
		"always": {preview: of(on("member-1", created()...), on("member-2",
			taken(namespace, kubectl), taken(service, kubectl), taken(deployment, kubectl, replicas, image),
		)), strategy: strategy(placement.TakeOverAlways)},
		"missing": {preview: of(on("member-1", lack(created(), secretNamed("db"))...), on("member-2", lack(created(), secretNamed("db"))...),
			on("member-3", lack(does(takeover.ActionUpdate, deployment), secretNamed("db"), secretNamed("tls"))...)), strategy: strategy(placement.TakeOverAlways)},
		"rejected-alike": {preview: of(
			rejected("member-1"), rejected("member-2"), unoverridden("member-3"), unoverridden("member-4"),
		), strategy: strategy(placement.TakeOverAlways)},
		"missing-deleted": {preview: of(
			on("member-1", append(lack(does(takeover.ActionUpdate, deployment), secretNamed("db")), does(takeover.ActionPrune, secretNamed("db"))...)...),
			on("member-2", append(lack(does(takeover.ActionUpdate, deployment), secretNamed("db"), secretNamed("tls")),
				does(takeover.ActionPrune, secretNamed("db"))...)...),
		), strategy: strategy(placement.TakeOverAlways)},
		"immutable": {preview: of(on("member-1", created()...), on("member-2",
			taken(namespace, kubectl), met(placement.TakeOverIfNoDiff, service, kubectl, image), met(placement.TakeOverIfNoDiff, deployment, kubectl, replicas, selector),
		)), strategy: strategy(placement.TakeOverIfNoDiff)},
		"immutable-never":       {preview: of(on("member-1", met(placement.TakeOverNever, deployment, kubectl, selector))), strategy: strategy(placement.TakeOverNever)},
		"co-owned":              {preview: of(on("member-1", met(placement.TakeOverAlways, deployment, shop, replicas))), strategy: strategy(placement.TakeOverAlways)},
		"other-placement":       {preview: of(on("member-1", met(placement.TakeOverAlways, namespace, first))), strategy: strategy(placement.TakeOverAlways), refuse: true},
		"other-placement-never": {preview: of(on("member-1", met(placement.TakeOverNever, namespace, first))), strategy: strategy(placement.TakeOverNever)},
		"mixed-never": {preview: of(on("member-1",
			met(placement.TakeOverNever, namespace, first), met(placement.TakeOverNever, deployment, kubectl, replicas),
		)), strategy: strategy(placement.TakeOverNever)},
		"owners": {preview: of(on("member-1",
			met(placement.TakeOverIfNoDiff, deployment, helm, image),
			met(placement.TakeOverIfNoDiff, service, takeover.Owner{Kind: takeover.OwnerArgoCD, Name: "shop"}, diff.Difference{
				Field: "spec.ports[port=80,protocol=TCP].targetPort", Path: "/spec/ports/0/targetPort", InHub: int64(8080), HasHub: true,
				InMember: "http", HasMember: true, Manager: diff.Manager{Name: "argocd-controller", Operation: "Apply"},
			}),
			met(placement.TakeOverIfNoDiff, namespace, kubectl, diff.Difference{
				Field: "metadata.labels.team", Path: "/metadata/labels/team", InHub: "web", HasHub: true,
			}),
		)), strategy: strategy(placement.TakeOverIfNoDiff)},
		"alike-and-not": {preview: of(
			on("member-1", taken(deployment, kubectl, replicas)), on("member-2", taken(deployment, kubectl, replicas)),
			on("member-3", taken(deployment, kubectl, scaled)), on("member-4", taken(deployment, helm, replicas)),
		), strategy: strategy(placement.TakeOverAlways)},
		"autoscaled":     {preview: of(on("member-1", taken(deployment, kubectl, scaled))), strategy: strategy(placement.TakeOverAlways)},
		"sixty-clusters": {preview: sixty(), strategy: strategy(placement.TakeOverIfNoDiff)},
		"many-conflicts": {preview: many(), strategy: strategy(placement.TakeOverNever)},
	}
}

var database = manifest.Identifier{Group: "apps", Version: "v1", Kind: "StatefulSet", Namespace: "web", Name: "database"}

// restarting is an object with the effect of its write on its Pods.
func restarting(object engine.ObjectPreview, restart workload.Restart) engine.ObjectPreview {
	object.Restart = restart
	return object
}

// restartCases have writes that replace Pods, and writes that do not although the Pod template differs.
func restartCases() map[string]testCase {
	updated := func(id manifest.Identifier, differences ...diff.Difference) engine.ObjectPreview {
		return engine.ObjectPreview{Identifier: id, Action: takeover.ActionUpdate, Exists: true, Owned: true, Differences: differences}
	}
	agent := manifest.Identifier{Group: "apps", Version: "v1", Kind: "DaemonSet", Namespace: "web", Name: "agent"}
	var many []diff.Difference
	for _, name := range []string{"args", "command", "env", "image", "ports"} {
		many = append(many, diff.Difference{
			Field: "spec.template.spec.containers[name=web]." + name, Path: "/spec/template/spec/containers/0/" + name, InHub: "new", HasHub: true,
		})
	}
	taking := on("member-1",
		restarting(taken(deployment, kubectl, append([]diff.Difference{replicas}, many...)...), workload.RestartRollout),
		restarting(taken(agent, kubectl, image), workload.RestartOnDeletion),
		restarting(taken(database, kubectl, replicas), workload.RestartNone),
	)
	unasked := on("member-2", restarting(taken(deployment, kubectl, replicas), workload.RestartUnknown), restarting(updated(agent), workload.RestartUnknown))
	unasked.CheckMethod = engine.CheckReadOnly
	return map[string]testCase{
		"restart": {
			preview: of(taking, unasked, on("member-3", restarting(updated(deployment, image), workload.RestartRollout),
				restarting(updated(database, replicas), workload.RestartNone))),
			strategy: strategy(placement.TakeOverAlways),
		},
		"restart-held": {preview: of(
			on("member-1", restarting(taken(database, kubectl, image), workload.RestartInPart)),
			on("member-2", restarting(taken(database, kubectl, image), workload.RestartBelowPartition)),
			on("member-3", restarting(taken(deployment, kubectl, image), workload.RestartOnceResumed)),
		), strategy: strategy(placement.TakeOverAlways)},
		"restart-left-alone": {preview: of(
			on("member-1", met(placement.TakeOverIfNoDiff, deployment, kubectl, image)),
			on("member-2", restarting(taken(deployment, kubectl), workload.RestartNone)),
		), strategy: strategy(placement.TakeOverIfNoDiff)},
	}
}

func sixty() *engine.Preview {
	out := of()
	for i := range 60 {
		out.Clusters = append(out.Clusters, on(fmt.Sprintf("member-%02d", i+1),
			taken(namespace, kubectl), met(placement.TakeOverIfNoDiff, deployment, kubectl, replicas, image), does(takeover.ActionCreate, service)[0],
		))
	}
	return out
}

// many has more conflicts than fit into a warning or a comment.
func many() *engine.Preview {
	var objects []engine.ObjectPreview
	for i := range 1000 {
		objects = append(objects, met(placement.TakeOverNever, manifest.Identifier{
			Group: "apps", Version: "v1", Kind: "Deployment", Namespace: "web", Name: fmt.Sprintf("web-%d", i),
		}, kubectl, replicas, image))
	}
	return of(on("member-1", objects...), on("member-2", append(created(), does(takeover.ActionPrune, secret)...)...))
}

func objectCases() map[string]testCase {
	drifting := strategy(placement.TakeOverAlways)
	drifting.WhenToApply = placement.ApplyIfNotDrifted
	reporting := strategy(placement.TakeOverNever)
	reporting.Type = placement.ReportDiff
	drifted := driftedFrom(drifting, deployment, replicas)
	overwriting := of(on("member-1", engine.ObjectPreview{
		Identifier: deployment, Action: takeover.ActionUpdate, Exists: true, Owned: true, Differences: []diff.Difference{replicas, image},
	}), on("member-2", does(takeover.ActionUpdate, service)...), on("member-3", does(takeover.ActionCreate, deployment, service)...))
	overwriting.Manager = "terraform-provider-fleet"
	undetailed := drifted
	undetailed.Identifier, undetailed.Differences = service, nil
	widget := manifest.Identifier{Group: "example.com", Version: "v1", Kind: "Widget", Namespace: "web", Name: "w"}
	unserved := decided(widget, takeover.Rejected(takeover.ObstacleNotServed, takeover.ReasonDecodingErred, "failed to decode manifest: failed to "+
		"find GVR from member cluster client REST mapping: the cluster does not serve kind Widget of example.com/v1"))
	unserved.Envelope = &manifest.Envelope{Namespace: "web", Name: "widgets", Type: "ConfigMap"}
	invalid := decided(service, takeover.Rejected(takeover.ObstacleAdmission, takeover.ReasonManifestApplyFailed,
		"Service \"web\" is invalid: spec.ports: Required value"))
	missing := reported(reporting, service, nil, diff.Missing())
	equal := func(id manifest.Identifier) engine.ObjectPreview {
		return reported(reporting, id, &unstructured.Unstructured{}, &diff.Comparison{})
	}
	different := reported(reporting, deployment, &unstructured.Unstructured{}, &diff.Comparison{Differences: []diff.Difference{replicas}})
	abandoned := does(takeover.ActionOrphan, namespace)[0]
	abandoned.Obstacle, abandoned.Problem = takeover.ObstacleContents, "its deletion would also delete Deployment web/old"
	abandoned.Message = "Namespace web stays on the cluster: " + abandoned.Problem
	moved := engine.ObjectPreview{
		Identifier: deployment, Action: takeover.ActionReplace, Exists: true, Owned: true,
		Problem: "it comes from the ResourceEnvelope web/second instead of the ResourceEnvelope web/first",
	}
	moved.Envelope = &manifest.Envelope{Namespace: "web", Name: "second", Type: "ResourceEnvelope"}
	around := does(takeover.ActionReplace, namespace)[0]
	around.Problem, around.Contents = "it comes from the ClusterResourceEnvelope web instead of the hub itself", &engine.Contents{}
	around.Contents.Add(secret)
	return map[string]testCase{
		"replace": {preview: of(on("member-1", moved), on("member-2", moved, around)), strategy: strategy(placement.TakeOverAlways)},
		"update": {
			preview: of(
				on("member-1", engine.ObjectPreview{
					Identifier: deployment, Action: takeover.ActionUpdate, Exists: true, Owned: true, Differences: []diff.Difference{scaled, image},
				}),
				on("member-2", does(takeover.ActionUpdate, deployment, service)...)),
			strategy: strategy(placement.TakeOverAlways),
		},
		"update-overwrites": {preview: overwriting, strategy: strategy(placement.TakeOverNever)},
		"drift":             {preview: of(on("member-1", drifted, undetailed), on("member-2", does(takeover.ActionUpdate, deployment)...)), strategy: drifting},
		"report-diff": {preview: of(
			on("member-1", equal(namespace), different, missing), on("member-2", equal(namespace), different, equal(service)),
		), strategy: reporting},
		"unknown-kind": {preview: of(on("member-1", append(created(), unserved, invalid)...), on("member-2", append(created(), unserved)...)),
			strategy: strategy(placement.TakeOverAlways)},
		"secret": {preview: of(on("member-1", taken(secret, kubectl,
			diff.Difference{Field: "data.password", Path: "/data/password", InHub: diff.Redacted, HasHub: true, InMember: diff.Redacted,
				HasMember: true, Manager: diff.Manager{Name: "kubectl-create", Operation: "Update"}},
			diff.Difference{Field: "data.user", Path: "/data/user", InHub: diff.Redacted, HasHub: true},
		))), strategy: strategy(placement.TakeOverAlways)},
		"removals": {preview: of(
			on("member-1", append(does(takeover.ActionNone, deployment), append(does(takeover.ActionPrune, service, secret), does(takeover.ActionUnknown, widget)...)...)...),
			notPicked("member-2", outscored+" (affinity score: 0, topology spread score: 0)", does(takeover.ActionPrune, deployment, namespace)...),
			notPicked("member-3", "ClusterUnschedulable, cluster does not match with any of the required cluster affinity terms",
				append(does(takeover.ActionOrphan, deployment), abandoned)...),
		), strategy: strategy(placement.TakeOverAlways)},
		"member-leaves": {preview: of(
			on("member-1", does(takeover.ActionNone, deployment, namespace)...),
			notPicked("member-2", "cluster is leaving the fleet: its fleet_member_cluster is to be destroyed", leaving(deployment, namespace)...),
		), strategy: strategy(placement.TakeOverAlways)},
		"hostile": {preview: hostile(), strategy: strategy(placement.TakeOverAlways)},
	}
}

// obstacleCases have the obstacles other than differences.
func obstacleCases() map[string]testCase {
	live, ifNoDiff := &unstructured.Unstructured{}, strategy(placement.TakeOverIfNoDiff)
	unserved := takeover.Rejected(takeover.ObstacleNotServed, takeover.ReasonDecodingErred, "the manifest has no metadata.namespace, and "+
		"Service is a namespaced kind")
	uncompared := met(placement.TakeOverIfNoDiff, deployment, kubectl)
	failed := takeover.Decide(takeover.Input{
		Live: live, Strategy: ifNoDiff, Comparison: &diff.Comparison{Err: errors.New("the server is currently unable to handle the request")},
	})
	uncompared.Action, uncompared.Obstacle, uncompared.Problem, uncompared.Reason = failed.Action, failed.Obstacle, failed.Problem, failed.Reason
	changed := decided(service, takeover.NotAgreed("the object has changed since the preview was made"), replicas)
	changed.Exists, changed.Owner = true, kubectl
	shared := decided(secret, takeover.Decide(takeover.Input{
		Live: live, Owned: true, Strategy: ifNoDiff, OwnerReferences: []metav1.OwnerReference{{Kind: "Shop", Name: "main"}},
	}))
	shared.Exists, shared.Owned = true, true
	leaving := decided(namespace, takeover.Rejected(takeover.ObstacleBeingDeleted, takeover.ReasonManifestApplyFailed, "the object on the cluster "+
		"is being deleted since 2026-01-02T03:04:05Z; the next apply after its deletion creates it again"))
	unread := decided(secret, takeover.Rejected(takeover.ObstacleNotReadable, takeover.ReasonFailedToFindObjInMemberCluster, "secrets is forbidden"))
	work := takeover.Owner{Kind: takeover.OwnerKubeFleet, Name: "web-work", Exclusive: true}
	placedByWork := decided(deployment, takeover.Decide(takeover.Input{
		Live: live, Strategy: ifNoDiff, ForeignPlacement: work.String(), OwnerReferences: []metav1.OwnerReference{
			{APIVersion: "placement.kubernetes-fleet.io/v1beta1", Kind: "AppliedWork", Name: work.Name},
		},
	}))
	placedByWork.Exists, placedByWork.Owner = true, work
	reporting := ifNoDiff
	reporting.Type = placement.ReportDiff
	taken := takeover.DecideReport(takeover.Input{Live: live, Strategy: reporting, ForeignPlacement: first.String()})
	blocked := takeover.BlockedReport(unserved)
	report := func(id manifest.Identifier, r takeover.Report) engine.ObjectPreview {
		return engine.ObjectPreview{
			Identifier: id, Action: takeover.ActionReport, Obstacle: r.Obstacle, Problem: r.Message, Reason: r.Reason, Message: r.Message,
		}
	}
	return map[string]testCase{
		"obstacles": {
			preview:  of(on("member-1", uncompared, changed, shared, leaving), on("member-2", unread, decided(service, unserved), placedByWork)),
			strategy: ifNoDiff,
		},
		"report-diff-blocked": {preview: of(on("member-1", report(service, blocked), report(namespace, taken))), strategy: reporting},
	}
}

// hostile has texts that an attacker with access to one cluster could write into its objects.
func hostile() *engine.Preview {
	bad := "</code></details>\n\n# Approved | `@org/admins` [x](https://evil.example) <script>alert(1)</script>\x1b[2J ``` \u202e"
	denied := decided(service, takeover.Rejected(takeover.ObstacleAdmission, takeover.ReasonManifestApplyFailed, "denied by webhook: "+bad))
	denied.Exists, denied.Owner = true, kubectl
	c := on("member-1", taken(deployment, takeover.Owner{Kind: takeover.OwnerHelm, Name: bad}, diff.Difference{
		Field: "metadata.annotations[" + bad + "]", Path: "/metadata/annotations/" + bad, InHub: bad, HasHub: true, InMember: "`@org/admins` " + bad, HasMember: true,
		Manager: diff.Manager{Name: "x`y @org/admins"},
	}), denied)
	other := engine.ClusterPreview{Name: "member-2", Err: errors.New("Get https://x: " + bad), CheckMethod: engine.CheckOffline, Reason: bad, Cause: bad}
	return of(c, other)
}

func clusterCases() map[string]testCase {
	scored := func(c engine.ClusterPreview, affinity, spread int32) engine.ClusterPreview {
		c.Score = &schedule.Score{Affinity: affinity, TopologySpread: spread}
		return c
	}
	offline := on("member-3")
	offline.CheckMethod, offline.Err = engine.CheckOffline, errors.New(`cluster "member-3": dial tcp 10.0.0.3:6443: connect: connection refused`)
	readOnly := on("member-2", taken(deployment, kubectl, replicas))
	readOnly.CheckMethod, readOnly.Objects[0].Untried, readOnly.Objects[0].MayRemove = engine.CheckReadOnly, engine.UntriedPermission, true
	mayRemove := on("member-3", does(takeover.ActionUpdate, deployment)...)
	mayRemove.CheckMethod, mayRemove.Objects[0].Untried = engine.CheckReadOnly, engine.UntriedPermission
	joining := func(name string) engine.ClusterPreview {
		c := on(name, created()...)
		c.Joining = true
		return c
	}
	untried := on("member-1", created()...)
	untried.Objects[0].Untried, untried.Objects[1].Untried = engine.UntriedRace, engine.UntriedNamespace
	untried.Objects[2].Untried = engine.UntriedNamespace
	unserved := on("member-2", created()...)
	unserved.Objects[2].Untried = engine.UntriedKind
	recorded := on("member-1", does(takeover.ActionNone, deployment)...)
	recorded.Resume = true
	leaving := on("member-3", append(does(takeover.ActionNone, deployment), does(takeover.ActionPrune, service)...)...)
	leaving.Resume = true
	broken := on("member-2")
	broken.Problem = "the override web/canary cannot be applied to Deployment web/web: path /spec/replicas does not exist"
	odd := of(recorded, broken, leaving)
	odd.Fulfilled, odd.EmptySelectors, odd.Unselected = false, []int{1}, []manifest.Identifier{secret}
	unasked := notPicked("member-4", "ClusterUnschedulable, cluster is not eligible: it cannot be reached")
	unasked.CheckMethod, unasked.Err = engine.CheckOffline, errors.New(`cluster "member-4": the server has asked for the client to provide credentials`)
	remains := unasked
	remains.Name, remains.Remains, remains.Err = "member-5", true, errors.New("no route to host")
	renamed := func(cluster engine.ClusterPreview) engine.ClusterPreview {
		cluster.FormerNames, cluster.Resume = []string{"shop"}, true
		return cluster
	}
	unchanged := does(takeover.ActionNone, namespace, deployment)
	changed := append(does(takeover.ActionNone, namespace), does(takeover.ActionUpdate, deployment)...)
	moved := append(does(takeover.ActionCreate, namespace), does(takeover.ActionPrune, deployment)...)
	again, recorded := offline, on("member-1", unchanged...)
	again.Resume, recorded.Resume = true, true
	nothing := of(on("member-1"), on("member-2"))
	nothing.Selected = nil
	return map[string]testCase{
		"offline":        {preview: of(on("member-1", created()...), on("member-2", created()...), offline, unasked, remains), strategy: strategy(placement.TakeOverAlways)},
		"offline-again":  {preview: of(on("member-1", unchanged...), again), strategy: strategy(placement.TakeOverAlways)},
		"offline-record": {preview: of(recorded, again), strategy: strategy(placement.TakeOverAlways)},
		"read-only":      {preview: of(on("member-1", created()...), readOnly, mayRemove), strategy: strategy(placement.TakeOverAlways)},
		"joining":        {preview: of(joining("member-1"), joining("member-2"), joining("member-3")), strategy: strategy(placement.TakeOverAlways)},
		"scores": {preview: of(
			scored(on("member-1", created()...), 20, 1), scored(on("member-2", does(takeover.ActionNone, deployment)...), 20, 0),
			scored(notPicked("member-3", outscored+" (affinity score: 10, topology spread score: 0)"), 10, 0),
		), strategy: strategy(placement.TakeOverAlways)},
		"untried":          {preview: of(untried, unserved), strategy: strategy(placement.TakeOverAlways)},
		"odd":              {preview: odd, strategy: strategy(placement.TakeOverAlways)},
		"unrecorded":       {preview: of(unrecorded(does(takeover.ActionNone, namespace, deployment)...)), strategy: strategy(placement.TakeOverAlways)},
		"renamed":          {preview: of(renamed(on("member-1", unchanged...)), renamed(on("member-2", changed...)), offline), strategy: strategy(placement.TakeOverAlways)},
		"renamed-deletes":  {preview: of(renamed(on("member-1", moved...)), renamed(on("member-2", unchanged...))), strategy: strategy(placement.TakeOverAlways)},
		"nothing-selected": {preview: nothing, strategy: strategy(placement.TakeOverAlways)},
	}
}
