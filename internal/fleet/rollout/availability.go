package rollout

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Availability says whether an applied object does its work yet.
type Availability string

// The availabilities. What is not trackable counts as available, but a rolling update then waits for unavailablePeriodSeconds.
const (
	Available    Availability = "Available"
	NotTrackable Availability = "NotTrackable"
	NotYet       Availability = "NotYet"
	Failed       Availability = "Failed"
)

// tracker judges an object of one resource. The text says what is missing. One that is nil judges by nothing: data does its work as soon as
// it is there.
type tracker func(fields) (Availability, string)

// trackers judge by group, version and resource, all three exactly: other versions of an API are not trackable.
var trackers = buildTrackers()

func buildTrackers() map[schema.GroupVersionResource]tracker {
	all := map[schema.GroupVersionResource]tracker{
		{Group: "apps", Version: "v1", Resource: "deployments"}:                               trackDeployment,
		{Group: "apps", Version: "v1", Resource: "statefulsets"}:                              trackStatefulSet,
		{Group: "apps", Version: "v1", Resource: "daemonsets"}:                                trackDaemonSet,
		{Version: "v1", Resource: "services"}:                                                 trackService,
		{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}: trackCustomResourceDefinition,
		{Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"}:                    trackPodDisruptionBudget,
	}
	for group, resources := range map[string][]string{
		"":                          {"namespaces", "secrets", "configmaps", "serviceaccounts", "limitranges", "resourcequotas"},
		"rbac.authorization.k8s.io": {"roles", "clusterroles", "rolebindings", "clusterrolebindings"},
		"networking.k8s.io":         {"networkpolicies", "ingressclasses"},
		"storage.k8s.io":            {"csidrivers", "csinodes", "storageclasses", "csistoragecapacities"},
		"apps":                      {"controllerrevisions"},
		"scheduling.k8s.io":         {"priorityclasses"},
	} {
		for _, resource := range resources {
			all[schema.GroupVersionResource{Group: group, Version: "v1", Resource: resource}] = nil
		}
	}
	return all
}

// DependsOnContent tells whether AvailabilityOf looks at more of an object than its kind.
func DependsOnContent(resource schema.GroupVersionResource) bool { return trackers[resource] != nil }

// Fields are those of an object that AvailabilityOf looks at, for whoever reads only a part of it.
func Fields(resource schema.GroupVersionResource) []string {
	if trackers[resource] == nil {
		return nil
	}
	return fieldsOf[resource.Resource]
}

var fieldsOf = map[string][]string{
	"deployments":               {"metadata.generation", "spec.replicas", "status"},
	"statefulsets":              {"metadata.generation", "spec.replicas", "status"},
	"daemonsets":                {"metadata.generation", "status"},
	"services":                  {"spec.type", "spec.clusterIPs", "status"},
	"customresourcedefinitions": {"status"},
	"poddisruptionbudgets":      {"metadata.generation", "status"},
}

// AvailabilityOf judges an object as the API server returned it from the apply, as KubeFleet's work applier does. The text says what is
// missing or, for Failed, which field makes no sense; it is empty for the others.
func AvailabilityOf(u *unstructured.Unstructured, resource string) (Availability, string) {
	track, known := trackers[u.GroupVersionKind().GroupVersion().WithResource(resource)]
	if !known {
		return NotTrackable, ""
	}
	if track == nil {
		return Available, ""
	}
	f := fields{object: u.Object, fault: new(string)}
	availability, missing := track(f)
	if *f.fault != "" {
		return Failed, *f.fault
	}
	return availability, missing
}

// verdict is Available unless something is missing.
func verdict(missing string) (Availability, string) {
	if missing == "" {
		return Available, ""
	}
	return NotYet, missing
}

// trackDeployment: all replicas are of the new sort and available, and no other ones are there.
func trackDeployment(f fields) (Availability, string) {
	want := f.numberOr(1, "spec", "replicas")
	available, updated := f.number("status", "availableReplicas"), f.number("status", "updatedReplicas")
	unavailable := f.number("status", "unavailableReplicas")
	switch {
	case !f.observed():
		return verdict("the controller has not seen the change yet")
	case updated != want:
		return verdict(fmt.Sprintf("%d of %d replicas are updated", updated, want))
	case available != want:
		return verdict(fmt.Sprintf("%d of %d replicas are available", available, want))
	case unavailable != 0:
		return verdict(fmt.Sprintf("%d replicas are unavailable", unavailable))
	}
	return verdict("")
}

// trackStatefulSet: all replicas are available and of the new revision.
func trackStatefulSet(f fields) (Availability, string) {
	want, available := f.numberOr(1, "spec", "replicas"), f.number("status", "availableReplicas")
	current, updated := f.number("status", "currentReplicas"), f.number("status", "updatedReplicas")
	currentRevision, updateRevision := f.text("status", "currentRevision"), f.text("status", "updateRevision")
	switch {
	case !f.observed():
		return verdict("the controller has not seen the change yet")
	case available != want:
		return verdict(fmt.Sprintf("%d of %d replicas are available", available, want))
	case current != updated || currentRevision != updateRevision:
		return verdict(fmt.Sprintf("%d of %d replicas are updated", updated, want))
	}
	return verdict("")
}

// trackDaemonSet: all nodes that should run the pod run an available and updated one; no nodes will do.
func trackDaemonSet(f fields) (Availability, string) {
	want, available := f.number("status", "desiredNumberScheduled"), f.number("status", "numberAvailable")
	current, updated := f.number("status", "currentNumberScheduled"), f.number("status", "updatedNumberScheduled")
	switch {
	case !f.observed():
		return verdict("the controller has not seen the change yet")
	case available != want:
		return verdict(fmt.Sprintf("%d of %d nodes run an available pod", available, want))
	case current != updated:
		return verdict(fmt.Sprintf("%d of %d nodes run an updated pod", updated, current))
	}
	return verdict("")
}

// trackService: the Service has an address inside the cluster (headless counts) or, for a load balancer, outside.
func trackService(f fields) (Availability, string) {
	switch f.text("spec", "type") {
	case "", "ClusterIP", "NodePort":
		if ips := f.list("spec", "clusterIPs"); len(ips) == 0 || ips[0] == "" {
			return verdict("no cluster IP is assigned")
		}
	case "LoadBalancer":
		if !f.hasIngress() {
			return verdict("the load balancer has no address yet")
		}
	default:
		return NotTrackable, ""
	}
	return verdict("")
}

// trackCustomResourceDefinition: the API server serves the resource.
func trackCustomResourceDefinition(f fields) (Availability, string) {
	for _, name := range []string{"Established", "NamesAccepted"} {
		if condition, found := f.condition(name); !found || condition["status"] != "True" {
			return verdict("condition " + name + " is not True")
		}
	}
	return verdict("")
}

// trackPodDisruptionBudget: the controller has caught up with the budget; whether disruptions are allowed makes no difference.
func trackPodDisruptionBudget(f fields) (Availability, string) {
	status, reason := "False", "InsufficientPods"
	if f.number("status", "disruptionsAllowed") > 0 {
		status, reason = "True", "SufficientPods"
	}
	condition, found := f.condition("DisruptionAllowed")
	if !f.observed() || !found || condition["status"] != status || condition["reason"] != reason {
		return verdict("the controller has not computed the allowed disruptions yet")
	}
	return verdict("")
}
